import { answer } from "@/api/client";
import { createSweep } from "@/api/gen/sdk.gen";
import {
  type PricedBy,
  readSweep,
  type SweepIn,
  type SweepOut,
  sweepKey,
} from "@/api/sweeps";
import { type PartialJob, usePartial } from "@/api/use-partial";

const create = (body: SweepIn) => answer(createSweep({ body, throwOnError: true }));

/** A sweep as it goes, priced by devices. */
export const useSweep = (
  id: string | undefined,
  workload: string,
  devices: PricedBy,
  onStarted: (sweepId: string) => void,
): PartialJob<SweepOut, SweepIn> =>
  usePartial({
    id,
    key: [workload, devices],
    keyOf: sweepKey,
    read: (sweepId, signal) => readSweep(sweepId, workload, devices, signal),
    create,
    onStarted,
  });
