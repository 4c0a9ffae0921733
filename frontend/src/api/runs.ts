import {
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { answer } from "./client";
import { cancelRun, getRun, listRuns } from "./gen/sdk.gen";
import type { RunOut, RunStatus } from "./gen/types.gen";

export type { RunOut } from "./gen/types.gen";

const POLL_MS = 1000;
const IDLE_POLL_MS = 10_000;

export const isActiveStatus = (status: RunStatus): boolean =>
  status === "queued" || status === "running";

export const runsQuery = () =>
  queryOptions({
    queryKey: ["runs"],
    queryFn: ({ signal }) =>
      answer(listRuns({ signal, query: { limit: 100 }, throwOnError: true })),
    refetchInterval: (query) =>
      query.state.data?.items.some((run) => isActiveStatus(run.status))
        ? POLL_MS
        : IDLE_POLL_MS,
  });

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ["runs", runId],
    queryFn: ({ signal }) =>
      answer(getRun({ signal, path: { run_id: runId }, throwOnError: true })),
  });

/**
 * A run, live: server-sent events while they arrive, polling once a second when they
 * do not. `initial` shows what a list already knew.
 */
export function useRun(runId: string | null, initial?: RunOut | null) {
  const queryClient = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const query = useQuery({
    ...runQuery(runId ?? ""),
    enabled: runId !== null,
    ...(initial ? { initialData: initial, initialDataUpdatedAt: 0 } : {}),
    refetchInterval: (state) => {
      const active =
        state.state.data === undefined || isActiveStatus(state.state.data.status);
      return active && !streaming ? POLL_MS : false;
    },
  });
  const active = query.data !== undefined && isActiveStatus(query.data.status);

  useEffect(() => {
    if (runId === null || !active) {
      return;
    }
    const source = new EventSource(`/api/v1/runs/${encodeURIComponent(runId)}/events`);
    source.addEventListener("run", (event) => {
      const run: RunOut = JSON.parse((event as MessageEvent<string>).data);
      setStreaming(true);
      queryClient.setQueryData(runQuery(runId).queryKey, run);
      if (!isActiveStatus(run.status)) {
        source.close();
        // An older answer to a poll may still arrive, and would stand for ever.
        setStreaming(false);
      }
    });
    source.addEventListener("error", () => setStreaming(false));
    return () => {
      source.close();
      setStreaming(false);
    };
  }, [runId, active, queryClient]);

  return query;
}

export function useCancelRun() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (runId: string) =>
      answer(cancelRun({ path: { run_id: runId }, throwOnError: true })),
    onSuccess: (run) => {
      queryClient.setQueryData(runQuery(run.id).queryKey, run);
      return Promise.all([
        queryClient.invalidateQueries({ queryKey: ["runs"] }),
        queryClient.invalidateQueries({ queryKey: ["workloads"] }),
      ]);
    },
  });
}
