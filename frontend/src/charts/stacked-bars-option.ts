import { formatShort } from "@/units/quantity";
import {
  barLegend,
  horizontalBars,
  hoverRow,
  stackedPart,
  sumLabels,
} from "./horizontal-bars";
import { type ChartOption, escapeHtml } from "./option";
import type { ColorScheme } from "./palette";

export interface BarPart {
  readonly name: string;
  readonly title: string;
  readonly light: string;
  readonly dark: string;
}

export interface StackedBar {
  readonly title: string;
  /** By name of the part, in the axis' unit. */
  readonly parts: Readonly<Record<string, number>>;
  readonly best?: boolean;
}

export interface StackedBarsChart {
  readonly bars: readonly StackedBar[];
  /** In the order in which they are stacked. */
  readonly parts: readonly BarPart[];
  /** Of the values, with their unit. */
  readonly axis: string;
  readonly format?: (value: number) => string;
  readonly colors: ColorScheme;
}

export const barTotal = (bar: StackedBar): number =>
  Object.values(bar.parts).reduce((sum, value) => sum + value, 0);

/** Where a bar ends on the right: parts below 0 lie left of it. */
const barEnd = (bar: StackedBar): number =>
  Object.values(bar.parts).reduce((sum, value) => sum + Math.max(value, 0), 0);

/** Horizontal bars of any quantity, each the sum of its parts, with the sum at the end. */
export function stackedBarsOption(chart: StackedBarsChart): ChartOption {
  const written = chart.format ?? formatShort;
  const format = (value: number) =>
    value < 0 ? `−${written(-value)}` : written(value);
  const present = chart.parts.filter(({ name }) =>
    chart.bars.some((bar) => (bar.parts[name] ?? 0) !== 0),
  );
  return {
    ...horizontalBars({
      bars: chart.bars,
      colors: chart.colors,
      axis: chart.axis,
      above: 40,
      right: 72,
      titleWidth: 150,
      negative: chart.bars.some((bar) => barEnd(bar) !== barTotal(bar)),
      hover: (bar) => {
        const rows = present.map((part) =>
          hoverRow(part.title, format(bar.parts[part.name] ?? 0), part[chart.colors]),
        );
        rows.push(hoverRow("Total", format(barTotal(bar))));
        return `<div><b>${escapeHtml(bar.title)}</b>, ${escapeHtml(chart.axis)}</div>${rows.join("")}`;
      },
    }),
    legend: {
      ...barLegend(chart.colors),
      type: "scroll",
      data: present.map(({ title }) => title),
    },
    series: [
      ...present.map((part) =>
        stackedPart(
          part.title,
          part[chart.colors],
          chart.bars.map((bar) => bar.parts[part.name] ?? 0),
        ),
      ),
      sumLabels(chart.bars, barTotal, format, chart.colors, barEnd),
    ],
  };
}
