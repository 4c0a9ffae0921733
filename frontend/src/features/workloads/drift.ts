/** What the windows of a workload say. */
import type { WindowCurves } from "@/api/analyses";
import type { CsvCell } from "@/charts/csv";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, chartInk } from "@/charts/palette";
import {
  bytes,
  bytesOfPages,
  counted,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  pages,
  ratio,
} from "@/units/quantity";

/** From small caches to large ones: light to dark of one hue, in both themes. */
const HUES: Readonly<Record<ColorScheme, readonly string[]>> = {
  light: ["#6d81d8", "#4c63c9", "#364fc7", "#283ea6", "#1b2a75"],
  dark: ["#dbe4ff", "#bac8ff", "#91a7ff", "#748ffc", "#5c7cfa"],
};
const SYMBOLS = ["circle", "rect", "triangle", "diamond", "pin"] as const;

const share = (count: number | undefined, accesses: number | undefined) =>
  accesses === undefined || accesses === 0 ? 0 : (count ?? 0) / accesses;

/** Miss ratios of one size, window by window. */
export function ratiosOf(curves: WindowCurves, size: number): number[] {
  return curves.misses.map((row, window) => share(row[size], curves.accesses[window]));
}

const sizeName = (curves: WindowCurves, size: number) => {
  const count = pages(curves.pages[size] ?? 0);
  return `${formatBytes(bytesOfPages(count, bytes(curves.page_bytes)))} (${formatShort(
    (100 * count) / curves.distinct_pages,
  )} % of pages)`;
};

export function driftSeries(curves: WindowCurves, colors: ColorScheme): LineSeries[] {
  const middles = curves.first_access.map(
    (first, window) => first + (curves.accesses[window] ?? 0) / 2,
  );
  const line = (values: readonly number[]) =>
    values.map((value, window) => [middles[window] ?? 0, 100 * value] as const);
  return [
    ...curves.pages.map(
      (_, size): LineSeries => ({
        name: sizeName(curves, size),
        color: HUES[colors][size % HUES[colors].length] ?? chartInk(colors).text,
        symbol: SYMBOLS[size % SYMBOLS.length] ?? "circle",
        symbolSize: 5,
        points: line(ratiosOf(curves, size)),
      }),
    ),
    {
      name: "First touches",
      color: chartInk(colors).faint,
      dash: "dotted",
      points: line(
        curves.first_references.map((count, window) =>
          share(count, curves.accesses[window]),
        ),
      ),
    },
  ];
}

/** The windows after the first tenth, in which an empty cache still fills. */
const settled = (values: readonly number[]) =>
  values.slice(Math.floor(values.length * WARM_UP));
const WARM_UP = 0.1;
/** Below this, in either way, a movement is no drift. */
const STEADY = { factor: 1.25, points: 0.01 };

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Misses that some larger cache would have hit: first touches left out. */
function avoidable(curves: WindowCurves, size: number): number[] {
  return curves.misses.map((row, window) =>
    share(
      (row[size] ?? 0) - (curves.first_references[window] ?? 0),
      curves.accesses[window],
    ),
  );
}

/** The size whose avoidable misses move most between windows, first tenth left out. */
function restless(curves: WindowCurves) {
  const found = curves.pages.map((_, size) => {
    const values = settled(avoidable(curves, size));
    return { size, low: Math.min(...values), high: Math.max(...values) };
  });
  return found.reduce((one, other) =>
    other.high - other.low > one.high - one.low ? other : one,
  );
}

const percent = (value: number) => formatPercent(ratio(value));

export function driftFinding(curves: WindowCurves): string {
  if (curves.accesses.length < 3) {
    return "Too few windows to see a change";
  }
  const { size, low, high } = restless(curves);
  return high - low < STEADY.points || high <= low * STEADY.factor
    ? `Steady: with ${sizeName(curves, size)}, where they vary most, misses other than first touches stay between ${percent(low)} and ${percent(high)}`
    : `Drift: with ${sizeName(curves, size)}, misses other than first touches move between ${percent(low)} and ${percent(high)}`;
}

export function driftSentence(curves: WindowCurves): string {
  const half = Math.floor(curves.accesses.length / 2);
  const parts = curves.pages.map((_, size) => {
    const values = ratiosOf(curves, size);
    return `${sizeName(curves, size)} ${percent(mean(values.slice(0, half)))} then ${percent(mean(values.slice(half)))}`;
  });
  return `Mean miss ratio of the first and of the second half: ${parts.join(", ")}.`;
}

export function driftTable(curves: WindowCurves) {
  const names = curves.pages.map((count) => `Misses at ${counted(count, "page")}`);
  return {
    header: ["First access", "Accesses", "Writes", "First touches", ...names],
    rows: curves.first_access.map((first, window): CsvCell[] => [
      first,
      curves.accesses[window] ?? null,
      curves.write_accesses[window] ?? null,
      curves.first_references[window] ?? null,
      ...(curves.misses[window] ?? []),
    ]),
    shown: curves.first_access.map((first, window) => [
      formatCount(first),
      formatCount(curves.accesses[window] ?? 0),
      formatCount(curves.write_accesses[window] ?? 0),
      formatCount(curves.first_references[window] ?? 0),
      ...(curves.misses[window] ?? []).map((misses) => formatCount(misses)),
    ]),
  };
}
