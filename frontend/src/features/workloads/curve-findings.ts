import type { CurveOut } from "@/api/workloads";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatPagesAndBytes,
  formatPercent,
  formatShort,
  type Pages,
  pages,
  ratio,
} from "@/units/quantity";
import { curveAt } from "./summaries";

export type Curve = Pick<
  CurveOut,
  | "pages"
  | "misses"
  | "write_backs"
  | "accesses"
  | "write_accesses"
  | "tells_writes"
  | "distinct_pages"
  | "page_bytes"
  | "kind"
  | "knees"
  | "knee_method"
> &
  Partial<
    Pick<
      CurveOut,
      | "steady"
      | "described_by"
      | "composed_of"
      | "evidence"
      | "misses_low"
      | "misses_high"
      | "band"
    >
  > & {
    /** What the counts are of; a given curve is of a running system. */
    readonly start?: "steady" | "cold";
  };

/** The curve of a running system, where it was estimated; else the curve as it is. */
export function startedCurve(curve: Curve, start: "steady" | "cold"): Curve {
  const { steady } = curve;
  if (start === "cold" || steady == null) {
    return { ...curve, start };
  }
  const { misses, write_backs, knees } = steady;
  return { ...curve, misses, write_backs, knees, start };
}

/** Hit ratios between which those of a running system lie, `[size, low, high]`. */
export function steadyBand(curve: Curve): [number, number, number][] {
  const { steady, accesses } = curve;
  return curve.pages.map((size, index) => [
    size,
    1 - (steady?.misses_high[index] ?? 0) / accesses,
    1 - (steady?.misses_low[index] ?? 0) / accesses,
  ]);
}

/** The same of a curve without a steady state besides: by scale laws, or by what counters leave open. */
export function lawBand(curve: Curve): [number, number, number][] {
  const { misses_low: low, misses_high: high, accesses, band } = curve;
  if (band !== undefined && band.length > 0) {
    return band.map((row) => [row.pages, 1 - row.high, 1 - row.low]);
  }
  return low == null || high == null
    ? []
    : curve.pages.map((size, index) => [
        size,
        1 - (high[index] ?? 0) / accesses,
        1 - (low[index] ?? 0) / accesses,
      ]);
}

/** A curve whose write-backs are known. */
export type WrittenCurve = Curve & {
  readonly write_backs: readonly number[];
  readonly write_accesses: number;
};

export const hasWrites = (curve: Curve): curve is WrittenCurve =>
  curve.tells_writes && curve.write_backs !== null && curve.write_accesses !== null;

export function hitRatios(curve: Curve): [number, number][] {
  return curve.pages.map((size, index) => [
    size,
    1 - (curve.misses[index] ?? 0) / curve.accesses,
  ]);
}

/** The smallest listed size that reaches a hit ratio, or `null` when none does. */
export function sizeForHitRatio(curve: Curve, wanted: number): Pages | null {
  const found = hitRatios(curve).find(([, value]) => value >= wanted);
  return found === undefined ? null : pages(found[0]);
}

/** The highest knee of the hit-ratio curve, which the server finds. */
export function knee(curve: Curve): Pages | null {
  const highest = curve.knees[0];
  return highest === undefined ? null : pages(highest.pages);
}

const sizeText = (curve: Curve, size: number): string =>
  formatBytes(bytes(size * curve.page_bytes));

/** What a doubling from one size to the next adds to the hit ratio. */
interface Doubling {
  readonly from: number;
  readonly to: number;
  readonly gain: number;
}

function doublingFrom(curve: Curve, from: number): Doubling {
  const to = 2 * from;
  const lost = curveAt(curve.pages, curve.misses, from);
  return {
    from,
    to,
    gain: (lost - curveAt(curve.pages, curve.misses, to)) / curve.accesses,
  };
}

/** The doublings from a size on, as far as the curve is listed. */
function doublingsFrom(curve: Curve, size: number): Doubling[] {
  const last = curve.pages.at(-1) ?? 0;
  const found: Doubling[] = [];
  for (let from = size; 2 * from <= last; from *= 2) {
    found.push(doublingFrom(curve, from));
  }
  return found;
}

