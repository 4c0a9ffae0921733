import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { type AdviceOut, type AdviceQuestion, adviceCheck } from "@/api/advice";
import { isActiveStatus, type RunOut } from "@/api/runs";
import { useReplay } from "@/components/use-replay";

export interface AdviceCheck {
  readonly isRunning: boolean;
  readonly isCancelled: boolean;
  readonly error: Error | null;
  readonly run: RunOut | undefined;
  /** Runs of this check that replay and were seen: replays of what the first ones leave follow them. */
  readonly rounds: number;
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
  const [rounds, forget] = useRounds(adviceId, roundOf(replay.run));
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
    rounds,
    isCancelled: cancelled !== null && cancelled === adviceId,
    isLooking: isAsked && replay.isRunning && replay.run === undefined,
    canStart: adviceId !== null,
    start: () => {
      setCancelled(null);
      forget();
      if (isAsked) {
        replay.again();
      } else if (adviceId !== null) {
        name(adviceId);
      }
    },
  };
}

const NO_RUNS: readonly string[] = [];

/** A check may have categories of pages counted between its replays: that run replays nothing. */
const countsCategories = ({ kind }: Pick<RunOut, "kind">): boolean =>
  kind === "category_counts";

/** The run that is a round of replays; null where it is none. */
const roundOf = (run: RunOut | undefined): string | null =>
  run === undefined || countsCategories(run) ? null : run.id;

/** How many runs a check has had, each replaying what those before it leave; and what starts the count again. */
function useRounds(of: string | null, run: string | null) {
  const [seen, setSeen] = useState({ of, runs: NO_RUNS });
  useEffect(() => {
    if (run !== null) {
      setSeen((before) => {
        const runs = before.of === of ? before.runs : NO_RUNS;
        return { of, runs: runs.includes(run) ? runs : [...runs, run] };
      });
    }
  }, [of, run]);
  const forget = useCallback(() => setSeen({ of: null, runs: NO_RUNS }), []);
  return [seen.of === of ? seen.runs.length : 0, forget] as const;
}

/**
 * What a check does now, as the heading of its part of the page; null where none goes on. Between
 * two runs, and after the last, the answer is computed: that no run goes on does not end it.
 */
export function underway({
  isRunning,
  run,
  rounds,
}: Pick<AdviceCheck, "isRunning" | "run" | "rounds">): string | null {
  if (!isRunning) {
    return null;
  }
  if (run === undefined) {
    return "Being checked by replay";
  }
  if (countsCategories(run)) {
    return isActiveStatus(run.status)
      ? "Counting categories"
      : "Computing the answer from the counts of categories";
  }
  // The title of a run ends with how many replays it makes.
  const replays = run.title.split(", ").at(-1) ?? run.title;
  if (isActiveStatus(run.status)) {
    return `Being replayed${rounds > 1 ? `, round ${rounds}` : ""}: ${replays}`;
  }
  return rounds > 1
    ? `Computing the answer from the replays of ${rounds} rounds`
    : `Computing the answer from ${replays}`;
}
