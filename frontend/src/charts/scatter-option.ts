import { formatDuration, formatShort, microseconds } from "@/units/quantity";
import { valueTicks } from "./log-axis";
import { type ChartOption, escapeHtml, topLegend } from "./option";
import { CHART_FONT, type ColorScheme, chartInk, type MarkerShape } from "./palette";

export interface DevicePoint {
  readonly id: string;
  readonly name: string;
  /** In the units of the axes. */
  readonly x: number;
  readonly y: number;
  /** Of its price, where an axis is one. */
  readonly priceDate: string | null;
  readonly selected: boolean;
  /** The service time rests on an assumption: drawn hollow. */
  readonly assumed: boolean;
  /** What stands above the point, which is drawn larger; absent: its name, where it is selected. */
  readonly label?: string;
  /** The label stands below the point, away from another one's that may be near. */
  readonly labelBelow?: boolean;
  /** Further lines of the tooltip. */
  readonly notes?: readonly string[];
}

export interface DeviceGroup {
  readonly name: string;
  readonly color: string;
  readonly shape: MarkerShape;
  readonly points: readonly DevicePoint[];
}

export interface ScatterAxis {
  /** With its unit. */
  readonly name: string;
  readonly format: (value: number) => string;
  /** A line of the tooltip. */
  readonly say: (point: DevicePoint) => string;
}

export interface ScatterAxes {
  readonly x: ScatterAxis;
  readonly y: ScatterAxis;
}

/** Random read service time over price: down and left is better. */
export const timeOverPrice = (currency: string): ScatterAxes => ({
  x: {
    name: `price [${currency} per GB]`,
    format: (value) => formatShort(value),
    say: (point) =>
      `${formatShort(point.x)} ${currency} per GB${
        point.priceDate === null ? "" : ` (${point.priceDate})`
      }`,
  },
  y: {
    name: "random read service time",
    format: (value) => formatDuration(microseconds(value)),
    say: (point) =>
      `read ${formatDuration(microseconds(point.y))}${point.assumed ? " (seek assumed)" : ""}`,
  },
});

/** How much lower than the least value above nothing that stands which has no place on the axis. */
const EDGE = 3;

/** Where values of nothing are drawn on a logarithmic axis: at its lower edge, below all others; 0 where all are nothing. */
export function edgeOf(values: readonly number[]): number {
  const above = values.filter((value) => value > 0);
  return above.length === 0 ? 0 : Math.min(...above) / EDGE;
}

/** A value where a logarithmic axis with this lower edge has it. */
export const onLogAxis = (value: number, edge: number): number =>
  value > 0 ? value : edge;

/** Where every value is nothing no logarithmic axis has a place for one: a linear one, on which 0 alone says something. */
const OF_NOTHING = { type: "value" as const, min: 0, max: 1, major: [0], all: [0] };

/** Scale of an axis that leaves room beside its points. */
function roomy(values: readonly number[], below: number, above: number) {
  const edge = edgeOf(values);
  if (edge === 0) {
    return OF_NOTHING;
  }
  const drawn = values.map((value) => onLogAxis(value, edge));
  const ticks = valueTicks(Math.min(...drawn) * below, Math.max(...drawn) * above);
  return { type: "log" as const, ...ticks };
}

