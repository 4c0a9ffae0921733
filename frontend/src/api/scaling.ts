import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  createJoinedWorkload,
  createScaledWorkload,
  getJoinedWorkloads,
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

const POLL_MS = 1000;

/** The workloads whose pages are those of a workload joined; followed while one is being made. */
export const joinedQuery = (workloadId: string) =>
  queryOptions({
    queryKey: ["workloads", workloadId, "joined"],
    queryFn: ({ signal }) =>
      answer(
        getJoinedWorkloads({
          signal,
          path: { workload_id: workloadId },
          throwOnError: true,
        }),
      ),
    refetchInterval: (query) =>
      query.state.data?.items.some(
        ({ status }) => status === "queued" || status === "running",
      )
        ? POLL_MS
        : false,
  });

export const createJoined = (workloadId: string, pageBytes: number) =>
  answer(
    createJoinedWorkload({
      path: { workload_id: workloadId },
      body: { page_bytes: pageBytes },
      throwOnError: true,
    }),
  );

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
