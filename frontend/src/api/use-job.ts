import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { RunStatus } from "./gen/types.gen";
import { isActiveStatus, type RunOut, useRun } from "./runs";

interface Subject {
  readonly id: string;
  readonly status: RunStatus;
  readonly run: RunOut | null;
}

interface JobOptions<T extends Subject> {
  /** What is asked for, as one text: another text is another job. */
  readonly asked: string | null;
  readonly create: () => Promise<T>;
  readonly keyOf: (id: string) => readonly string[];
  readonly read: (id: string) => Promise<T>;
  /** Asks by itself, because the answer is known to take seconds at most. */
  readonly auto: boolean;
}

export interface Job<T> {
  readonly subject: T | null;
  readonly done: boolean;
  readonly run: RunOut | undefined;
  readonly running: boolean;
  readonly error: unknown;
  readonly start: () => void;
}

/** Reads the subject of a job, follows its run, and reads it again when that ends. */
function useFollowed<T extends Subject>(id: string | null, options: JobOptions<T>) {
  const { keyOf, read } = options;
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: keyOf(id ?? ""),
    queryFn: () => read(id ?? ""),
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const subject = (id === null ? undefined : query.data) ?? null;
  const pending = subject?.status === "succeeded" ? null : (subject?.run ?? null);
  const run = useRun(pending?.id ?? null, pending).data;
  const ended = run !== undefined && !isActiveStatus(run.status);
  const behind = ended && pending !== null && subject?.status !== run.status;

  useEffect(() => {
    if (behind && id !== null) {
      void queryClient.invalidateQueries({ queryKey: keyOf(id), exact: true });
    }
  }, [behind, id, queryClient, keyOf]);

  return {
    subject,
    run: pending === null ? undefined : run,
    running: pending !== null && !ended,
    error: query.error,
  };
}

/** Something that a job computes once: asked for, followed, and there for good. */
export function useJob<T extends Subject>(options: JobOptions<T>): Job<T> {
  const { asked, auto, create, keyOf } = options;
  const queryClient = useQueryClient();
  const begin = useMutation({
    mutationFn: async (key: string) => ({ key, made: await create() }),
    onSuccess: ({ made }) => queryClient.setQueryData(keyOf(made.id), made),
  });
  const id = begin.data?.key === asked ? (begin.data?.made.id ?? null) : null;
  const followed = useFollowed(id, options);
  const asking = useRef<string | null>(null);
  const { mutate } = begin;
  useEffect(() => {
    if (auto && asked !== null && asking.current !== asked) {
      asking.current = asked;
      mutate(asked);
    }
  }, [auto, asked, mutate]);
  return {
    ...followed,
    done: followed.subject?.status === "succeeded",
    running: begin.isPending || followed.running,
    error: begin.variables === asked ? (begin.error ?? followed.error) : null,
    start: () => asked !== null && mutate(asked),
  };
}
