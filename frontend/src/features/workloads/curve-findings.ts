import type { CurveOut } from "@/api/workloads";
import {
  bytes,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  type Pages,
  pages,
  ratio,
} from "@/units/quantity";

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
>;

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

/** "90 % of the accesses hit in 124 MiB; ..." */
export function hitRatioFinding(curve: Curve): string {
  const ceiling = 1 - (curve.misses.at(-1) ?? 0) / curve.accesses;
  if (curve.kind === "curve") {
    return `The given curve reaches ${formatPercent(ratio(ceiling))} hits in ${sizeText(curve, curve.pages.at(-1) ?? 0)}`;
  }
  for (const wanted of [0.99, 0.95, 0.9, 0.75, 0.5, 0.25]) {
    const size = sizeForHitRatio(curve, wanted);
    if (size !== null && size < curve.distinct_pages) {
      return `${formatPercent(ratio(wanted))} of the accesses hit in ${sizeText(curve, size)} of cache`;
    }
  }
  return `No cache of this workload hits more than ${formatPercent(ratio(ceiling))} of the accesses`;
}

export function hitRatioSentence(curve: Curve): string {
  const ceiling = 1 - (curve.misses.at(-1) ?? 0) / curve.accesses;
  const bend = knee(curve);
  const parts: string[] = [];
  if (bend !== null) {
    const value = hitRatios(curve).find(([size]) => size === bend)?.[1] ?? 0;
    parts.push(
      `The curve's knee is at ${sizeText(curve, bend)} (${formatCount(bend)} pages, ${formatPercent(ratio(value))} hits): beyond it each doubling brings less.`,
    );
    const others = curve.knees.slice(1).map(({ pages: size }) => sizeText(curve, size));
    if (others.length > 0) {
      parts.push(`Smaller knees: ${others.join(", ")}.`);
    }
  }
  if (curve.kind === "curve") {
    parts.push(
      `The curve ends at ${sizeText(curve, curve.pages.at(-1) ?? 0)} with ${formatPercent(ratio(ceiling))} hits; what a larger cache would hit is not known.`,
    );
    return parts.join(" ");
  }
  parts.push(
    `${formatPercent(ratio(1 - ceiling))} of the accesses are the first touch of their page, so no cache hits more than ${formatPercent(ratio(ceiling))}.`,
  );
  return parts.join(" ");
}

export function writeBackFinding(curve: WrittenCurve): string {
  if (curve.write_accesses === 0) {
    return "This workload writes nothing, so nothing is ever written back";
  }
  const first = curve.write_backs[0] ?? 0;
  const half = curve.pages.find(
    (_, index) => (curve.write_backs[index] ?? 0) <= first / 2,
  );
  return half === undefined || half >= curve.distinct_pages
    ? "Write-backs fall only near the whole footprint"
    : `${sizeText(curve, half)} of cache absorbs half of the write-backs`;
}

export function writeBackSentence(curve: WrittenCurve): string {
  const first = curve.write_backs[0] ?? 0;
  const bend = knee(curve);
  const index = bend === null ? -1 : curve.pages.indexOf(bend);
  const atKnee = curve.write_backs[index];
  const base = `${formatCount(curve.write_accesses)} of ${formatCount(curve.accesses)} accesses write. A cache of one page would write ${formatCount(first)} pages back`;
  return atKnee === undefined || bend === null
    ? `${base}.`
    : `${base}, one of ${sizeText(curve, bend)} ${formatCount(atKnee)}, ${formatShort((100 * atKnee) / Math.max(1, first))} % of that.`;
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
