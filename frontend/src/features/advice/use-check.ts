import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type AdviceOut, type AdviceQuestion, adviceCheck } from "@/api/advice";
import type { RunOut } from "@/api/runs";
import { useReplay } from "@/components/use-replay";

export interface AdviceCheck {
  readonly isRunning: boolean;
  readonly isCancelled: boolean;
  readonly error: Error | null;
  readonly run: RunOut | undefined;
  /** The advice by the replays of its finalists, once these are there. */
  readonly checked: AdviceOut | undefined;
  /** It is not known yet whether all replays were made before. */
  readonly isLooking: boolean;
  /** There is an answer to the present question that can be replayed; not while it is asked again. */
  readonly canStart: boolean;
  readonly start: () => void;
}

/**
 * The check of the advice that the address names: asked for by a press, and again where an address
 * is opened that names it. Another question has another advice, which is not checked before a press.
 */
export function useCheck(
  question: AdviceQuestion,
  /** Of the advice by the model, where it recommends something that can be replayed. */
  adviceId: string | null,
  named: string | undefined,
  name: (adviceId: string | undefined) => void,
): AdviceCheck {
  const queries = useQueryClient();
  const [cancelled, setCancelled] = useState<string | null>(null);
  const query = adviceCheck(question);
  const isAsked = adviceId !== null && adviceId === named;
  const replay = useReplay<AdviceOut, (string | AdviceQuestion)[]>(query, isAsked);
  const wasCancelled = replay.run?.status === "cancelled";
  useEffect(() => {
    // What was cancelled is not started again by opening the address again.
    if (wasCancelled && adviceId !== null) {
      setCancelled(adviceId);
      name(undefined);
      queries.removeQueries({ queryKey: adviceCheck(question).queryKey });
    }
  }, [wasCancelled, adviceId, name, queries, question]);
  return {
    ...replay,
    isCancelled: cancelled !== null && cancelled === adviceId,
    isLooking: isAsked && replay.isRunning && replay.run === undefined,
    canStart: adviceId !== null,
    start: () => {
      setCancelled(null);
      if (isAsked) {
        replay.again();
      } else if (adviceId !== null) {
        name(adviceId);
      }
    },
  };
}
