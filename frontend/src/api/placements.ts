/** Which of several workloads share a system. Nothing of it is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { askPlacement } from "./gen/sdk.gen";
import type { PlacementIn } from "./gen/types.gen";

export type {
  PlacementIn,
  PlacementOut,
  SharingOut,
  SystemOut,
} from "./gen/types.gen";

export const placementQuery = (asked: PlacementIn) =>
  queryOptions({
    queryKey: ["placements", asked],
    queryFn: ({ signal }) =>
      answer(askPlacement({ signal, body: asked, throwOnError: true })),
    staleTime: 300_000,
    retry: false,
  });
