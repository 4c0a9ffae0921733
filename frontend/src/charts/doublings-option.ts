import { formatPercent, ratio } from "@/units/quantity";
import { type ChartOption, escapeHtml, topLegend } from "./option";
import { CHART_FONT, type ColorScheme, chartInk } from "./palette";

export interface DoublingsSeries {
  readonly name: string;
  readonly color: string;
  /** Shares, one for each doubling; stacked. */
  readonly shares: readonly number[];
}

export interface DoublingsChart {
  /** Lower end of each doubling, as it stands on the axis. */
  readonly labels: readonly string[];
  /** "64 KiB to below 128 KiB", for the tooltip. */
  readonly ranges: readonly string[];
  readonly bars: readonly DoublingsSeries[];
  readonly axisName: string;
  readonly valueName: string;
  readonly cumulativeName: string;
  readonly colors: ColorScheme;
}

export const runningSum = (shares: readonly number[]): number[] => {
  let sum = 0;
  return shares.map((share) => {
    sum += share;
    return sum;
  });
};

/** A distribution by doublings: stacked bars, and the share up to each as a line. */
export function doublingsOption(chart: DoublingsChart): ChartOption {
  const ink = chartInk(chart.colors);
  const percent = (values: readonly number[]) => values.map((value) => 100 * value);
  const totals = chart.labels.map((_, at) =>
    chart.bars.reduce((sum, bar) => sum + (bar.shares[at] ?? 0), 0),
  );
  return {
    animation: false,
    textStyle: { fontFamily: CHART_FONT },
    grid: { left: 52, right: 20, top: 58, bottom: 52 },
    legend: {
      ...topLegend(chart.colors),
      itemHeight: 9,
      itemWidth: 16,
    },
    tooltip: {
      trigger: "axis",
      transitionDuration: 0,
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 13 },
      axisPointer: { type: "shadow" },
      formatter: (items) => tooltip(items, chart, totals),
    },
    xAxis: {
      type: "category",
      data: [...chart.labels],
      name: chart.axisName,
      nameLocation: "middle",
      nameGap: 30,
      nameTextStyle: { color: ink.faint },
      axisLine: { lineStyle: { color: ink.line } },
      axisTick: { show: false },
      axisLabel: { color: ink.faint, hideOverlap: true },
    },
    yAxis: {
      type: "value",
      min: 0,
      max: 100,
      name: chart.valueName,
      nameTextStyle: { color: ink.faint, align: "left", padding: [0, 0, 0, -44] },
      axisLabel: { color: ink.faint },
      splitLine: { lineStyle: { color: ink.grid } },
    },
    series: [
      ...chart.bars.map((bar) => ({
        type: "bar" as const,
        name: bar.name,
        stack: "share",
        barCategoryGap: "12%",
        data: percent(bar.shares),
        itemStyle: { color: bar.color },
        emphasis: { disabled: true },
      })),
      {
        type: "line" as const,
        name: chart.cumulativeName,
        data: percent(runningSum(totals)),
        symbol: "circle",
        symbolSize: 5,
        lineStyle: { width: 2, color: ink.text },
        itemStyle: { color: ink.text },
        emphasis: { disabled: true },
      },
    ],
  };
}

function tooltip(
  items: unknown,
  chart: DoublingsChart,
  totals: readonly number[],
): string {
  const list = Array.isArray(items) ? items : [items];
  const at = (list[0] as { dataIndex?: number } | undefined)?.dataIndex;
  if (at === undefined) {
    return "";
  }
  const row = (name: string, value: number | undefined, mark: string) =>
    `<div style="display:flex;gap:16px;justify-content:space-between"><span>${mark}${escapeHtml(name)}</span><b>${formatPercent(ratio(value ?? 0))}</b></div>`;
  const bars = chart.bars.map((bar) =>
    row(bar.name, bar.shares[at], `<span style="color:${bar.color}">■</span> `),
  );
  return `<div><b>${escapeHtml(chart.ranges[at] ?? "")}</b></div>${bars.join("")}${row(chart.cumulativeName, runningSum(totals)[at], "● ")}`;
}
