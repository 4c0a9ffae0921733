import type { CustomSeriesRenderItem } from "echarts";
import { byteTicks, logTicks } from "./log-axis";
import { type ChartOption, escapeHtml } from "./option";
import { CHART_FONT, type ColorScheme, chartInk, schemeMark } from "./palette";

export interface MapAxis {
  /** With its unit. */
  readonly name: string;
  /** Grid points, rising. */
  readonly values: readonly number[];
  readonly log: boolean;
  readonly format: (value: number) => string;
  /** Of a size in pages that is read in bytes: ticks at powers of two. */
  readonly pageBytes?: number | undefined;
}

/** A point of the map that was replayed. */
export interface MapMark {
  readonly x: number;
  readonly y: number;
  /** Scheme or flash cache that is fastest by replay; null where none has a time. */
  readonly best: { readonly of: string; readonly title: string } | null;
  /** Whether the model names another page-flow scheme. */
  readonly differs: boolean;
  /** Of the tooltip: a heading, then lines. */
  readonly words: readonly [string, ...string[]];
}

/** In the legend of pictures. */
export const DIFFERS = "\u2260 the model names another scheme";
const UNKNOWN_MARK = "?";

export interface SchemeMapChart {
  readonly x: MapAxis;
  readonly y: MapAxis;
  readonly schemes: readonly { readonly scheme: string; readonly title: string }[];
  /** Index into `schemes` by row of y and column of x; -1: none fits. */
  readonly best: readonly (readonly number[])[];
  /** Share of the runner-up that the winner saves; null draws the winner alone. */
  readonly margin: readonly (readonly (number | null)[])[] | null;
  readonly tooClose: readonly (readonly boolean[])[] | null;
  readonly lines: readonly {
    readonly schemes: readonly [string, string];
    readonly points: readonly (readonly [number, number])[];
  }[];
  readonly here: {
    readonly x: number;
    readonly y: number;
    readonly label: string;
  } | null;
  /** Points by replay, over the cells of the model. */
  readonly marks?: readonly MapMark[];
  readonly colors: ColorScheme;
  /** A legend inside, for exported pictures. */
  readonly legend?: boolean;
}

/** Bands of the margin: from which share on, how strong the colour, and in words. */
export const MARGIN_BANDS = [
  { from: 0.2, opacity: 0.95, text: "20 % or more below the runner-up" },
  { from: 0.05, opacity: 0.68, text: "5 to 20 % below" },
  { from: 0.01, opacity: 0.42, text: "1 to 5 % below" },
  { from: 0, opacity: 0.2, text: "less than 1 % below" },
] as const;

const CLOSE = 1;

export function bandOf(margin: number | null): number {
  if (margin === null) {
    return 0;
  }
  const found = MARGIN_BANDS.findIndex((band) => margin >= band.from);
  return found < 0 ? MARGIN_BANDS.length - 1 : found;
}

/** Ends of the cells around the grid points; the first and the last are cut at the axis. */
export function cellEdges(axis: MapAxis): number[] {
  const { values, log } = axis;
  const middles = values.slice(1).map((value, index) => {
    const before = values[index] ?? value;
    return log ? Math.sqrt(before * value) : (before + value) / 2;
  });
  return [values[0] ?? 0, ...middles, values.at(-1) ?? 1];
}

/** `[x0, x1, y0, y1, scheme, band, close]`: neighbours in a row that look alike are one. */
export type Run = readonly [number, number, number, number, number, number, number];

export function runsOf(chart: SchemeMapChart): Run[] {
  const xs = cellEdges(chart.x);
  const ys = cellEdges(chart.y);
  const runs: Run[] = [];
  chart.best.forEach((row, rowIndex) => {
    const look = (column: number) =>
      [
        row[column] ?? -1,
        chart.margin === null ? 0 : bandOf(chart.margin[rowIndex]?.[column] ?? null),
        chart.tooClose?.[rowIndex]?.[column] === true ? CLOSE : 0,
      ] as const;
    let start = 0;
    for (let column = 1; column <= row.length; column += 1) {
      const [scheme, band, close] = look(start);
      if (column < row.length && String(look(column)) === String(look(start))) {
        continue;
      }
      runs.push([
        xs[start] ?? 0,
        xs[column] ?? 0,
        ys[rowIndex] ?? 0,
        ys[rowIndex + 1] ?? 0,
        scheme,
        band,
        close,
      ]);
      start = column;
    }
  });
  return runs;
}