/** What doublings beyond the knee still bring, beside the one that led to it. */
function beyondKnee(curve: Curve, bend: number): string {
  const before = doublingFrom(curve, bend / 2).gain;
  const beyond = doublingsFrom(curve, bend);
  const most = beyond.reduce<Doubling | null>(
    (one, other) => (one === null || other.gain > one.gain ? other : one),
    null,
  );
  const percent = (value: number) => formatPercent(ratio(value));
  if (most === null || bend / 2 < (curve.pages[0] ?? 1)) {
    return "";
  }
  return most.gain < before
    ? `: the doubling up to it adds ${percent(before)} of the accesses to the hits, and each later doubling at most ${percent(most.gain)}`
    : `, but a larger cache can pay more: doubling from ${sizeText(curve, most.from)} to ${sizeText(curve, most.to)} adds ${percent(most.gain)} of the accesses to the hits, and the doubling up to the knee ${percent(before)}`;
}

/** Whether the curve was given, and so says nothing but its lines. */
const isGiven = (curve: Curve): boolean =>
  curve.kind === "curve" && curve.described_by == null && curve.composed_of == null;

/** A curve that ends before it holds all pages says nothing of larger caches. */
export const endsEarly = (curve: Curve): boolean =>
  isGiven(curve) || (curve.pages.at(-1) ?? 0) < curve.distinct_pages;

/** "90 % of the accesses hit in 124 MiB; ..." */
export function hitRatioFinding(curve: Curve): string {
  const ceiling = 1 - (curve.misses.at(-1) ?? 0) / curve.accesses;
  if (isGiven(curve)) {
    return `The given curve reaches ${formatPercent(ratio(ceiling))} hits in ${sizeText(curve, curve.pages.at(-1) ?? 0)}`;
  }
  for (const wanted of [0.99, 0.95, 0.9, 0.75, 0.5, 0.25]) {
    const size = sizeForHitRatio(curve, wanted);
    if (size !== null && size < curve.distinct_pages) {
      return `${formatPercent(ratio(wanted))} of the accesses hit in ${sizeText(curve, size)} of cache`;
    }
  }
  return endsEarly(curve)
    ? `Up to ${sizeText(curve, curve.pages.at(-1) ?? 0)} of cache, at most ${formatPercent(ratio(ceiling))} of the accesses hit`
    : `No cache of this workload hits more than ${formatPercent(ratio(ceiling))} of the accesses`;
}

/** From which size on too few accesses could tell. */
function uncertainSentence(curve: Curve): string[] {
  const uncertain = curve.pages.find((_, index) => curve.steady?.uncertain[index]);
  return uncertain === undefined
    ? []
    : [
        `From ${sizeText(curve, uncertain)} on, fewer than 100 accesses show what a full cache hits: the line is a trend there, and the band shows what is possible.`,
      ];
}

/** From what a curve was computed by formula; null where it was measured or given. */
function computedSentence({ described_by, composed_of }: Curve): string | null {
  if (described_by != null) {
    return `Computed from the description “${described_by}”.`;
  }
  return composed_of == null
    ? null
    : `Composed by formula from the curves of ${counted(composed_of.length, "workload")}.`;
}

export function hitRatioSentence(curve: Curve): string {
  const ceiling = 1 - (curve.misses.at(-1) ?? 0) / curve.accesses;
  const bend = knee(curve);
  const parts: string[] = [];
  if (bend !== null) {
    const value = hitRatios(curve).find(([size]) => size === bend)?.[1] ?? 0;
    parts.push(
      `The curve's knee is at ${sizeText(curve, bend)} (${counted(bend, "page")}, ${formatPercent(ratio(value))} hits)${beyondKnee(curve, bend)}.`,
    );
    const others = curve.knees.slice(1).map(({ pages: size }) => sizeText(curve, size));
    if (others.length > 0) {
      parts.push(
        `${others.length === 1 ? "A less marked knee is" : "Less marked knees are"} at ${others.join(", ")}.`,
      );
    }
  }
  if (endsEarly(curve)) {
    parts.push(
      `The curve ends at ${sizeText(curve, curve.pages.at(-1) ?? 0)} with ${formatPercent(ratio(ceiling))} hits; what a larger cache would hit is not known.`,
    );
    return parts.join(" ");
  }
  const computed = computedSentence(curve);
  if (computed !== null) {
    return [...parts, computed].join(" ");
  }
  if (curve.start === "steady") {
    return [...parts, ...uncertainSentence(curve)].join(" ");
  }
  parts.push(
    `${formatPercent(ratio(1 - ceiling))} of the accesses are the first touch of their page, so no cache that starts empty hits more than ${formatPercent(ratio(ceiling))}.`,
  );
  return parts.join(" ");
}

