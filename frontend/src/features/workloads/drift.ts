/** What the windows of a workload say. */
import type { WindowCurves } from "@/api/analyses";
import type { CsvCell } from "@/charts/csv";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, chartInk } from "@/charts/palette";
import {
  bytes,
  bytesOfPages,
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
const STEADY = 1.25;

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The size whose miss ratio moves most between windows, first tenth left out. */
function restless(curves: WindowCurves) {
  const found = curves.pages.map((_, size) => {
    const values = settled(ratiosOf(curves, size));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return { size, low, high, mean: mean(values) };
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
  const name = sizeName(curves, size);
  return high <= low * STEADY
    ? `Steady: no cache's miss ratio moves by more than a quarter between windows`
    : `The miss ratio moves between ${percent(low)} and ${percent(high)} with ${name}`;
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
  const names = curves.pages.map((count) => `Misses at ${formatCount(count)} pages`);
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
