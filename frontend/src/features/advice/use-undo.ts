import { useCallback, useRef, useState } from "react";
import type { AdviceSearch } from "@/questions/advice";
import type { AnalysisSearch } from "@/questions/point";

type Change = AdviceSearch & AnalysisSearch;
type Name = keyof Change;

/** What is looked at, and what was replayed: no part of the question. */
const NOT_ASKED: ReadonlySet<string> = new Set(["checked", "selected", "pins"]);
const MOST_STEPS = 50;

const namesOf = (change: Change): readonly Name[] =>
  (Object.keys(change) as Name[]).filter((name) => !NOT_ASKED.has(name));

/** The values that a change replaces, as a change; null where it changes nothing of the question. */
export function inverse(search: Change, change: Change): Change | null {
  const names = namesOf(change);
  return names.every((name) => search[name] === change[name])
    ? null
    : Object.fromEntries(names.map((name) => [name, search[name]]));
}

/** Changes of the question, and the way back through them for as long as the page stays open. */
export function useUndo(search: Change, patch: (change: Change) => void) {
  const [past, setPast] = useState<readonly Change[]>([]);
  const present = useRef(search);
  present.current = search;
  const change = useCallback(
    (next: Change) => {
      const before = inverse(present.current, next);
      if (before !== null) {
        setPast((steps) => [...steps, before].slice(-MOST_STEPS));
      }
      patch(next);
    },
    [patch],
  );
  const last = past.at(-1);
  return {
    change,
    /** Takes the newest change back; null where there is none. */
    undo:
      last === undefined
        ? null
        : () => {
            setPast(past.slice(0, -1));
            patch(last);
          },
    isLast: past.length === 1,
  };
}
