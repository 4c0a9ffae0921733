import { answer } from "./client";
import { createMiniature, getMiniature } from "./gen/sdk.gen";
import type { MiniatureIn } from "./gen/types.gen";

export type { MiniatureIn, MiniatureOut, MiniatureRow } from "./gen/types.gen";

export const miniatureKey = (miniatureId: string) => ["miniatures", miniatureId];

/** What flash is made of, and at which rate it wears where the trace has no times. */
export interface WornBy {
  readonly flash: string;
  readonly rate: number | undefined;
}

/** An estimate with the notes of the workload through which it is asked for. */
export const readMiniature = (
  miniatureId: string,
  workload: string,
  worn: WornBy,
  signal: AbortSignal,
) =>
  answer(
    getMiniature({
      signal,
      path: { miniature_id: miniatureId },
      query: {
        workload_id: workload,
        flash_device_id: worn.flash,
        ...(worn.rate === undefined ? {} : { accesses_per_s: worn.rate }),
      },
      throwOnError: true,
    }),
  );

export const startMiniature = (body: MiniatureIn) =>
  answer(createMiniature({ body, throwOnError: true }));
