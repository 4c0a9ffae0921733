/** Analyses that take a job: pool splits, windows and summaries. Asking again is harmless. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import {
  getPoolAdvisorEpochs,
  getPoolSplit,
  getPoolSplitCosts,
  getPoolSplitGains,
  getSummaries,
  getSummaryTables,
  getWindowCurves,
  getWorkloadSummaries,
} from "./gen/sdk.gen";
import type { PoolSplitCosts as PoolSplitCostsAnswer } from "./gen/types.gen";

export type {
  PoolAdvisorEpochs,
  PoolAdvisorIn,
  PoolAdvisorOut,
  PoolSplitGains,
  PoolSplitOut,
  SummariesOut,
  SummaryTables,
  WindowCurves,
  WindowsOut,
} from "./gen/types.gen";

/** At what a counted buffer is priced. */
interface Pricing {
  readonly workload_id: string;
  readonly asymmetry: number;
  readonly estimator: PoolSplitCostsAnswer["estimator"];
  /** Of one machine of production, where the buffer was counted for it. */
  readonly production_pages: number | null;
}

export type PoolSplitCosts = Asked<PoolSplitCostsAnswer, Pricing>;

const NEVER_STALE = Number.POSITIVE_INFINITY;

export const poolSplitKey = (id: string) => ["pool-splits", id];

export const poolSplitQuery = (id: string) =>
  queryOptions({
    queryKey: poolSplitKey(id),
    queryFn: ({ signal }) =>
      answer(getPoolSplit({ signal, path: { pool_split_id: id }, throwOnError: true })),
  });

export const poolSplitCostsQuery = (id: string, query: Pricing) =>
  queryOptions({
    queryKey: [...poolSplitKey(id), "costs", query],
    queryFn: ({ signal }) =>
      asked(
        query,
        getPoolSplitCosts({
          signal,
          path: { pool_split_id: id },
          query,
          throwOnError: true,
        }),
      ),
    staleTime: NEVER_STALE,
    placeholderData: (previous) => (previous?.id === id ? previous : undefined),
  });

export const poolSplitSteps = ({ id, asked: query }: PoolSplitCosts) =>
  stepsQuery("pool-splits", { id, ...query }, (signal) =>
    getPoolSplitCosts({
      signal,
      path: { pool_split_id: id },
      query: { ...query, ...WITH_STEPS },
      throwOnError: true,
    }),
  );

export const poolSplitGainsQuery = (id: string) =>
  queryOptions({
    queryKey: [...poolSplitKey(id), "gains"],
    queryFn: ({ signal }) =>
      answer(
        getPoolSplitGains({ signal, path: { pool_split_id: id }, throwOnError: true }),
      ),
  });

export const poolAdvisorKey = (id: string) => ["pool-advisors", id];

export interface Estimation {
  /** Through which the answer is asked for. */
  readonly workload_id: string;
  /** Time of one estimation; absent: not asked about. [s] */
  readonly estimation_s?: number;
  readonly read_us?: number;
  /** Of one machine of production, where the buffer was replayed for it. */
  readonly production_pages: number | null;
}

export const poolAdvisorEpochsQuery = (id: string, query: Estimation) =>
  queryOptions({
    queryKey: [...poolAdvisorKey(id), "epochs", query],
    queryFn: ({ signal }) =>
      answer(
        getPoolAdvisorEpochs({
          signal,
          path: { pool_advisor_id: id },
          query,
          throwOnError: true,
        }),
      ),
    staleTime: NEVER_STALE,
    placeholderData: (previous) => (previous?.id === id ? previous : undefined),
  });

export const summariesKey = (id: string) => ["summaries", id];

export const readSummaries = (id: string) =>
  answer(getSummaries({ path: { summaries_id: id }, throwOnError: true }));

export const summaryTablesQuery = (id: string) =>
  queryOptions({
    queryKey: [...summariesKey(id), "tables"],
    queryFn: ({ signal }) =>
      answer(
        getSummaryTables({ signal, path: { summaries_id: id }, throwOnError: true }),
      ),
    staleTime: NEVER_STALE,
  });

/** The summaries that a profile brought along. */
export const profileSummariesQuery = (workloadId: string) =>
  queryOptions({
    queryKey: ["workloads", workloadId, "summaries"],
    queryFn: ({ signal }) =>
      answer(
        getWorkloadSummaries({
          signal,
          path: { workload_id: workloadId },
          throwOnError: true,
        }),
      ),
    staleTime: NEVER_STALE,
  });

export const windowsKey = (id: string) => ["windows", id];

export const windowCurvesQuery = (id: string) =>
  queryOptions({
    queryKey: [...windowsKey(id), "curves"],
    queryFn: ({ signal }) =>
      answer(getWindowCurves({ signal, path: { windows_id: id }, throwOnError: true })),
    staleTime: NEVER_STALE,
  });
