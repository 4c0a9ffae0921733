import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { answer } from "./client";
import {
  DECISIONS,
  decisionQuery,
  type EvaluationIn,
  type EvaluationOut,
  isJob,
  type SimulationOut,
} from "./compare";
import { cancelRun } from "./gen/sdk.gen";
import { isActiveStatus, type RunOut, useRun } from "./runs";

export interface Decision {
  /** The answer that a replay decided; null while there is none, or none is needed. */
  readonly evaluation: EvaluationOut | null;
  /** A replay is under way. */
  readonly pending: boolean;
  /** Its job, where it takes long. */
  readonly run: RunOut | undefined;
  readonly error: unknown;
}

/**
 * Asks for the replay that decides what the model cannot tell, once the controls rest. A
 * question that is superseded is given up: its request, or its job.
 *
 * `model` is the answer of the model to this very point; undefined while it is awaited.
 */
export function useDecision(
  point: EvaluationIn,
  model: EvaluationOut | undefined,
): Decision {
  const needed = model !== undefined && model.check !== null;
  const query = useQuery({ ...decisionQuery(point), enabled: needed });
  const found = needed ? query.data : undefined;
  const job = found !== undefined && isJob(found) ? found.run : null;
  const { run, waiting } = useReplayJob(job);
  return {
    evaluation: found !== undefined && !isJob(found) ? found : null,
    pending: needed && (query.isFetching || waiting),
    run,
    error: needed ? query.error : null,
  };
}

/** Follows the job of a replay, asks anew when it has ended, and cancels it when superseded. */
function useReplayJob(job: RunOut | null) {
  const queryClient = useQueryClient();
  const run = useRun(job?.id ?? null, job).data;
  const active = run !== undefined && isActiveStatus(run.status);
  const succeeded = job !== null && run?.status === "succeeded";

  useEffect(() => {
    if (succeeded) {
      void queryClient.invalidateQueries({ queryKey: DECISIONS });
    }
  }, [succeeded, queryClient]);

  const runId = job?.id;
  useEffect(() => {
    if (runId === undefined) {
      return;
    }
    return () => {
      // Nothing happens to a run that has ended.
      void answer(cancelRun({ path: { run_id: runId }, throwOnError: true })).catch(
        () => undefined,
      );
      queryClient.removeQueries({ queryKey: DECISIONS, predicate: isOfJob });
    };
  }, [runId, queryClient]);

  return {
    run: job === null || succeeded ? undefined : run,
    waiting: job !== null && active,
  };
}

/** A question that a job has yet to answer, which is asked anew when one comes back to it. */
const isOfJob = ({ state }: { readonly state: { readonly data?: unknown } }): boolean =>
  state.data !== undefined && isJob(state.data as EvaluationOut | SimulationOut);
