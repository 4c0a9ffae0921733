import type { CustomSeriesRenderItem } from "echarts";
import {
  type Bytes,
  bytes,
  bytesOfPages,
  counted,
  formatBytes,
  formatCount,
  formatShort,
  pages,
} from "@/units/quantity";
import { byteTicks, valueTicks } from "./log-axis";
import { markLine } from "./mark-line";
import { type ChartOption, escapeHtml, topLegend } from "./option";
import { CHART_FONT, type ColorScheme, chartInk, type MarkerShape } from "./palette";

export interface CurveSeries {
  readonly name: string;
  readonly color: string;
  readonly dashed?: boolean;
  /** Marks every point: for values that were counted, not drawn through. */
  readonly symbol?: MarkerShape;
  /** Line pattern, where one colour stands for several variants. */
  readonly dash?: "solid" | "dashed" | "dotted";
  /** `[size in pages, value]`, sizes strictly increasing. */
  readonly points: readonly (readonly [number, number])[];
  /** `[size in pages, low, high]`: a band around the line, named in the tooltip. */
  readonly band?: readonly Interval[];
}

type Interval = readonly [number, number, number];

/** A line over the same sizes in another unit, read off the axis at the right. */
export interface SecondSeries {
  readonly name: string;
  readonly color: string;
  readonly dash?: "solid" | "dashed" | "dotted";
  /** Marks its points, which are named in the legend and not in the tooltip. */
  readonly symbol?: MarkerShape;
  /** Each value holds up to the next size. */
  readonly step?: boolean;
  /** `[size in pages, value above 0]`, sizes increasing. */
  readonly points: readonly (readonly [number, number])[];
}

/** A logarithmic axis at the right. */
export interface SecondAxis {
  /** With its unit. */
  readonly name: string;
  readonly series: readonly SecondSeries[];
  readonly formatValue: (value: number) => string;
}

export interface SizeMarker {
  readonly name: string;
  readonly pages: number;
}

export interface CurveChart {
  readonly series: readonly CurveSeries[];
  readonly pageBytes: Bytes;
  /** Axis name with its unit, for example "hit ratio [%]". */
  readonly valueName: string;
  readonly valueMax?: number;
  /** Lets the value axis begin above zero, which the subtitle then says. */
  readonly valueFromData?: boolean;
  /** Axis name of the sizes; "cache size [bytes, pages]" unless given. */
  readonly sizeName?: string;
  /** Shows the legend; on by default with more than one series. */
  readonly legend?: boolean;
  readonly formatValue: (value: number) => string;
  readonly markers?: readonly SizeMarker[];
  readonly second?: SecondAxis;
  readonly colors: ColorScheme;
}

interface TooltipPoint {
  readonly seriesName?: string;
  readonly color?: unknown;
  readonly value?: unknown;
}

/** Curves over a cache size in pages, on a logarithmic axis labelled in bytes and pages. */
export function curveOption(chart: CurveChart): ChartOption {
  const ink = chartInk(chart.colors);
  const sizes = chart.series.flatMap((series) => series.points.map(([size]) => size));
  const ticks = byteTicks(
    Math.max(1, Math.min(...sizes)),
    Math.max(...sizes, 2),
    chart.pageBytes,
  );
  const label = (size: number) => {
    const text = formatBytes(bytesOfPages(pages(size), chart.pageBytes));
    // Pages of another size than a power of two do not fill one.
    return Number.isInteger(size) ? `${text}\n${formatCount(size)}` : text;
  };
  const second = secondOf(chart);
  const legend = chart.legend ?? (chart.series.length > 1 || second.series.length > 0);
  return {
    animation: false,
    textStyle: { fontFamily: CHART_FONT },
    // A legend stands above the name of the axis, not on it.
    grid: { left: 56, right: second.room, top: legend ? 58 : 36, bottom: 64 },
    legend: {
      show: legend,
      ...topLegend(chart.colors),
      itemHeight: 8,
      data: [...chart.series, ...(chart.second?.series ?? [])].map(({ name }) => name),
    },
    tooltip: {
      trigger: "axis",
      // Several long names do not fit beside the pointer on a narrow screen.
      confine: true,
      transitionDuration: 0,
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 13 },
      axisPointer: { type: "line", lineStyle: { color: ink.faint } },
      formatter: (items) => curveTooltip(items as TooltipPoint[], chart),
    },
    xAxis: {
      type: "log",
      min: ticks.min,
      max: ticks.max,
      name: chart.sizeName ?? "cache size [bytes, pages]",
      nameLocation: "middle",
      nameGap: 46,
      nameTextStyle: { color: ink.faint },
      axisLine: { lineStyle: { color: ink.line } },
      axisLabel: {
        color: ink.faint,
        customValues: [...ticks.major],
        formatter: (value: number) => label(value),
        hideOverlap: true,
        lineHeight: 15,
      },
      axisTick: {
        customValues: [...ticks.all],
        length: 4,
        lineStyle: { color: ink.line },
      },
      splitLine: { show: false },
    },
    yAxis: [
      {
        type: "value",
        ...(chart.valueFromData === true ? { scale: true } : { min: 0 }),
        ...(chart.valueMax === undefined ? {} : { max: chart.valueMax }),
        name: chart.valueName,
        nameTextStyle: { color: ink.faint, align: "left", padding: [0, 0, 0, -44] },
        axisLabel: {
          color: ink.faint,
          formatter: (value: number) => formatShort(value),
        },
        splitLine: { lineStyle: { color: ink.grid } },
      },
      ...second.axes,
    ],
    series: [
      ...chart.series.flatMap(bandOf),
      ...chart.series.map((series, index) => ({
        type: "line" as const,
        name: series.name,
        data: series.points.map(([x, y]) => [x, y]),
        showSymbol: series.symbol !== undefined,
        ...(series.symbol === undefined
          ? {}
          : { symbol: series.symbol, symbolSize: 8 }),
        lineStyle: {
          width: 2,
          color: series.color,
          type: series.dash ?? (series.dashed ? "dashed" : "solid"),
        },
        itemStyle: { color: series.color },
        emphasis: { disabled: true },
        ...(index === 0
          ? markLine(markersOf(chart), { ...ticks, log: true }, ink.faint)
          : {}),
      })),
      ...second.series,
    ],
  };
}

