import type { CustomSeriesRenderItem } from "echarts";
import { formatNumber } from "@/units/quantity";
import { horizontalBars, hoverRow } from "./horizontal-bars";
import { type ChartOption, escapeHtml } from "./option";
import { type ColorScheme, chartInk, schemeMark } from "./palette";

export interface RangeBar {
  readonly scheme: string;
  readonly title: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface RangeBarsChart {
  readonly bars: readonly RangeBar[];
  /** Of the values, with their unit. */
  readonly name: string;
  /** What the ends of the range stand for. */
  readonly lowText: string;
  readonly highText: string;
  readonly colors: ColorScheme;
}

const HALF_WHISKER = 6;

/** Horizontal bars, one a scheme, each with the range in which its value lies. */
export function rangeBarsOption(chart: RangeBarsChart): ChartOption {
  const ink = chartInk(chart.colors);
  return {
    ...horizontalBars({
      bars: chart.bars,
      colors: chart.colors,
      axis: chart.name,
      above: 12,
      right: 96,
      titleWidth: 130,
      hover: (bar) =>
        [
          `<b>${escapeHtml(bar.title)}</b>`,
          hoverRow(chart.name, formatNumber(bar.value)),
          hoverRow(chart.lowText, formatNumber(bar.low)),
          hoverRow(chart.highText, formatNumber(bar.high)),
        ].join(""),
    }),
    series: [
      {
        type: "bar",
        name: chart.name,
        barMaxWidth: 26,
        data: chart.bars.map((bar) => ({
          value: bar.value,
          itemStyle: { color: schemeMark(bar.scheme, chart.colors).color },
        })),
        emphasis: { disabled: true },
      },
      {
        type: "custom",
        name: "range",
        silent: true,
        z: 4,
        data: chart.bars.map((bar, index) => [bar.low, bar.high, index]),
        encode: { x: [0, 1], y: 2 },
        renderItem: whisker(ink.text),
      },
    ],
  };
}

function whisker(color: string): CustomSeriesRenderItem {
  return (_, api) => {
    const at = (value: number) => api.coord([value, Number(api.value(2))]);
    const [left = 0, y = 0] = at(Number(api.value(0)));
    const [right = 0] = at(Number(api.value(1)));
    const line = (x1: number, y1: number, x2: number, y2: number) => ({
      type: "line" as const,
      shape: { x1, y1, x2, y2 },
      style: { stroke: color, lineWidth: 1.8 },
    });
    return {
      type: "group",
      children: [
        line(left, y, right, y),
        line(left, y - HALF_WHISKER, left, y + HALF_WHISKER),
        line(right, y - HALF_WHISKER, right, y + HALF_WHISKER),
        {
          type: "text" as const,
          x: right + 8,
          y,
          style: {
            text: rangeText(Number(api.value(0)), Number(api.value(1))),
            fill: color,
            fontSize: 13,
            verticalAlign: "middle",
          },
        },
      ],
    };
  };
}

/** "1.8 to 5.9", or one figure where both ends are the same. */
export function rangeText(low: number, high: number): string {
  const [from, to] = [low, high].map((end) =>
    end === Number.POSITIVE_INFINITY ? "∞" : formatNumber(end),
  );
  return from === to ? (from ?? "") : `${from} to ${to}`;
}
