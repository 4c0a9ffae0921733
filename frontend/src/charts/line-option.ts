import { formatShort } from "@/units/quantity";
import { logTicks } from "./log-axis";
import { markLine, type PlaceMarker, type Span } from "./mark-line";
import { type ChartOption, escapeHtml, topLegend } from "./option";
import { CHART_FONT, type ColorScheme, chartInk, type MarkerShape } from "./palette";

export interface LineSeries {
  readonly name: string;
  readonly color: string;
  readonly dash?: "solid" | "dashed" | "dotted";
  /** Marks every point; without it only the line is drawn. */
  readonly symbol?: MarkerShape;
  readonly symbolSize?: number;
  /** Off for values that were counted one by one: markers, no line between them. */
  readonly line?: boolean;
  /** Each value holds from its point up to the next, or from the one before up to its own. */
  readonly step?: "onwards" | "up to it";
  /** Hollow markers, for points that are beside the matter. */
  readonly hollow?: boolean;
  readonly points: readonly (readonly [number, number])[];
  /** What stands beside each point. */
  readonly labels?: readonly string[];
}

export interface LineAxis {
  /** With its unit, for example "miss ratio [%]". */
  readonly name: string;
  readonly log?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** Lets the axis begin where the data does, which the subtitle then says. */
  readonly fromData?: boolean;
  readonly format: (value: number) => string;
}

export interface LineChart {
  readonly series: readonly LineSeries[];
  readonly x: LineAxis;
  readonly y: LineAxis;
  readonly markers?: readonly PlaceMarker[];
  readonly colors: ColorScheme;
}

interface TooltipPoint {
  readonly seriesName?: string;
  readonly color?: unknown;
  readonly value?: unknown;
}

/** A logarithmic axis without a place for one of its values, or without a value, is linear. */
function drawable(axis: LineAxis, values: readonly number[]): LineAxis {
  const low = axis.min ?? Math.min(...values);
  const high = axis.max ?? Math.max(...values);
  if (axis.log !== true || (low > 0 && high >= low && Number.isFinite(high))) {
    return axis;
  }
  const { log: _log, min: _min, ...linear } = axis;
  return linear;
}

/** Lines and markers over any quantity, on a linear or a logarithmic axis. */
export function lineOption(stated: LineChart): ChartOption {
  const values = (at: 0 | 1) =>
    stated.series.flatMap(({ points }) => points.map((point) => point[at]));
  const chart = {
    ...stated,
    x: drawable(stated.x, values(0)),
    y: drawable(stated.y, values(1)),
  };
  const ink = chartInk(chart.colors);
  const across = spanOf(chart);
  return {
    animation: false,
    textStyle: { fontFamily: CHART_FONT },
    grid: { left: 64, right: 24, top: 58, bottom: 48 },
    legend: {
      show: chart.series.length > 1,
      ...topLegend(chart.colors),
      itemHeight: 9,
    },
    tooltip: {
      trigger: "axis",
      transitionDuration: 0,
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 13 },
      axisPointer: { type: "line", lineStyle: { color: ink.faint } },
      formatter: (items) => tooltip(items as TooltipPoint[], chart),
    },
    xAxis: {
      ...xAxis(chart),
      nameLocation: "middle",
      nameGap: 28,
      nameTextStyle: { color: ink.faint },
      axisLine: { show: true, lineStyle: { color: ink.line } },
      splitLine: { show: false },
    },
    yAxis: {
      ...yAxis(chart),
      name: chart.y.name,
      nameTextStyle: { color: ink.faint, align: "left", padding: [0, 0, 0, -56] },
      splitLine: { lineStyle: { color: ink.grid } },
    },
    series: chart.series.map((series, index) => ({
      type: "line" as const,
      name: series.name,
      data: series.points.map(([x, y], at) => ({
        value: [x, y],
        ...labelOf(series, at, ink.faint),
      })),
      ...stepOf(series),
      showSymbol: series.symbol !== undefined,
      symbol: series.symbol ?? "none",
      symbolSize: series.symbolSize ?? 8,
      lineStyle: {
        width: series.line === false ? 0 : 2,
        color: series.color,
        type: series.dash ?? "solid",
      },
      itemStyle:
        series.hollow === true
          ? { color: ink.paper, borderColor: series.color, borderWidth: 1.5 }
          : { color: series.color },
      emphasis: { disabled: true },
      ...(index === 0 ? markLine(chart.markers ?? [], across, ink.faint) : {}),
    })),
  };
}

