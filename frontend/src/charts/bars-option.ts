import { formatMicroseconds, formatShort, microseconds } from "@/units/quantity";
import { type ChartOption, escapeHtml } from "./option";
import {
  CHART_FONT,
  COST_TERM_ORDER,
  type ColorScheme,
  chartInk,
  costTermColor,
  costTermTitle,
  schemeMark,
} from "./palette";

export interface SchemeBar {
  readonly scheme: string;
  readonly title: string;
  /** µs per access, by cost term. */
  readonly terms: Readonly<Record<string, number>>;
  readonly total: number;
  /** Simulated total, µs per access, where a check has run. */
  readonly simulated?: number | undefined;
  readonly best?: boolean;
}

export interface BarsChart {
  readonly bars: readonly SchemeBar[];
  readonly colors: ColorScheme;
  /** What the markers are, where they are no simulation. */
  readonly markerName?: string;
}

const MARKER_NAME = "Simulated";

/** Terms in their fixed order, then whatever the server added since. */
export function termsOf(bars: readonly SchemeBar[]): string[] {
  const present = new Set(bars.flatMap((bar) => Object.keys(bar.terms)));
  const known = COST_TERM_ORDER.filter((term) => present.has(term));
  const further = [...present].filter((term) => !COST_TERM_ORDER.includes(term)).sort();
  return [...known, ...further];
}

/** Horizontal stacked bars, one per scheme, best first at the top. */
export function barsOption(chart: BarsChart): ChartOption {
  const ink = chartInk(chart.colors);
  const terms = termsOf(chart.bars);
  const titles = chart.bars.map((bar) => bar.title);
  const markerName = chart.markerName ?? MARKER_NAME;
  const simulated = chart.bars.flatMap((bar) =>
    bar.simulated === undefined
      ? []
      : [{ bar, mark: schemeMark(bar.scheme, chart.colors), value: bar.simulated }],
  );
  return {
    animation: false,
    textStyle: { fontFamily: CHART_FONT },
    grid: {
      left: 8,
      right: 64,
      top: 62,
      bottom: 34,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    legend: {
      top: 0,
      left: 0,
      itemWidth: 14,
      itemHeight: 10,
      textStyle: { color: ink.text },
      data: [
        ...terms.map(costTermTitle),
        ...(simulated.length > 0 ? [markerName] : []),
      ],
    },
    tooltip: {
      trigger: "axis",
      axisPointer: { type: "shadow" },
      transitionDuration: 0,
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 13 },
      formatter: (items) => barsTooltip(items, chart, terms),
    },
    xAxis: {
      type: "value",
      min: 0,
      name: "I/O time per access [µs]",
      nameLocation: "middle",
      nameGap: 24,
      nameTextStyle: { color: ink.faint },
      axisLabel: { color: ink.faint, formatter: (value: number) => formatShort(value) },
      splitLine: { lineStyle: { color: ink.grid } },
    },
    yAxis: {
      type: "category",
      data: titles,
      inverse: true,
      axisTick: { show: false },
      axisLine: { lineStyle: { color: ink.line } },
      axisLabel: {
        color: ink.text,
        width: 96,
        overflow: "break",
        lineHeight: 15,
        formatter: (title: string) => {
          const bar = chart.bars.find((candidate) => candidate.title === title);
          return bar?.best ? `{best|${title}}` : title;
        },
        rich: { best: { fontWeight: "bold", color: ink.text } },
      },
    },
    series: [
      ...terms.map((term) => ({
        type: "bar" as const,
        name: costTermTitle(term),
        stack: "cost",
        barMaxWidth: 26,
        data: chart.bars.map((bar) => bar.terms[term] ?? 0),
        // No border: it would cover a segment that is only a pixel or two wide.
        itemStyle: { color: costTermColor(term, chart.colors) },
        emphasis: { disabled: true },
      })),
      {
        type: "scatter" as const,
        name: "Total",
        symbolSize: 0.01,
        silent: true,
        data: chart.bars.map((bar) => ({
          value: [bar.total, bar.title],
          label: { fontWeight: bar.best ? ("bold" as const) : ("normal" as const) },
        })),
        label: {
          show: true,
          position: "right",
          distance: 12,
          color: ink.text,
          formatter: (item) =>
            formatMicroseconds(microseconds((item.value as [number, string])[0])),
        },
      },
      ...(simulated.length === 0
        ? []
        : [
            {
              type: "scatter" as const,
              name: markerName,
              z: 5,
              symbolSize: 13,
              itemStyle: { color: ink.text },
              data: simulated.map(({ bar, mark, value }) => ({
                value: [value, bar.title],
                symbol: mark.shape,
                itemStyle: {
                  color: mark.color,
                  borderColor: ink.text,
                  borderWidth: 2,
                },
              })),
            },
          ]),
    ],
  };
}

function barsTooltip(
  items: unknown,
  chart: BarsChart,
  terms: readonly string[],
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
    }${escapeHtml(name)}</span><b>${formatMicroseconds(microseconds(value))}</b></div>`;
  const rows = terms.map((term) =>
    row(costTermTitle(term), bar.terms[term] ?? 0, costTermColor(term, chart.colors)),
  );
  const simulated =
    bar.simulated === undefined
      ? ""
      : row(chart.markerName ?? MARKER_NAME, bar.simulated);
  return `<div><b>${escapeHtml(bar.title)}</b>, µs per access</div>${rows.join("")}${row("Total", bar.total)}${simulated}`;
}
