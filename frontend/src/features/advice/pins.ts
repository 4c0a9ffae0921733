/** Options of the front by names that stay when the question is asked again. */
import type { AdviceOptionOut } from "@/api/advice";
import { type AdviceSearch, MOST_PINS, pinsText, readPins } from "@/questions/advice";

const TODAY = "what you have";

/** Hardware and how it is run: the same in every answer that has the option. What there is stays it, however it is changed. */
export function optionId(option: AdviceOptionOut): string {
  const { kind, name, scheme, admission, admission_by } = option;
  const behind = [admission, admission_by].filter((each) => each !== null);
  const run = [scheme, ...behind].join(", ");
  return kind === "have" ? TODAY : `${name} [${run}]`;
}

export type Looked = Pick<AdviceSearch, "selected" | "pins">;

/** What the address pins and selects, with the options of this answer. */
export interface Looking<Row> {
  readonly selected: Row | null;
  readonly pinned: readonly Row[];
  /** What is pinned or selected and not on this front. */
  readonly missing: readonly string[];
}

/** Several machines in a name that does not say yet that each has what follows. */
const OF_SEVERAL = /^(?!1 x )([\d,]+ x \S+) with /;

/** The id of today of an option that an earlier address names. */
const ofToday = (id: string): string => id.replace(OF_SEVERAL, "$1, each with ");

export function lookingAt<Row extends { readonly id: string }>(
  looked: Looked,
  rows: readonly Row[],
): Looking<Row> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const { pins } = looked;
  const selected = looked.selected === undefined ? undefined : ofToday(looked.selected);
  const ids = pins === undefined ? [] : (readPins(pins) ?? []).map(ofToday);
  const named = [...ids, ...(selected === undefined ? [] : [selected])];
  return {
    selected: byId.get(selected ?? "") ?? null,
    pinned: ids.flatMap((id) => byId.get(id) ?? []),
    missing: [...new Set(named)].filter((id) => !byId.has(id)),
  };
}

/** The pins after one of them was set or taken off; null where there are as many as may be. */
export function toggled(pinned: readonly string[], id: string): Looked | null {
  if (pinned.includes(id)) {
    return { pins: pinsText(pinned.filter((each) => each !== id)) };
  }
  return pinned.length >= MOST_PINS ? null : { pins: pinsText([...pinned, id]) };
}

/** The sign of a pin, in the chart and above its column. */
export const signOf = (at: number): string =>
  String.fromCharCode("A".charCodeAt(0) + at);
