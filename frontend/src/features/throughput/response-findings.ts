/** Series and tables of response times. */
import type { ResponseTimes } from "@/api/response";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, schemeMark } from "@/charts/palette";
import { valueColumn } from "@/components/columns";
import { formatMicroseconds, formatNumber, microseconds } from "@/units/quantity";

export type SchemeRow = ResponseTimes["rows"][number];
type Columns = ResponseTimes["columns"][number];

const US_PER_MS = 1000;

/** A time of a row: a lower bound where no latency of what is read is stated, but for a RAM hit, which takes no time. */
export const timeText = (
  { without_latency: tiers }: Pick<SchemeRow, "without_latency">,
  time_us: number,
): string =>
  `${tiers.length > 0 && time_us > 0 ? "≥ " : ""}${formatMicroseconds(microseconds(time_us))}`;

/** The fastest scheme at the rate that decides; where none carries it, the one that carries most. */
export function shownScheme(found: ResponseTimes): string | undefined {
  if (found.best !== null) {
    return found.best;
  }
  const largest = ({ largest_accesses_per_s }: SchemeRow) =>
    largest_accesses_per_s ?? Number.POSITIVE_INFINITY;
  return found.rows.reduce<SchemeRow | undefined>(
    (most, row) => (most === undefined || largest(row) > largest(most) ? row : most),
    undefined,
  )?.scheme;
}

const inMs = (
  rates: readonly number[],
  times_us: readonly (number | null)[],
): (readonly [number, number])[] =>
  rates.flatMap((rate, index) => {
    const time = times_us[index] ?? null;
    // What takes no time has no place on a logarithmic axis.
    return time === null || time <= 0 ? [] : [[rate, time / US_PER_MS] as const];
  });

/** The 99th percentile of every scheme; median and mean of the one that is shown. */
export function responseSeries(
  found: ResponseTimes,
  colors: ColorScheme,
): LineSeries[] {
  const line = (
    { scheme, title }: Columns,
    what: string,
    times: readonly (number | null)[],
    dash: LineSeries["dash"],
  ): LineSeries => ({
    name: `${title}, ${what}`,
    color: schemeMark(scheme, colors).color,
    dash: dash ?? "solid",
    points: inMs(found.points_per_s, times),
  });
  const shown = shownScheme(found);
  return found.columns
    .flatMap((scheme) => [
      line(scheme, "99 %", scheme.p99_us, "solid"),
      ...(scheme.scheme === shown
        ? [
            line(scheme, "median", scheme.p50_us, "dotted"),
            line(scheme, "mean", scheme.mean_us, "dashed"),
          ]
        : []),
    ])
    .filter(({ points }) => points.length > 0);
}

/** The rates in question, where they are in view. */
export function rateMarkers(found: ResponseTimes) {
  const last = found.points_per_s.at(-1) ?? 0;
  return found.rates
    .filter(({ accesses_per_s }) => accesses_per_s <= last)
    .map(({ name, accesses_per_s }) => ({ name, x: accesses_per_s }));
}

export function responseTable(found: ResponseTimes): ChartTable {
  return chartTable(found.points_per_s, [
    valueColumn("Accesses [1/s]", (rate) => rate, formatNumber),
    ...found.columns.flatMap(({ title, mean_us, p50_us, p99_us }) =>
      (
        [
          ["mean", mean_us],
          ["median", p50_us],
          ["99 %", p99_us],
        ] as const
      ).map(([what, times]) =>
        valueColumn(
          `${title}, ${what} [µs]`,
          (_: number, index) => times[index] ?? null,
          formatNumber,
        ),
      ),
    ),
  ]);
}
