/** What the charts of horizontal bars share: frame, axes, hover, and the sums at the ends. */
import { formatShort } from "@/units/quantity";
import { type ChartOption, escapeHtml } from "./option";
import { CHART_FONT, type ColorScheme, chartInk } from "./palette";

interface Bar {
  readonly title: string;
  readonly best?: boolean;
  /** Stands beside the others for comparison: outlined and muted. */
  readonly outer?: boolean;
}

interface HorizontalBars<B extends Bar> {
  readonly bars: readonly B[];
  readonly colors: ColorScheme;
  /** Of the values, with their unit. */
  readonly axis: string;
  /** Pixels above the bars, for the legend. */
  readonly above: number;
  /** Pixels to the right of the bars, for what is written there. */
  readonly right: number;
  /** Widest title of a bar, in pixels. */
  readonly titleWidth: number;
  /** Whether a part lies left of 0: the axis then begins before it. */
  readonly negative?: boolean;
  /** What is shown of the bar under the pointer, as HTML. */
  readonly hover: (bar: B) => string;
}

/** All of such a chart but its legend and its series. */
export function horizontalBars<B extends Bar>(chart: HorizontalBars<B>) {
  const ink = chartInk(chart.colors);
  return {
    animation: false,
    textStyle: { fontFamily: CHART_FONT },
    grid: {
      left: 8,
      right: chart.right,
      top: chart.above,
      bottom: 34,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    tooltip: {
      trigger: "axis",
      axisPointer: { type: "shadow" },
      transitionDuration: 0,
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 13 },
      formatter: (items) => {
        const list: unknown[] = Array.isArray(items) ? items : [items];
        const index = (list[0] as { dataIndex?: number } | undefined)?.dataIndex;
        const bar = index === undefined ? undefined : chart.bars[index];
        return bar === undefined ? "" : chart.hover(bar);
      },
    },
    xAxis: {
      type: "value",
      ...(chart.negative ? {} : { min: 0 }),
      name: chart.axis,
      nameLocation: "middle",
      nameGap: 24,
      nameTextStyle: { color: ink.faint },
      axisLabel: {
        color: ink.faint,
        hideOverlap: true,
        formatter: (value: number) => formatShort(value),
      },
      splitLine: { lineStyle: { color: ink.grid } },
    },
    yAxis: {
      type: "category",
      data: chart.bars.map(({ title }) => title),
      inverse: true,
      axisTick: { show: false },
      // Titles stay left of all bars, also of those that begin left of 0.
      axisLine: { onZero: false, lineStyle: { color: ink.line } },
      axisLabel: {
        color: ink.text,
        width: chart.titleWidth,
        overflow: "break",
        lineHeight: 15,
        formatter: (title: string) => {
          const bar = chart.bars.find((one) => one.title === title);
          return bar?.best
            ? `{best|${title}}`
            : bar?.outer
              ? `{outer|${title}}`
              : title;
        },
        rich: {
          best: { fontWeight: "bold", color: ink.text },
          outer: { fontStyle: "italic", color: ink.faint, lineHeight: 15 },
        },
      },
    },
  } satisfies ChartOption;
}

/** The look of a legend above the bars. */
export function barLegend(colors: ColorScheme) {
  const ink = chartInk(colors);
  return {
    top: 0,
    left: 0,
    itemWidth: 14,
    itemHeight: 10,
    textStyle: { color: ink.text },
    pageTextStyle: { color: ink.text },
    pageIconColor: ink.text,
    pageIconInactiveColor: ink.line,
  };
}

/** The look of a part of a bar that stands beside the others for comparison. */
export const outlined = (color: string) => ({
  color: `${color}26`,
  borderColor: color,
  borderWidth: 1.5,
  borderType: "dashed" as const,
});

/** A part of stacked bars, one value a bar; those that are `outer` only outlined. */
export function stackedPart(
  name: string,
  color: string,
  data: readonly number[],
  outer: readonly boolean[] = [],
) {
  return {
    type: "bar" as const,
    name,
    stack: "sum",
    barMaxWidth: 26,
    data: data.map((value, index) =>
      outer[index] && value > 0 ? { value, itemStyle: outlined(color) } : value,
    ),
    // No border: it would cover a segment that is only a pixel or two wide.
    itemStyle: { color },
    emphasis: { disabled: true },
  };
}

/** The sums of stacked bars, written at their right ends: beyond the sum where a part is negative. */
export function sumLabels<B extends Bar>(
  bars: readonly B[],
  sum: (bar: B) => number,
  format: (value: number) => string,
  colors: ColorScheme,
  end: (bar: B) => number = sum,
) {
  return {
    type: "scatter" as const,
    name: "Total",
    symbolSize: 0.01,
    silent: true,
    data: bars.map((bar) => ({
      value: [end(bar), bar.title, sum(bar)] as [number, string, number],
      label: { fontWeight: bar.best ? ("bold" as const) : ("normal" as const) },
    })),
    label: {
      show: true,
      position: "right" as const,
      distance: 12,
      color: chartInk(colors).text,
      formatter: (item: { value?: unknown }) =>
        format((item.value as [number, string, number])[2]),
    },
  };
}

/** A line of what the pointer shows. */
export function hoverRow(name: string, value: string, color?: string): string {
  const mark = color === undefined ? "" : `<span style="color:${color}">■</span> `;
  return `<div style="display:flex;gap:16px;justify-content:space-between"><span>${mark}${escapeHtml(name)}</span><b>${escapeHtml(value)}</b></div>`;
}