/** Devices on two logarithmic axes, with a place at the lower edge for what takes or costs nothing; linear where all do. */
export function deviceScatterOption(
  groups: readonly DeviceGroup[],
  colors: ColorScheme,
  axes: ScatterAxes,
): ChartOption {
  const ink = chartInk(colors);
  const points = groups.flatMap((group) => group.points);
  const across = points.map((point) => point.x);
  const up = points.map((point) => point.y);
  const x = roomy(across, 0.8, 1.25);
  const y = roomy(up, 0.7, 1.5);
  const [left, bottom] = [edgeOf(across), edgeOf(up)];
  const axis = (ticks: ReturnType<typeof roomy>) => ({
    type: ticks.type,
    min: ticks.min,
    max: ticks.max,
    axisLine: { show: true, lineStyle: { color: ink.line } },
    axisTick: {
      show: true,
      customValues: [...ticks.all],
      length: 4,
      lineStyle: { color: ink.line },
    },
    splitLine: { show: ticks.type === "log", lineStyle: { color: ink.grid } },
    nameTextStyle: { color: ink.faint },
  });
  return {
    animation: false,
    textStyle: { fontFamily: CHART_FONT },
    grid: { left: 64, right: 24, top: 60, bottom: 48 },
    legend: topLegend(colors),
    tooltip: {
      trigger: "item",
      transitionDuration: 0,
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 13 },
      formatter: (item) => {
        const point = (item as { data?: { point?: DevicePoint } }).data?.point;
        return point === undefined ? "" : deviceTooltip(point, axes);
      },
    },
    xAxis: {
      ...axis(x),
      name: axes.x.name,
      nameLocation: "middle",
      nameGap: 28,
      axisLabel: {
        color: ink.faint,
        hideOverlap: true,
        customValues: [...x.major],
        formatter: axes.x.format,
      },
    },
    yAxis: {
      ...axis(y),
      name: axes.y.name,
      nameTextStyle: { color: ink.faint, align: "left", padding: [0, 0, 0, -56] },
      axisLabel: {
        color: ink.faint,
        customValues: [...y.major],
        formatter: axes.y.format,
      },
    },
    series: groups.map((group) => ({
      type: "scatter" as const,
      name: group.name,
      symbol: group.shape,
      itemStyle: { color: group.color, opacity: 1 },
      emphasis: { disabled: true },
      data: group.points.map((point) => ({
        value: [onLogAxis(point.x, left), onLogAxis(point.y, bottom)],
        point,
        symbolSize: sizeOf(point),
        itemStyle: markStyle(point, group.color, ink),
        label: {
          show: isMarked(point),
          position: point.labelBelow ? "bottom" : besideOf(onLogAxis(point.x, left), x),
          color: ink.text,
          // Readable over the points that it may lie on.
          textBorderColor: ink.paper,
          textBorderWidth: 3,
          formatter: point.label ?? point.name,
        },
      })),
    })),
  };
}

/** Share of an axis from its ends within which a centred label would leave the drawing. */
const EDGE_SHARE = 0.25;

/** Where a label has room: beside its point towards the middle near the ends of the axis, else above. */
function besideOf(x: number, axis: ReturnType<typeof roomy>): "left" | "right" | "top" {
  if (axis.type !== "log") {
    return "top";
  }
  const share = Math.log(x / axis.min) / Math.log(axis.max / axis.min);
  if (share < EDGE_SHARE) {
    return "right";
  }
  return share > 1 - EDGE_SHARE ? "left" : "top";
}

const isMarked = ({ selected, label }: DevicePoint): boolean =>
  selected || label !== undefined;

function sizeOf(point: DevicePoint): number {
  if (point.selected) {
    return 18;
  }
  return isMarked(point) ? 14 : 11;
}

function markStyle(
  point: DevicePoint,
  color: string,
  ink: ReturnType<typeof chartInk>,
) {
  const fill = point.assumed ? { color: ink.paper } : {};
  if (isMarked(point)) {
    return { ...fill, borderColor: ink.text, borderWidth: 2 };
  }
  return point.assumed
    ? { ...fill, borderColor: color, borderWidth: 2 }
    : { borderColor: ink.paper, borderWidth: 1 };
}

function deviceTooltip(point: DevicePoint, { x, y }: ScatterAxes): string {
  const lines = [x.say(point), y.say(point), ...(point.notes ?? [])];
  return `<b>${escapeHtml(point.name)}</b>${lines.map((line) => `<div>${escapeHtml(line)}</div>`).join("")}`;
}
