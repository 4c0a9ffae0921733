import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  getConversionLog,
  getCurve,
  getWorkload,
  listWorkloads,
  readWorkloadAgain,
} from "./gen/sdk.gen";
import type { RunStatus, SummaryOut, WorkloadOut } from "./gen/types.gen";
import { everyPage } from "./pages";

export type {
  ConversionLogOut,
  CurveOut,
  SummaryOut,
  WarningOut,
  WorkloadOut,
} from "./gen/types.gen";

const POLL_MS = 1000;

const isUnfinished = (workload: WorkloadOut): boolean =>
  workload.status === "queued" || workload.status === "running";

/** Whether the curve was computed from a description, which states its writes too. */
export const isDescribed = (found: Pick<SummaryOut, "described_by">): boolean =>
  found.described_by != null;

/** What checks replay for a workload: its trace, or that of the recording it was scaled from. */
export type Replays = "trace" | "recording" | null;

export const replaysOf = (
  summary: Pick<SummaryOut, "kind" | "replayable">,
): Replays => {
  if (summary.kind === "trace") {
    return "trace";
  }
  return summary.replayable ? "recording" : null;
};

/** Whether the curve was composed of those of several workloads. */
export const isComposed = (found: Pick<SummaryOut, "composed_of">): boolean =>
  found.composed_of != null;

/** Whether hits were given and writes were not, so that a dirty share may be stated. */
export const mayLackWrites = (
  summary: Pick<
    SummaryOut,
    "kind" | "described_by" | "composed_of" | "write_accesses" | "dirty_share"
  >,
): boolean =>
  summary.kind === "curve" &&
  !isDescribed(summary) &&
  // Write-backs of a composed curve are those of its workloads, where all have them.
  !(
    isComposed(summary) &&
    summary.write_accesses !== null &&
    summary.dirty_share === null
  );

export const isActive = (status: RunStatus): boolean =>
  status === "queued" || status === "running";

export const workloadsQuery = () =>
  queryOptions({
    queryKey: ["workloads"],
    queryFn: ({ signal }) =>
      everyPage((page) =>
        answer(listWorkloads({ signal, query: page, throwOnError: true })),
      ),
    refetchInterval: (query) =>
      query.state.data?.some(isUnfinished) ? POLL_MS : false,
  });

export const workloadQuery = (workloadId: string) =>
  queryOptions({
    queryKey: ["workloads", workloadId],
    queryFn: ({ signal }) =>
      answer(
        getWorkload({ signal, path: { workload_id: workloadId }, throwOnError: true }),
      ),
    refetchInterval: (query) =>
      query.state.data !== undefined && isUnfinished(query.state.data)
        ? POLL_MS
        : false,
  });

export const conversionLogQuery = (workloadId: string) =>
  queryOptions({
    queryKey: ["workloads", workloadId, "conversion-log"],
    queryFn: ({ signal }) =>
      answer(
        getConversionLog({
          signal,
          path: { workload_id: workloadId },
          throwOnError: true,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Reads the file of a failed or cancelled workload again; it is still kept. */
export const readAgain = (workloadId: string) =>
  answer(readWorkloadAgain({ path: { workload_id: workloadId }, throwOnError: true }));

export const CURVE_POINTS = 1000;

export const curveQuery = (workloadId: string) =>
  queryOptions({
    queryKey: ["workloads", workloadId, "curve"],
    queryFn: ({ signal }) =>
      answer(
        getCurve({
          signal,
          path: { workload_id: workloadId },
          query: { points: CURVE_POINTS },
          throwOnError: true,
        }),
      ),
    // A workload's content never changes, so neither does its curve.
    staleTime: Number.POSITIVE_INFINITY,
  });
