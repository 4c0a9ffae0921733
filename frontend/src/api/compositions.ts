import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { askComposition, createComposedWorkload } from "./gen/sdk.gen";
import type { ComposedWorkloadIn, CompositionIn } from "./gen/types.gen";

export type {
  ComposedRowOut,
  CompositionIn,
  CompositionOut,
  ScaledPartsOut,
} from "./gen/types.gen";

export const compositionQuery = (asked: CompositionIn) =>
  queryOptions({
    queryKey: ["compositions", asked],
    queryFn: ({ signal }) =>
      answer(askComposition({ signal, body: asked, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });

export const createComposed = (body: ComposedWorkloadIn) =>
  answer(createComposedWorkload({ body, throwOnError: true }));
