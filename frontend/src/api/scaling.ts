import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  createScaledWorkload,
  getRelations,
  previewScaledWorkload,
} from "./gen/sdk.gen";
import type { ProductionIn } from "./gen/types.gen";

export type {
  ProductionIn,
  ProductionOut,
  RatesOut,
  RelationOut,
  ScalePreviewOut,
  SizeScaledOut,
} from "./gen/types.gen";

export const relationsQuery = (workloadId: string) =>
  queryOptions({
    queryKey: ["workloads", workloadId, "relations"],
    queryFn: ({ signal }) =>
      answer(
        getRelations({
          signal,
          path: { workload_id: workloadId },
          throwOnError: true,
        }),
      ),
    // A workload's content never changes, so neither do its relations.
    staleTime: Number.POSITIVE_INFINITY,
  });

export const scalePreviewQuery = (workloadId: string, production: ProductionIn) =>
  queryOptions({
    queryKey: ["workloads", workloadId, "scaled", production],
    queryFn: ({ signal }) =>
      answer(
        previewScaledWorkload({
          signal,
          path: { workload_id: workloadId },
          body: production,
          throwOnError: true,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const createScaled = (
  workloadId: string,
  production: ProductionIn,
  name: string,
) =>
  answer(
    createScaledWorkload({
      path: { workload_id: workloadId },
      body: { ...production, name },
      throwOnError: true,
    }),
  );