/** Who wins where: cells coloured by winner, lines between regions, and where you are. */
export function schemeMapOption(chart: SchemeMapChart): ChartOption {
  const ink = chartInk(chart.colors);
  const color = (index: number) => {
    const scheme = chart.schemes[index];
    return scheme === undefined
      ? ink.grid
      : schemeMark(scheme.scheme, chart.colors).color;
  };
  return {
    animation: false,
    textStyle: { fontFamily: CHART_FONT },
    grid: { left: 78, right: 24, top: topOf(chart), bottom: 50 },
    legend: {
      show: chart.legend === true,
      top: 0,
      left: 0,
      icon: "rect",
      textStyle: { color: ink.text },
      data: [...chart.schemes.map(({ title }) => title), ...markLegend(chart)],
    },
    tooltip: {
      trigger: "item",
      transitionDuration: 0,
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 13 },
      formatter: (item) => {
        const { value, data } = item as {
          value?: unknown;
          data?: { words?: MapMark["words"] };
        };
        return data?.words === undefined ? tooltip(value, chart) : said(...data.words);
      },
    },
    xAxis: { ...axisOption(chart.x, chart.colors), nameGap: 28 },
    yAxis: { ...axisOption(chart.y, chart.colors), nameGap: 60 },
    series: [
      {
        type: "custom",
        name: "winner",
        data: runsOf(chart).map((run) => [...run]),
        encode: { x: [0, 1], y: [2, 3] },
        renderItem: renderCell(color, ink.text),
        clip: true,
      },
      ...chart.lines.map((line) => ({
        type: "line" as const,
        name: line.schemes.join(" = "),
        data: line.points.map(([x, y]) => [x, y]),
        showSymbol: false,
        silent: true,
        lineStyle: { color: ink.text, width: 1.6 },
        tooltip: { show: false },
        emphasis: { disabled: true },
        z: 4,
      })),
      ...markSeries(chart, ink),
      ...hereSeries(chart, ink),
      // Names for the legend of pictures; they draw nothing.
      ...chart.schemes.map(({ scheme, title }) => ({
        type: "scatter" as const,
        name: title,
        data: [],
        itemStyle: { color: schemeMark(scheme, chart.colors).color },
      })),
    ],
  };
}

function renderCell(
  color: (index: number) => string,
  text: string,
): CustomSeriesRenderItem {
  return (_, api) => {
    const value = (dimension: number) => Number(api.value(dimension));
    const [left = 0, bottom = 0] = api.coord([value(0), value(2)]);
    const [right = 0, top = 0] = api.coord([value(1), value(3)]);
    // Whole pixels: neighbours neither overlap nor leave a seam.
    const shape = {
      x: Math.round(left),
      y: Math.round(top),
      width: Math.round(right) - Math.round(left),
      height: Math.round(bottom) - Math.round(top),
    };
    const opacity = MARGIN_BANDS[value(5)]?.opacity ?? 1;
    const cell = {
      type: "rect" as const,
      shape,
      style: { fill: color(value(4)), opacity },
    };
    if (value(6) !== CLOSE) {
      return cell;
    }
    return {
      type: "group" as const,
      children: [
        cell,
        {
          type: "rect" as const,
          shape,
          silent: true,
          style: {
            fill: "rgba(0, 0, 0, 0)",
            opacity: 0.4,
            // Hatched: another scheme is within the error of the model.
            decal: {
              symbol: "rect",
              color: text,
              backgroundColor: "transparent",
              dashArrayX: [1, 0],
              dashArrayY: [1, 5],
              rotation: -Math.PI / 4,
            },
          },
        },
      ],
    };
  };
}

/** Room above the cells: for the axis, a legend, or one of two lines. */
function topOf({ legend, marks = [] }: SchemeMapChart): number {
  if (legend !== true) {
    return 30;
  }
  return marks.length === 0 ? 46 : 68;
}

/** What a legend names besides the schemes of the map. */
function markLegend({ schemes, marks = [], colors }: SchemeMapChart) {
  const known = new Set(schemes.map(({ title }) => title));
  const others = new Map(
    marks.flatMap(({ best }) =>
      best === null || known.has(best.title) ? [] : [[best.title, best.of]],
    ),
  );
  return [
    ...[...others].map(([name, of]) => ({ name, icon: schemeMark(of, colors).shape })),
    ...(marks.some(({ differs }) => differs) ? [{ name: DIFFERS, icon: "none" }] : []),
  ];
}