const STEPS = { onwards: "end", "up to it": "start" } as const;

const stepOf = ({ step }: LineSeries) =>
  step === undefined ? {} : { step: STEPS[step] };

function labelOf(series: LineSeries, at: number, color: string) {
  const text = series.labels?.[at];
  return text === undefined
    ? {}
    : { label: { show: true, formatter: text, position: "top" as const, color } };
}

function yAxis({ y, series, colors }: LineChart) {
  const axisLabel = {
    color: chartInk(colors).faint,
    formatter: (value: number) => formatShort(value),
  };
  if (y.log === true) {
    const values = series.flatMap(({ points }) => points.map(([, value]) => value));
    const ticks = logTicks(y.min ?? Math.min(...values), y.max ?? Math.max(...values));
    return {
      type: "log" as const,
      min: ticks.min,
      max: ticks.max,
      axisLabel: { ...axisLabel, customValues: [...ticks.major] },
    };
  }
  return {
    type: "value" as const,
    ...(y.fromData === true ? { scale: true } : { min: y.min ?? 0 }),
    ...(y.max === undefined ? {} : { max: y.max }),
    axisLabel: {
      ...axisLabel,
      showMinLabel: y.min === undefined,
      showMaxLabel: y.max === undefined || Number.isInteger(y.max),
    },
  };
}

/** What the axis across shows at least. */
function spanOf({ x, series }: LineChart): Span {
  const values = series.flatMap(({ points }) => points.map(([value]) => value));
  const log = x.log === true;
  const max = x.max ?? Math.max(0, ...values);
  return log
    ? { ...logTicks(x.min ?? Math.min(...values), max), log }
    : { min: x.min ?? 0, max, log };
}

function xAxis({ x, series, colors }: LineChart) {
  const ink = chartInk(colors);
  const axisLabel = { color: ink.faint, hideOverlap: true, formatter: x.format };
  if (x.log !== true) {
    return {
      type: "value" as const,
      name: x.name,
      min: x.min ?? 0,
      ...(x.max === undefined ? {} : { max: x.max }),
      axisLabel,
      axisTick: { show: true, lineStyle: { color: ink.line } },
    };
  }
  const values = series.flatMap(({ points }) => points.map(([value]) => value));
  const ticks = logTicks(x.min ?? Math.min(...values), x.max ?? Math.max(...values));
  return {
    type: "log" as const,
    name: x.name,
    min: ticks.min,
    max: ticks.max,
    axisLabel: { ...axisLabel, customValues: [...ticks.major] },
    axisTick: {
      show: true,
      customValues: [...ticks.all],
      length: 4,
      lineStyle: { color: ink.line },
    },
  };
}

function tooltip(items: readonly TooltipPoint[], chart: LineChart): string {
  const points = items.filter((item) => Array.isArray(item.value));
  const first = points[0]?.value as [number, number] | undefined;
  if (first === undefined) {
    return "";
  }
  const seen = new Set<string>();
  const rows = points.flatMap((item) => {
    const name = item.seriesName ?? "";
    if (seen.has(name)) {
      return [];
    }
    seen.add(name);
    const value = (item.value as [number, number])[1];
    const color = chart.series.find((series) => series.name === name)?.color ?? "";
    return [
      `<div style="display:flex;gap:12px;justify-content:space-between"><span><span style="color:${color}">●</span> ${escapeHtml(name)}</span><b>${chart.y.format(value)}</b></div>`,
    ];
  });
  return `<div>${escapeHtml(chart.x.format(first[0]))}</div>${rows.join("")}`;
}