export function writeBackFinding(curve: WrittenCurve): string {
  if (isGiven(curve)) {
    return statedShareFinding(curve);
  }
  if (curve.write_accesses === 0) {
    return "This workload writes nothing, so nothing is ever written back";
  }
  const first = curve.write_backs[0] ?? 0;
  const half = curve.pages.find(
    (_, index) => (curve.write_backs[index] ?? 0) <= first / 2,
  );
  if (first === 0) {
    return counted(
      curve.write_accesses,
      "access writes, but no cache of a listed size writes a page back",
      "accesses write, but no cache of a listed size writes a page back",
    );
  }
  const last = curve.pages.at(-1) ?? 0;
  const smallest = sizeText(curve, curve.pages[0] ?? 0);
  if (half === undefined) {
    return `No listed cache, up to ${sizeText(curve, last)}, halves the write-backs of a cache of ${smallest}`;
  }
  return half >= curve.distinct_pages
    ? `Halving the write-backs of a cache of ${smallest} takes ${sizeText(curve, half)}, which holds every page`
    : `Halving the write-backs of a cache of ${smallest} takes ${sizeText(curve, half)}`;
}

/** Of a given curve: the share of evicted pages that was stated, which is of no accesses. */
function statedShareFinding(curve: WrittenCurve): string {
  const misses = curve.misses[0] ?? 0;
  const share = (curve.write_backs[0] ?? 0) / Math.max(1, misses);
  return share === 0
    ? "No evicted page is dirty, as stated or counted: nothing is ever written back"
    : `${formatPercent(ratio(share))} of the evicted pages are dirty, as stated or counted, at every size`;
}

export function writeBackSentence(curve: WrittenCurve): string {
  if (isGiven(curve)) {
    const [least, most] = [0, curve.pages.length - 1].map(
      (place) =>
        `${formatShort((curve.write_backs[place] ?? 0) / curve.accesses)} write-backs per access at ${sizeText(curve, curve.pages[place] ?? 0)}`,
    );
    return `By this share of the misses: ${least}, ${most}. How many of the accesses write was not recorded.`;
  }
  const first = curve.write_backs[0] ?? 0;
  const bend = knee(curve);
  const index = bend === null ? -1 : curve.pages.indexOf(bend);
  const atKnee = curve.write_backs[index];
  const all = counted(curve.accesses, "access");
  const write = counted(
    curve.write_accesses,
    `of ${all} is a write.`,
    `of ${all} are writes.`,
  );
  const base = `${write} A cache of ${sizeText(curve, curve.pages[0] ?? 0)} would write ${counted(first, "page")} back.`;
  return atKnee === undefined || bend === null
    ? base
    : `${base} A cache of ${sizeText(curve, bend)} would write ${formatCount(atKnee)} back, ${formatShort((100 * atKnee) / Math.max(1, first))} % of that.`;
}

const BETWEEN_SIZES =
  " This size lies between two listed ones, where the curves are drawn straight.";

/** Misses and write-backs of one size: counts where it is listed, else estimates. */
export function sizeSentence(curve: Curve, size: number): string {
  const steady = curve.start === "steady" && curve.steady != null;
  const listed = curve.pages.includes(size);
  const exact = listed && !steady && curve.kind !== "curve";
  const amount = (counts: readonly number[], what: string) => {
    const value = curveAt(curve.pages, counts, size);
    return exact ? counted(value, what) : `about ${counted(formatShort(value), what)}`;
  };
  const counts = hasWrites(curve)
    ? `${amount(curve.misses, "miss")} and ${amount(curve.write_backs, "write-back")}`
    : amount(curve.misses, "miss");
  const text = formatPagesAndBytes(pages(size), bytes(curve.page_bytes));
  const between = listed || curve.kind === "curve" ? "" : BETWEEN_SIZES;
  if (steady) {
    return `In the steady state, an LRU cache of ${text} has ${counts} in ${counted(curve.accesses, "access")}.${between}`;
  }
  return curve.steady == null
    ? `An LRU cache of ${text} has ${counts}.${between}`
    : `An LRU cache of ${text} has ${counts} from a cold start.${between}`;
}

/** About `count` row numbers, evenly spread over the listed sizes, ends included. */
export function sampleRows(length: number, count: number): number[] {
  if (length <= count) {
    return Array.from({ length }, (_, index) => index);
  }
  const rows = Array.from({ length: count }, (_, step) =>
    Math.round((step * (length - 1)) / (count - 1)),
  );
  return [...new Set(rows)];
}
