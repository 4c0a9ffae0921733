import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { RunStatus } from "./gen/types.gen";
import { isActiveStatus, type RunOut, useRun } from "./runs";

const PARTIAL_MS = 1000;

interface Subject {
  readonly id: string;
  readonly status: RunStatus;
  readonly run: RunOut | null;
}

/** A type of its own, because a library's guard against functions cannot see into `T`. */
interface Held<T> {
  readonly subject: T;
}

interface PartialOptions<T extends Subject, Body> {
  /** Of the subject on the screen; none yet where undefined. */
  readonly id: string | undefined;
  /** Beside the id, what else the answer depends on. */
  readonly key: readonly unknown[];
  readonly keyOf: (id: string) => readonly string[];
  readonly read: (id: string, signal: AbortSignal) => Promise<T>;
  readonly create: (body: Body) => Promise<T>;
  readonly onStarted: (id: string) => void;
}

export interface PartialJob<T, Body> {
  readonly subject: T | null;
  readonly run: RunOut | undefined;
  readonly running: boolean;
  readonly error: unknown;
  readonly start: (body: Body) => void;
}

/** A job with rows: they appear while it runs, and stay whatever becomes of it. */
export function usePartial<T extends Subject, Body>(
  options: PartialOptions<T, Body>,
): PartialJob<T, Body> {
  const { id, keyOf } = options;
  const queryClient = useQueryClient();
  const query = useQuery<Held<T>>({
    queryKey: [...keyOf(id ?? ""), ...options.key],
    queryFn: async ({ signal }) => ({ subject: await options.read(id ?? "", signal) }),
    enabled: id !== undefined,
    // Rows that are done stay on the screen while others or other prices come.
    placeholderData: (previous) => (previous?.subject.id === id ? previous : undefined),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isActiveStatus(state.data.subject.status)
        ? PARTIAL_MS
        : false,
  });
  const begin = useMutation({
    mutationFn: options.create,
    onSuccess: (created) => {
      options.onStarted(created.id);
      return queryClient.invalidateQueries({ queryKey: keyOf(created.id) });
    },
  });
  const known = id === undefined ? undefined : query.data?.subject;
  const shownRun = known?.status === "succeeded" ? null : (known?.run ?? null);
  const run = useRun(shownRun?.id ?? null, shownRun).data;
  const ended = run !== undefined && !isActiveStatus(run.status);
  const settled = useRef<string | null>(null);

  // The last rows come with the end of the run, between two looks.
  useEffect(() => {
    if (ended && id !== undefined && settled.current !== run.id) {
      settled.current = run.id;
      void queryClient.invalidateQueries({ queryKey: keyOf(id) });
    }
  }, [ended, run?.id, id, queryClient, keyOf]);

  return {
    subject: known ?? null,
    run: shownRun === null ? undefined : run,
    running: begin.isPending || (shownRun !== null && !ended),
    error: begin.error ?? (id === undefined ? null : query.error),
    start: (body) => begin.mutate(body),
  };
}
