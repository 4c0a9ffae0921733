import { answer } from "./client";
import { createMiniature, getMiniature } from "./gen/sdk.gen";
import type { MiniatureIn } from "./gen/types.gen";

export type { MiniatureIn, MiniatureOut, MiniatureRow } from "./gen/types.gen";

export const miniatureKey = (miniatureId: string) => ["miniatures", miniatureId];

export const readMiniature = (miniatureId: string, signal: AbortSignal) =>
  answer(
    getMiniature({
      signal,
      path: { miniature_id: miniatureId },
      throwOnError: true,
    }),
  );

export const startMiniature = (body: MiniatureIn) =>
  answer(createMiniature({ body, throwOnError: true }));
