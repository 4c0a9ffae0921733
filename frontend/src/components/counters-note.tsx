import { createContext, type ReactNode, useContext } from "react";
import type { EvidenceOut } from "@/api/gen/types.gen";

/** What every file that leaves a page says of a curve from counters. */
export type CountersNote = Pick<EvidenceOut, "title"> &
  Partial<Pick<EvidenceOut, "range" | "gap">>;

const Note = createContext<CountersNote | null>(null);

/** Names the class of a curve in every export inside; `null` where no curve from counters is behind them. */
export function FromCounters(props: {
  readonly evidence: CountersNote | null | undefined;
  readonly children: ReactNode;
}) {
  return <Note.Provider value={props.evidence ?? null}>{props.children}</Note.Provider>;
}

export const useCountersNote = (): CountersNote | null => useContext(Note);

/** "Evidence: ages. Speaks of 1 GiB to 64 GiB. Gap: 10 % fewer misses." */
export function countersText(note: CountersNote): string {
  return [
    `Evidence: ${note.title}.`,
    note.range === undefined ? "" : `Speaks of ${note.range}.`,
    note.gap === undefined || note.gap === "" ? "" : `Gap: ${note.gap}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

const CLASSES: Readonly<Record<string, string>> = {
  curve_from_points: "points",
  curve_from_ages: "ages",
  curve_from_one_point: "one point",
};
export const NOT_FROM_COUNTERS = "not from counters";

/** The class that the cautions of an answer name. */
export function classNamed(
  cautions: readonly { readonly name?: string; readonly code?: string }[],
): CountersNote | null {
  const found = cautions
    .map(({ code, name }) => CLASSES[code ?? name ?? ""])
    .find((title) => title !== undefined);
  return found === undefined ? null : { title: found };
}
