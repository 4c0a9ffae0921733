import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { getSweep } from "./gen/sdk.gen";

export type { ContenderOut, ReplayOut, SweepIn, SweepOut } from "./gen/types.gen";

export interface PricedBy {
  readonly flash: string | undefined;
  readonly disk: string | undefined;
}

export const sweepKey = (sweepId: string) => ["sweeps", sweepId];

export const sweepQuery = (sweepId: string, devices: PricedBy) =>
  queryOptions({
    queryKey: [...sweepKey(sweepId), devices],
    queryFn: ({ signal }) =>
      answer(
        getSweep({
          signal,
          path: { sweep_id: sweepId },
          query: {
            ...(devices.flash === undefined ? {} : { flash_device_id: devices.flash }),
            ...(devices.disk === undefined ? {} : { disk_device_id: devices.disk }),
          },
          throwOnError: true,
        }),
      ),
    // Rows that are done stay on the screen while others or other prices come.
    placeholderData: (previous) => (previous?.id === sweepId ? previous : undefined),
  });
