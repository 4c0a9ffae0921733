import { type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { isReplayJob, type ReplayJob } from "@/api/replay-checks";
import { isActiveStatus, type RunOut, useRun } from "@/api/runs";

/** The run that replays for a check, if it had to be started, and the check again at its end. */
function useReplayJob(found: object | undefined, refetch: () => unknown) {
  const job = found !== undefined && isReplayJob(found) ? found.run : null;
  const run = useRun(job?.id ?? null, job).data;
  const succeeded = run?.status === "succeeded";
  useEffect(() => {
    if (job !== null && succeeded) {
      void refetch();
    }
  }, [job, succeeded, refetch]);
  const isActive = job !== null && (run === undefined || isActiveStatus(run.status));
  return { run: job === null ? undefined : run, isActive };
}

export interface Replaying<Answer> {
  readonly isRunning: boolean;
  readonly error: Error | null;
  /** The job that replays; it stays after it was cancelled or has failed. */
  readonly run: RunOut | undefined;
  readonly checked: Answer | undefined;
  /** Asks again: a run that was cancelled or failed is made again. */
  readonly again: () => void;
}

/** An answer that a replay checks, or the job that replays for it, once it is asked for. */
export function useReplay<Answer extends object, Key extends QueryKey>(
  query: UseQueryOptions<Answer | ReplayJob, Error, Answer | ReplayJob, Key>,
  isAsked: boolean,
): Replaying<Answer> {
  const found = useQuery({ ...query, enabled: isAsked });
  const data = isAsked ? found.data : undefined;
  const job = useReplayJob(data, found.refetch);
  return {
    isRunning: isAsked && (found.isFetching || job.isActive),
    error: isAsked ? found.error : null,
    run: job.run,
    checked: data !== undefined && !isReplayJob(data) ? data : undefined,
    again: () => void found.refetch(),
  };
}
