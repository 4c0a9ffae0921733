import type { CompositionOut } from "@/api/compositions";
import {
  bytes,
  counted,
  formatBytes,
  formatPercent,
  formatShort,
  listed,
  ratio,
} from "@/units/quantity";

export type Mode = "shared" | "split";

const percent = (share: number): string => formatPercent(ratio(share));

type Sized = Pick<CompositionOut, "ram_pages" | "page_bytes">;

export const cacheText = ({ ram_pages, page_bytes }: Sized): string =>
  formatBytes(bytes(ram_pages * page_bytes));

/** What the curves show at the chosen size. */
export function curvesTitle(
  found: Sized & Pick<CompositionOut, "shared_miss_ratio" | "partition_miss_ratio">,
  mode: Mode,
): string {
  const split = found.partition_miss_ratio;
  return mode === "split" && split !== null
    ? `${cacheText(found)} split into a part for each hits ${percent(1 - split)} of all accesses`
    : `One shared cache of ${cacheText(found)} hits ${percent(1 - found.shared_miss_ratio)} of all accesses`;
}

type Compared = Pick<
  CompositionOut,
  | "better"
  | "saved_share"
  | "close"
  | "known_error"
  | "shared_misses_per_s"
  | "partition_misses_per_s"
>;

/** What one shared cache gains or loses against a part for each. */
export function sharingSentence(found: Compared): string {
  const { better, saved_share: saved, partition_misses_per_s: split } = found;
  if (better === null || saved === null || split === null) {
    return "Nothing misses in one shared cache, so a part for each can save nothing.";
  }
  const rates = `${formatShort(split)} instead of ${formatShort(found.shared_misses_per_s)} per second`;
  const within = found.close
    ? `, which is within the error of the composition (${percent(found.known_error)})`
    : "";
  switch (better) {
    case "equal":
      return `Sharing neither gains nor loses: a part for each has as many misses, ${formatShort(split)} per second.`;
    case "shared":
      return `Sharing gains: a part for each would have ${percent(-saved)} more misses, ${rates}${within}.`;
    default:
      return `Sharing loses: a part for each would have ${percent(saved)} fewer misses, ${rates}${within}.`;
  }
}

/** How far a composition was off where it was measured. */
export const errorSentence = ({
  known_error,
}: Pick<CompositionOut, "known_error">): string =>
  `In replays of merged traces, the misses of a shared cache of at least 1 % of all pages were at most ${percent(known_error)} off.`;

const MOST_NAMED = 3;
const MOST_CHARACTERS = 200;

/** "Orders and logs in one cache" */
export function usualName(names: readonly string[]): string {
  const text = `${
    names.length <= MOST_NAMED ? listed(names) : counted(names.length, "workload")
  } in one cache`;
  return text.length <= MOST_CHARACTERS
    ? text
    : `${counted(names.length, "workload")} in one cache`;
}
