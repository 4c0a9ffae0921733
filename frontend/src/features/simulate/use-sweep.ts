import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { answer } from "@/api/client";
import { createSweep } from "@/api/gen/sdk.gen";
import { isActiveStatus, type RunOut, useRun } from "@/api/runs";
import {
  type PricedBy,
  type SweepIn,
  type SweepOut,
  sweepKey,
  sweepQuery,
} from "@/api/sweeps";

const PARTIAL_MS = 1000;

export interface Sweeping {
  readonly sweep: SweepOut | null;
  readonly run: RunOut | undefined;
  readonly running: boolean;
  readonly error: unknown;
  readonly start: (body: SweepIn) => void;
}

/** A sweep as it goes: rows appear while it runs, and stay whatever becomes of it. */
export function useSweep(
  sweepId: string | undefined,
  devices: PricedBy,
  onStarted: (sweepId: string) => void,
): Sweeping {
  const queryClient = useQueryClient();
  const sweep = useQuery({
    ...sweepQuery(sweepId ?? "", devices),
    enabled: sweepId !== undefined,
    refetchInterval: (query) =>
      query.state.data !== undefined && isActiveStatus(query.state.data.status)
        ? PARTIAL_MS
        : false,
  });
  const begin = useMutation({
    mutationFn: (body: SweepIn) => answer(createSweep({ body, throwOnError: true })),
    onSuccess: (created) => {
      onStarted(created.id);
      return queryClient.invalidateQueries({ queryKey: sweepKey(created.id) });
    },
  });
  const known = sweepId === undefined ? undefined : sweep.data;
  const shownRun = known?.status === "succeeded" ? null : (known?.run ?? null);
  const run = useRun(shownRun?.id ?? null, shownRun).data;
  const ended = run !== undefined && !isActiveStatus(run.status);
  const settled = useRef<string | null>(null);

  // The last rows come with the end of the run, between two looks.
  useEffect(() => {
    if (ended && sweepId !== undefined && settled.current !== run.id) {
      settled.current = run.id;
      void queryClient.invalidateQueries({ queryKey: sweepKey(sweepId) });
    }
  }, [ended, run?.id, sweepId, queryClient]);

  return {
    sweep: known ?? null,
    run: shownRun === null ? undefined : run,
    running: begin.isPending || (shownRun !== null && !ended),
    error: begin.error ?? (sweepId === undefined ? null : sweep.error),
    start: (body) => begin.mutate(body),
  };
}
