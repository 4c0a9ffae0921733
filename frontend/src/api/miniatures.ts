import { answer } from "./client";
import { createMiniature, getMiniature } from "./gen/sdk.gen";
import type { MiniatureIn } from "./gen/types.gen";

export type { MiniatureIn, MiniatureOut, MiniatureRow } from "./gen/types.gen";

export const miniatureKey = (miniatureId: string) => ["miniatures", miniatureId];

/** An estimate with the notes of the workload through which it is asked for. */
export const readMiniature = (
  miniatureId: string,
  workload: string,
  signal: AbortSignal,
) =>
  answer(
    getMiniature({
      signal,
      path: { miniature_id: miniatureId },
      query: { workload_id: workload },
      throwOnError: true,
    }),
  );

export const startMiniature = (body: MiniatureIn) =>
  answer(createMiniature({ body, throwOnError: true }));
