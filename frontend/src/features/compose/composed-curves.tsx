import { useMemo } from "react";
import type { CompositionOut } from "@/api/compositions";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { type CurveSeries, curveOption } from "@/charts/curve-option";
import type { ColorScheme } from "@/charts/palette";
import {
  bytes,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import { curvesTitle, type Mode, sharingSentence } from "./compose-words";
import { colorOf, drawnOf } from "./members";

const HEIGHT = 360;
const PER_CENT = 100;
const SHOWN_ROWS = 20;
const SHARED = { light: "#364fc7", dark: "#91a7ff" } as const;
const SPLIT = { light: "#a34a00", dark: "#ffb066" } as const;

interface CurvesProps {
  readonly found: CompositionOut;
  readonly mode: Mode;
  /** The size that is looked at. [pages] */
  readonly cursor: number;
  readonly onPick: (pages: number) => void;
}

function seriesOf(
  found: CompositionOut,
  mode: Mode,
  colors: ColorScheme,
): CurveSeries[] {
  const { curves, rows } = found;
  const points = (ratios: readonly number[]) =>
    curves.pages.map((size, at) => [size, PER_CENT * (ratios[at] ?? 0)] as const);
  const { shared_hit_ratios_low: low, shared_hit_ratios_high: high } = curves;
  const band =
    low === null || high === null
      ? {}
      : {
          band: curves.pages.map(
            (size, at) =>
              [size, PER_CENT * (low[at] ?? 0), PER_CENT * (high[at] ?? 0)] as const,
          ),
        };
  const shared: CurveSeries = {
    name: "One shared cache",
    color: SHARED[colors],
    points: points(curves.shared_hit_ratios),
    ...band,
  };
  const split: CurveSeries[] =
    curves.partition_hit_ratios === null
      ? []
      : [
          {
            name: "A part for each",
            color: SPLIT[colors],
            dash: "dashed",
            points: points(curves.partition_hit_ratios),
          },
        ];
  const alone = drawnOf(rows).map(
    (drawn): CurveSeries => ({
      name: `${drawn.row.name} alone`,
      color: colorOf(drawn, colors),
      dash: "dotted",
      points: points(curves.alone[drawn.place]?.hit_ratios ?? []),
    }),
  );
  return mode === "split" ? [...split, shared, ...alone] : [shared, ...split, ...alone];
}

/** The composed curve beside that of each workload. */
export function ComposedCurves({ found, mode, cursor, onPick }: CurvesProps) {
  const colors = useChartColors();
  const option = useMemo(
    () =>
      curveOption({
        series: seriesOf(found, mode, colors),
        pageBytes: bytes(found.page_bytes),
        valueName: "hit ratio [%]",
        valueMax: PER_CENT,
        legend: true,
        formatValue: (value) => `${formatShort(value, 4)} %`,
        markers: [{ name: "chosen", pages: cursor }],
        colors,
      }),
    [found, mode, cursor, colors],
  );
  const { curves, rows } = found;
  const left = rows.length - drawnOf(rows).length;
  return (
    <ChartCard
      title={curvesTitle(found, mode)}
      subtitle={`Hit ratio over the size of the cache, LRU in the steady state [%]: of all accesses in one shared cache and with a part for each; dotted, each workload with the whole cache for itself${curves.shared_hit_ratios_low === null ? "" : "; band: the worst error known of each scale law"}${left === 0 ? "" : ". The busiest workloads are drawn; the table holds all of them"}`}
      label="Hit ratio of several workloads over cache size"
      option={option}
      height={HEIGHT}
      fileName="workloads on one machine"
      sentence={sharingSentence(found)}
      onPick={(size) => onPick(Math.max(1, Math.round(size)))}
      table={() => tableOf(found)}
      explanation={
        <>
          <p>
            Estimator: {found.estimator}. A shared cache holds the pages that were used
            within one time T, the same for all workloads; each workload then misses as
            in a cache of the pages that it holds (Denning and Schwartz, 1972). T is
            found from the size: the pages of all workloads together fill the cache.
          </p>
          <p>
            With a part for each, the next page goes where it saves the most misses per
            second, so that the marginal gain of all parts is equal (Stone, Turek and
            Wolf, 1992).
          </p>
          <p>Valid for: {found.validity}.</p>
        </>
      }
    />
  );
}

function tableOf({ curves, rows, page_bytes }: CompositionOut) {
  const step = Math.max(1, Math.ceil(curves.pages.length / SHOWN_ROWS));
  const columns = [
    curves.shared_hit_ratios,
    ...(curves.partition_hit_ratios === null ? [] : [curves.partition_hit_ratios]),
    ...curves.alone.map(({ hit_ratios }) => hit_ratios),
  ];
  return {
    header: [
      "Cache [pages]",
      "Cache [bytes]",
      "Hit ratio, one shared cache",
      ...(curves.partition_hit_ratios === null ? [] : ["Hit ratio, a part for each"]),
      ...rows.map(({ name }) => `Hit ratio, ${name} alone`),
    ],
    rows: curves.pages.map((size, at) => [
      size,
      size * page_bytes,
      ...columns.map((column) => column[at] ?? null),
    ]),
    shown: curves.pages
      .map((size, at) => [
        formatCount(size),
        formatBytes(bytes(size * page_bytes)),
        ...columns.map((column) => formatPercent(ratio(column[at] ?? 0), 4)),
      ])
      .filter((_, at) => at % step === 0 || at === curves.pages.length - 1),
  };
}
