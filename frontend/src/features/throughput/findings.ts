/** Series, tables and words of throughput. */
import type { ThroughputOut } from "@/api/throughput";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, chartInk, schemeMark } from "@/charts/palette";
import { valueColumn } from "@/components/columns";
import type { DirtyEndName } from "@/components/dirty-end";
import type { Varied } from "@/questions/throughput";
import { formatCount, formatNumber, formatShort } from "@/units/quantity";

export type SchemeColumns = ThroughputOut["schemes"][number];
export type Measure = "throughput" | "response";

export const VARIED_TITLES: Readonly<Record<Varied, string>> = {
  clients: "Clients",
  disks: "Disks",
  flash_devices: "Flash devices",
  flash_pages: "Flash size",
};

export const VARIED_UNITS: Readonly<Record<Varied, string>> = {
  clients: "clients",
  disks: "disks",
  flash_devices: "flash devices",
  flash_pages: "flash [pages]",
};

/** Times of the answer, in the unit in which people read them. */
export const inMs = (times_us: readonly number[]): number[] =>
  times_us.map((time) => time / 1000);

const values = (scheme: SchemeColumns, measure: Measure) =>
  measure === "throughput" ? scheme.throughput_per_s : inMs(scheme.response_us);

const bounds = (scheme: SchemeColumns, measure: Measure) =>
  measure === "throughput"
    ? scheme.throughput_bound_per_s
    : inMs(scheme.response_bound_us);

const known = (
  xs: readonly number[],
  ys: readonly (number | null)[],
): (readonly [number, number])[] =>
  xs.flatMap((x, index) => {
    const y = ys[index] ?? null;
    return y === null || x <= 0 ? [] : [[x, y] as const];
  });

export const bestOf = (found: ThroughputOut): SchemeColumns | undefined =>
  found.schemes.find((scheme) => scheme.scheme === found.best[found.at]);

/** The answer with the columns of the end that is to be drawn. */
export const atEnd = (found: ThroughputOut, end: DirtyEndName): ThroughputOut =>
  end === "least" && found.least !== null ? { ...found, schemes: found.least } : found;

/** Every scheme by MVA; the asymptotic bound of the best one beside them. */
export function throughputSeries(
  found: ThroughputOut,
  measure: Measure,
  colors: ColorScheme,
): LineSeries[] {
  const best = bestOf(found);
  return [
    ...found.schemes.map((scheme): LineSeries => {
      const mark = schemeMark(scheme.scheme, colors);
      return {
        name: scheme.title,
        color: mark.color,
        points: known(found.points, values(scheme, measure)),
      };
    }),
    ...(best === undefined
      ? []
      : [
          {
            name: `Bound for ${best.title}`,
            color: chartInk(colors).text,
            dash: "dotted" as const,
            points: known(found.points, bounds(best, measure)),
          },
        ]),
    ...found.schemes.map((scheme): LineSeries => {
      const mark = schemeMark(scheme.scheme, colors);
      return {
        name: scheme.title,
        color: mark.color,
        symbol: mark.shape,
        symbolSize: 11,
        line: false,
        points: known([found.present], [values(scheme, measure)[found.at] ?? null]),
      };
    }),
  ];
}

/** The knee of the best scheme, where it lies among the points. */
export function kneeMarkers(found: ThroughputOut) {
  const best = bestOf(found);
  const knee =
    found.varied === "clients"
      ? (best?.knee_clients[found.at] ?? null)
      : found.varied === "disks"
        ? (best?.knee_disks ?? null)
        : null;
  const first = found.points[0] ?? 0;
  const last = found.points.at(-1) ?? 0;
  return knee === null || knee < first || knee > last
    ? []
    : [{ name: `knee ${formatShort(knee)}`, x: knee }];
}

export function throughputTable(found: ThroughputOut, measure: Measure): ChartTable {
  const best = bestOf(found);
  const unit = measure === "throughput" ? "1/s" : "ms";
  return chartTable(found.points, [
    valueColumn(VARIED_TITLES[found.varied], (point) => point, formatCount),
    ...found.schemes.map((scheme) =>
      valueColumn(
        `${scheme.title} [${unit}]`,
        (_: number, index) => values(scheme, measure)[index] ?? null,
        formatNumber,
      ),
    ),
    valueColumn(
      best === undefined ? `Bound [${unit}]` : `Bound for ${best.title} [${unit}]`,
      (_, index) =>
        best === undefined ? null : (bounds(best, measure)[index] ?? null),
      formatNumber,
    ),
  ]);
}

const LIMITS: Readonly<Record<string, string>> = {
  clients: "clients",
  cpu: "processors",
  flash: "flash",
  disk: "disks",
};

export const limitTitle = (limit: string | null) =>
  limit === null ? "nothing" : (LIMITS[limit] ?? limit);
