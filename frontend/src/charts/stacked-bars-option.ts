import { formatShort } from "@/units/quantity";
import { type ChartOption, escapeHtml } from "./option";
import { CHART_FONT, type ColorScheme, chartInk } from "./palette";

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

/** Horizontal bars of any quantity, each the sum of its parts, with the sum at the end. */
export function stackedBarsOption(chart: StackedBarsChart): ChartOption {
  const ink = chartInk(chart.colors);
  const format = chart.format ?? formatShort;
  const present = chart.parts.filter(({ name }) =>
    chart.bars.some((bar) => (bar.parts[name] ?? 0) !== 0),
  );
  return {
    animation: false,
    textStyle: { fontFamily: CHART_FONT },
    grid: {
      left: 8,
      right: 72,
      top: 40,
      bottom: 34,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    legend: {
      type: "scroll",
      top: 0,
      left: 0,
      itemWidth: 14,
      itemHeight: 10,
      textStyle: { color: ink.text },
      pageTextStyle: { color: ink.text },
      pageIconColor: ink.text,
      pageIconInactiveColor: ink.line,
      data: present.map(({ title }) => title),
    },
    tooltip: {
      trigger: "axis",
      axisPointer: { type: "shadow" },
      transitionDuration: 0,
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 13 },
      formatter: (items) => tooltip(items, chart, present, format),
    },
    xAxis: {
      type: "value",
      min: 0,
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
      axisLine: { lineStyle: { color: ink.line } },
      axisLabel: {
        color: ink.text,
        width: 150,
        overflow: "break",
        lineHeight: 15,
        formatter: (title: string) =>
          chart.bars.find((bar) => bar.title === title)?.best
            ? `{best|${title}}`
            : title,
        rich: { best: { fontWeight: "bold", color: ink.text } },
      },
    },
    series: [
      ...present.map((part) => ({
        type: "bar" as const,
        name: part.title,
        stack: "sum",
        barMaxWidth: 26,
        data: chart.bars.map((bar) => bar.parts[part.name] ?? 0),
        // No border: it would cover a segment that is only a pixel or two wide.
        itemStyle: { color: part[chart.colors] },
        emphasis: { disabled: true },
      })),
      {
        type: "scatter" as const,
        name: "Total",
        symbolSize: 0.01,
        silent: true,
        data: chart.bars.map((bar) => ({
          value: [barTotal(bar), bar.title],
          label: { fontWeight: bar.best ? ("bold" as const) : ("normal" as const) },
        })),
        label: {
          show: true,
          position: "right",
          distance: 12,
          color: ink.text,
          formatter: (item) => format((item.value as [number, string])[0]),
        },
      },
    ],
  };
}

function tooltip(
  items: unknown,
  chart: StackedBarsChart,
  parts: readonly BarPart[],
  format: (value: number) => string,
): string {
  const list = Array.isArray(items) ? items : [items];
  const index = (list[0] as { dataIndex?: number } | undefined)?.dataIndex;
  const bar = index === undefined ? undefined : chart.bars[index];
  if (bar === undefined) {
    return "";
  }
  const row = (name: string, value: number, color?: string) =>
    `<div style="display:flex;gap:16px;justify-content:space-between"><span>${
      color === undefined ? "" : `<span style="color:${color}">■</span> `
    }${escapeHtml(name)}</span><b>${escapeHtml(format(value))}</b></div>`;
  const rows = parts.map((part) =>
    row(part.title, bar.parts[part.name] ?? 0, part[chart.colors]),
  );
  return `<div><b>${escapeHtml(bar.title)}</b>, ${escapeHtml(chart.axis)}</div>${rows.join("")}${row("Total", barTotal(bar))}`;
}
