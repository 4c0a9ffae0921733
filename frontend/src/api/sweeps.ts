import { answer } from "./client";
import { getSweep } from "./gen/sdk.gen";

export type { ContenderOut, ReplayOut, SweepIn, SweepOut } from "./gen/types.gen";

export interface PricedBy {
  readonly flash: string | undefined;
  readonly disk: string | undefined;
}

export const sweepKey = (sweepId: string) => ["sweeps", sweepId];

/** A sweep with the notes of the workload through which it is asked for. */
export const readSweep = (
  sweepId: string,
  workload: string,
  devices: PricedBy,
  signal: AbortSignal,
) =>
  answer(
    getSweep({
      signal,
      path: { sweep_id: sweepId },
      query: {
        workload_id: workload,
        ...(devices.flash === undefined ? {} : { flash_device_id: devices.flash }),
        ...(devices.disk === undefined ? {} : { disk_device_id: devices.disk }),
      },
      throwOnError: true,
    }),
  );
