/** Which of several workloads share a system. Nothing of it is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { askPlacement, reportPlacement } from "./gen/sdk.gen";
import type { PlacementIn, ReportPlacementData } from "./gen/types.gen";

export type {
  HeldOut,
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

/** The placement of a question as a file. */
export async function placementFile(
  body: PlacementIn,
  format: ReportPlacementData["query"]["format"],
): Promise<Blob> {
  const file: unknown = await answer(
    reportPlacement({ body, query: { format }, parseAs: "blob", throwOnError: true }),
  );
  return file as Blob;
}
