import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  listDescriptionKinds,
  listWorkloadPresets,
  previewDescription,
} from "./gen/sdk.gen";
import type { DescriptionIn } from "./gen/types.gen";

export type {
  ComponentIn,
  DescriptionIn,
  DescriptionKindOut,
  DescriptionPreviewOut,
  WorkloadPresetOut,
} from "./gen/types.gen";

export const descriptionKindsQuery = () =>
  queryOptions({
    queryKey: ["description-kinds"],
    queryFn: ({ signal }) =>
      answer(listDescriptionKinds({ signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const workloadPresetsQuery = () =>
  queryOptions({
    queryKey: ["workload-presets"],
    queryFn: ({ signal }) =>
      answer(listWorkloadPresets({ signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const descriptionPreviewQuery = (description: DescriptionIn) =>
  queryOptions({
    queryKey: ["description-previews", description],
    queryFn: ({ signal }) =>
      answer(previewDescription({ signal, body: description, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
