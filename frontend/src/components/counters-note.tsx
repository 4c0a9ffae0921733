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

const ENVELOPE = "upper envelope";

type Named = Parameters<typeof classNamed>[0];

/** Whether an answer rests on a curve from counters. */
export const isFromCounters = (cautions: Named): boolean =>
  classNamed(cautions) !== null;

/** The class that the cautions of an answer name, with the envelope where they say that the counts are maxima. */
export function classNamed(
  cautions: readonly {
    readonly name?: string;
    readonly code?: string;
    readonly message?: string;
  }[],
): CountersNote | null {
  for (const { code, name, message = "" } of cautions) {
    const title = CLASSES[code ?? name ?? ""];
    if (title !== undefined) {
      return { title: message.includes(ENVELOPE) ? `${title}, ${ENVELOPE}` : title };
    }
  }
  return null;
}