/** The fastest by replay, each in a frame: round, or square with a sign where the model names another. */
function markSeries(chart: SchemeMapChart, ink: ReturnType<typeof chartInk>) {
  const { marks = [] } = chart;
  const winners = new Map(
    marks.flatMap(({ best }) => (best === null ? [] : [[best.of, best.title]])),
  );
  const frame = (name: string, differs: boolean) => ({
    type: "scatter" as const,
    name,
    symbol: differs ? "rect" : "circle",
    symbolSize: 24,
    z: 5,
    emphasis: { disabled: true },
    itemStyle: {
      color: ink.paper,
      borderColor: ink.text,
      borderWidth: differs ? 2.5 : 1,
      opacity: 1,
    },
    data: marks
      .filter((mark) => mark.differs === differs)
      .map(({ x, y, best, words }) => ({
        value: [x, y],
        words,
        label: {
          show: differs || best === null,
          position: differs ? ("right" as const) : ("inside" as const),
          distance: 3,
          formatter: differs ? DIFFERS.slice(0, 1) : UNKNOWN_MARK,
          color: ink.text,
          fontWeight: "bold" as const,
          ...(differs
            ? {
                backgroundColor: ink.paper,
                padding: [1, 3],
                borderRadius: 2,
                fontSize: 15,
              }
            : {}),
        },
      })),
  });
  return marks.length === 0
    ? []
    : [
        frame("replayed", false),
        frame(DIFFERS, true),
        ...[...winners].map(([of, name]) => {
          const { color, shape } = schemeMark(of, chart.colors);
          return {
            type: "scatter" as const,
            name,
            symbol: shape,
            // A pin stands with its tip on the point; in a frame it is centred.
            ...(shape === "pin"
              ? { symbolSize: 19, symbolOffset: [0, 6] }
              : { symbolSize: 14 }),
            z: 6,
            emphasis: { disabled: true },
            itemStyle: { color, opacity: 1 },
            data: marks
              .filter(({ best }) => best?.of === of)
              .map(({ x, y, words }) => ({ value: [x, y], words })),
          };
        }),
      ];
}

function hereSeries(chart: SchemeMapChart, ink: ReturnType<typeof chartInk>) {
  const { here } = chart;
  if (here === null) {
    return [];
  }
  const mark = (symbol: string, size: number, fill: string, border: string) => ({
    type: "scatter" as const,
    name: here.label,
    data: [[here.x, here.y]],
    symbol,
    symbolSize: size,
    silent: true,
    z: 6,
    itemStyle: { color: fill, borderColor: border, borderWidth: 2.5, opacity: 1 },
  });
  return [
    {
      ...mark("circle", 17, ink.paper, ink.text),
      label: {
        show: true,
        position: place(chart, here.x),
        distance: 6,
        formatter: here.label,
        color: ink.text,
        backgroundColor: ink.paper,
        padding: [2, 5],
        borderRadius: 3,
        fontWeight: "bold" as const,
      },
    },
    mark("circle", 5, ink.text, ink.text),
  ];
}

/** Beside the mark where there is room for the words. */
function place(chart: SchemeMapChart, x: number): "left" | "right" | "top" {
  const { values, log } = chart.x;
  const scale = (value: number) => (log ? Math.log(value) : value);
  const low = scale(values[0] ?? 0);
  const share = (scale(x) - low) / (scale(values.at(-1) ?? 1) - low);
  return share > 0.75 ? "left" : share < 0.25 ? "right" : "top";
}

function axisOption(axis: MapAxis, colors: ColorScheme) {
  const ink = chartInk(colors);
  const low = axis.values[0] ?? 0;
  const high = axis.values.at(-1) ?? 1;
  const common = {
    name: axis.name,
    nameLocation: "middle" as const,
    nameTextStyle: { color: ink.faint },
    min: low,
    max: high,
    axisLine: { show: true, onZero: false, lineStyle: { color: ink.line } },
    splitLine: { show: false },
  };
  if (!axis.log) {
    return {
      ...common,
      type: "value" as const,
      axisLabel: { color: ink.faint, hideOverlap: true, formatter: axis.format },
      axisTick: { show: true, lineStyle: { color: ink.line } },
    };
  }
  const ticks =
    axis.pageBytes === undefined
      ? logTicks(low, high)
      : byteTicks(low, high, axis.pageBytes);
  // A range within one power of ten has its ends for labels.
  const labels = ticks.major.length >= 2 ? [...ticks.major] : [low, high];
  return {
    ...common,
    type: "log" as const,
    axisLabel: {
      color: ink.faint,
      hideOverlap: true,
      formatter: axis.format,
      customValues: labels,
    },
    axisTick: {
      show: true,
      customValues: [...ticks.all],
      length: 4,
      lineStyle: { color: ink.line },
    },
  };
}

function tooltip(value: unknown, chart: SchemeMapChart): string {
  if (!Array.isArray(value)) {
    return "";
  }
  const run = value as unknown as Run;
  const scheme = chart.schemes[run[4]];
  const title = scheme === undefined ? "No scheme fits" : scheme.title;
  const band = MARGIN_BANDS[run[5]];
  const more = [
    ...(chart.margin !== null && scheme !== undefined && band !== undefined
      ? [band.text]
      : []),
    ...(run[6] === CLOSE ? ["lead within the model's error"] : []),
    "press to move here",
  ];
  return said(title, ...more);
}

function said(heading: string, ...lines: readonly string[]): string {
  const rows = lines.map((text) => `<div>${escapeHtml(text)}</div>`).join("");
  return `<b>${escapeHtml(heading)}</b>${rows}`;
}
