import { formatDuration, formatShort, microseconds } from "@/units/quantity";
import { logTicks } from "./log-axis";
import { type ChartOption, escapeHtml, topLegend } from "./option";
import { CHART_FONT, type ColorScheme, chartInk, type MarkerShape } from "./palette";

export interface DevicePoint {
  readonly id: string;
  readonly name: string;
  /** In the currency drawn, of a decimal gigabyte. */
  readonly pricePerGb: number;
  readonly readServiceUs: number;
  readonly priceDate: string | null;
  readonly selected: boolean;
  /** The service time rests on an assumption: drawn hollow. */
  readonly assumed: boolean;
}

export interface DeviceGroup {
  readonly name: string;
  readonly color: string;
  readonly shape: MarkerShape;
  readonly points: readonly DevicePoint[];
}

/** Service time against price, both logarithmic: down and left is better. */
export function deviceScatterOption(
  groups: readonly DeviceGroup[],
  colors: ColorScheme,
  currency: string,
): ChartOption {
  const ink = chartInk(colors);
  const points = groups.flatMap((group) => group.points);
  const prices = points.map((point) => point.pricePerGb);
  const times = points.map((point) => point.readServiceUs);
  const x = logTicks(Math.min(...prices) * 0.8, Math.max(...prices) * 1.25);
  const y = logTicks(Math.min(...times) * 0.7, Math.max(...times) * 1.5);
  const axis = (ticks: typeof x) => ({
    type: "log" as const,
    min: ticks.min,
    max: ticks.max,
    axisLine: { show: true, lineStyle: { color: ink.line } },
    axisTick: {
      show: true,
      customValues: [...ticks.all],
      length: 4,
      lineStyle: { color: ink.line },
    },
    splitLine: { show: true, lineStyle: { color: ink.grid } },
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
        return point === undefined ? "" : deviceTooltip(point, currency);
      },
    },
    xAxis: {
      ...axis(x),
      name: `price [${currency} per GB]`,
      nameLocation: "middle",
      nameGap: 28,
      axisLabel: {
        color: ink.faint,
        customValues: [...x.major],
        formatter: (value: number) => formatShort(value),
      },
    },
    yAxis: {
      ...axis(y),
      name: "random read service time",
      nameTextStyle: { color: ink.faint, align: "left", padding: [0, 0, 0, -56] },
      axisLabel: {
        color: ink.faint,
        customValues: [...y.major],
        formatter: (value: number) => formatDuration(microseconds(value)),
      },
    },
    series: groups.map((group) => ({
      type: "scatter" as const,
      name: group.name,
      symbol: group.shape,
      itemStyle: { color: group.color, opacity: 1 },
      emphasis: { disabled: true },
      data: group.points.map((point) => ({
        value: [point.pricePerGb, point.readServiceUs],
        point,
        symbolSize: point.selected ? 18 : 11,
        itemStyle: markStyle(point, group.color, ink),
        label: {
          show: point.selected,
          position: "top" as const,
          color: ink.text,
          formatter: point.name,
        },
      })),
    })),
  };
}

function markStyle(
  point: DevicePoint,
  color: string,
  ink: ReturnType<typeof chartInk>,
) {
  const fill = point.assumed ? { color: ink.paper } : {};
  if (point.selected) {
    return { ...fill, borderColor: ink.text, borderWidth: 2 };
  }
  return point.assumed
    ? { ...fill, borderColor: color, borderWidth: 2 }
    : { borderColor: ink.paper, borderWidth: 1 };
}

function deviceTooltip(point: DevicePoint, currency: string): string {
  const price = `${formatShort(point.pricePerGb)} ${currency} per GB`;
  const dated = point.priceDate === null ? "" : ` (${escapeHtml(point.priceDate)})`;
  return `<b>${escapeHtml(point.name)}</b><div>${price}${dated}</div><div>read ${formatDuration(
    microseconds(point.readServiceUs),
  )}${point.assumed ? " (seek assumed)" : ""}</div>`;
}