const MARGIN = 24;
const SECOND_ROOM = 68;
/** A level line at the top would lie on the frame. */
const HEADROOM = 2;

/** The axis at the right with its lines; nothing where none is asked for. */
function secondOf({ second, colors }: CurveChart) {
  const values = (second?.series ?? []).flatMap(({ points }) =>
    points.map(([, value]) => value),
  );
  if (second === undefined || values.length === 0) {
    return { axes: [], series: [], room: MARGIN };
  }
  const ink = chartInk(colors);
  const ticks = valueTicks(Math.min(...values), HEADROOM * Math.max(...values));
  return {
    room: SECOND_ROOM,
    axes: [
      {
        type: "log" as const,
        position: "right" as const,
        min: ticks.min,
        max: ticks.max,
        name: second.name,
        nameTextStyle: {
          color: ink.faint,
          align: "right" as const,
          padding: [0, 8 - SECOND_ROOM, 0, 0],
        },
        axisLine: { show: true, lineStyle: { color: ink.line } },
        axisLabel: {
          color: ink.faint,
          customValues: [...ticks.major],
          formatter: (value: number) => formatShort(value),
        },
        axisTick: { show: true, customValues: [...ticks.major], length: 4 },
        // The lines of the grid are those of the axis at the left.
        splitLine: { show: false },
      },
    ],
    series: second.series.map((series) => ({
      type: "line" as const,
      yAxisIndex: 1,
      name: series.name,
      data: series.points.map(([x, y]) => [x, y]),
      ...(series.step === true ? { step: "end" as const } : {}),
      showSymbol: series.symbol !== undefined,
      ...(series.symbol === undefined ? {} : { symbol: series.symbol, symbolSize: 13 }),
      lineStyle: { width: 2, color: series.color, type: series.dash ?? "solid" },
      itemStyle: { color: series.color },
      // Its values are read off at the sizes of the curve, see `curveTooltip`.
      tooltip: { show: false },
      emphasis: { disabled: true },
      z: 3,
    })),
  };
}

/** The value that holds at a size; `undefined` outside of the line. */
export function valueHeld(
  { points }: Pick<SecondSeries, "points">,
  size: number,
): number | undefined {
  const last = points.at(-1);
  return last === undefined || size > last[0]
    ? undefined
    : points.findLast(([from]) => from <= size)?.[1];
}

/** The band of a series as one shape below its line. */
function bandOf({ name, color, band = [] }: CurveSeries) {
  if (band.length === 0) {
    return [];
  }
  const lows = band.map(([size, low]) => [size, low]);
  const highs = band.map(([size, , high]) => [size, high]).reverse();
  const outline = [...lows, ...highs];
  const renderItem: CustomSeriesRenderItem = (params, api) =>
    // All points are data, so that the axis holds them; the first draws the shape.
    params.dataIndex > 0
      ? null
      : {
          type: "polygon",
          shape: { points: outline.map((point) => api.coord(point)) },
          style: { fill: color, opacity: BAND_OPACITY },
        };
  return [
    {
      type: "custom" as const,
      name: `${name}, interval`,
      silent: true,
      clip: true,
      tooltip: { show: false },
      data: outline,
      renderItem,
    },
  ];
}

const BAND_OPACITY = 0.22;

const markersOf = ({ markers = [] }: CurveChart) =>
  markers.map(({ name, pages: x }) => ({ name, x }));

function intervalText(chart: CurveChart, name: string | undefined, size: number) {
  const series = chart.series.find((one) => one.name === name);
  const interval = series?.band?.find(([place]) => place === size);
  return interval === undefined
    ? ""
    : ` (${chart.formatValue(interval[1])} to ${chart.formatValue(interval[2])})`;
}

function curveTooltip(items: readonly TooltipPoint[], chart: CurveChart): string {
  const points = items.filter((item) => Array.isArray(item.value));
  const first = points[0]?.value as [number, number] | undefined;
  if (first === undefined) {
    return "";
  }
  const head = `${counted(first[0], "page")} · ${formatBytes(
    bytesOfPages(pages(first[0]), bytes(chart.pageBytes)),
  )}`;
  const rows = points.map((item) => {
    const value = (item.value as [number, number])[1];
    const color = typeof item.color === "string" ? item.color : "currentColor";
    return tooltipRow(
      color,
      item.seriesName ?? "",
      `${chart.formatValue(value)}${intervalText(chart, item.seriesName, first[0])}`,
    );
  });
  return `<div>${head}</div>${rows.join("")}${secondRows(chart, first[0])}`;
}

const tooltipRow = (color: string, name: string, value: string): string =>
  `<div style="display:flex;gap:12px;justify-content:space-between"><span style="color:${color}">● <span style="color:inherit">${escapeHtml(name)}</span></span><b>${value}</b></div>`;

function secondRows({ second }: CurveChart, size: number): string {
  return (second?.series ?? [])
    .flatMap((series) => {
      const value = valueHeld(series, size);
      return second === undefined || value === undefined || series.symbol !== undefined
        ? []
        : [tooltipRow(series.color, series.name, second.formatValue(value))];
    })
    .join("");
}
