/** Latency over throughput of a measured device: what is drawn, listed and said. */
import type { DeviceOut } from "@/api/catalog";
import type { ChartTable } from "@/charts/chart-card";
import type { LineSeries } from "@/charts/line-option";
import type { ColorScheme } from "@/charts/palette";
import {
  bytes,
  formatBytes,
  formatCount,
  formatDuration,
  formatShort,
  microseconds,
} from "@/units/quantity";

type Measured = DeviceOut["measurements"][number];

/** What a latency may be, by its name in the API. */
export const LATENCIES: readonly {
  readonly name: string;
  readonly title: string;
}[] = [
  { name: "mean", title: "Mean" },
  { name: "p50", title: "50 % within" },
  { name: "p95", title: "95 % within" },
  { name: "p99", title: "99 % within" },
  { name: "p99_9", title: "99.9 % within" },
];

const OPERATIONS = [
  {
    operation: "read",
    title: "Random reads",
    light: "#0072b2",
    dark: "#4ba3dc",
    symbol: "circle",
  },
  {
    operation: "write",
    title: "Random writes",
    light: "#c4500a",
    dark: "#f08a3c",
    symbol: "rect",
  },
] as const;

const SHALLOW = 2;

interface CurvePoint {
  readonly depth: number;
  readonly iops: number;
  readonly latencyUs: number;
}

/** Runs of one operation at the page of the device, by queue depth. */
export function curveOf(
  device: DeviceOut,
  operation: string,
  latency: string,
): CurvePoint[] {
  return device.measurements
    .flatMap((each: Measured) => {
      const latencyUs = each.latency_us[latency];
      return each.operation === operation &&
        each.page_bytes === device.page_bytes &&
        each.queue_depth !== null &&
        latencyUs !== undefined
        ? [{ depth: each.queue_depth, iops: each.iops, latencyUs }]
        : [];
    })
    .sort((one, other) => one.depth - other.depth);
}

/** Whether an operation was measured with its latency at two depths or more. */
export const hasCurve = (device: DeviceOut): boolean =>
  OPERATIONS.some(
    ({ operation }) => curveOf(device, operation, "mean").length >= SHALLOW,
  );

export const latencySeries = (
  device: DeviceOut,
  latency: string,
  colors: ColorScheme,
): LineSeries[] =>
  OPERATIONS.map((style) => ({
    style,
    curve: curveOf(device, style.operation, latency),
  }))
    .filter(({ curve }) => curve.length > 0)
    .map(({ style, curve }) => ({
      name: style.title,
      color: style[colors],
      symbol: style.symbol,
      points: curve.map(({ iops, latencyUs }) => [iops, latencyUs] as const),
      labels: curve.map(({ depth }) => String(depth)),
    }));

const rate = (point: CurvePoint) => `${formatShort(point.iops)}/s`;
const time = (point: CurvePoint) => formatDuration(microseconds(point.latencyUs));

/** From the shallowest depth to the fastest, and whether deeper queues still gain. */
export function curveFinding(device: DeviceOut, latency: string): string {
  const told = OPERATIONS.flatMap(({ operation, title }) => {
    const curve = curveOf(device, operation, latency);
    const [first, ...others] = curve;
    if (first === undefined || others.length === 0) {
      return [];
    }
    const best = curve.reduce((one, other) => (other.iops > one.iops ? other : one));
    const last = curve.at(-1) ?? best;
    if (best === first) {
      return [
        `${title} are fastest at queue depth ${first.depth}, ${rate(first)} in ${time(first)}`,
      ];
    }
    const rise = `${title} rise from ${rate(first)} in ${time(first)} to ${rate(best)} in ${time(best)} at queue depth ${best.depth}`;
    return [best === last ? rise : `${rise}; deeper queues only wait longer`];
  });
  return told.length === 0
    ? `${device.name} was measured at one queue depth only`
    : told.join(". ");
}

export function latencyTable(device: DeviceOut): ChartTable {
  const found = [...device.measurements].sort(
    (one, other) =>
      one.operation.localeCompare(other.operation) ||
      one.page_bytes - other.page_bytes ||
      (one.queue_depth ?? 0) - (other.queue_depth ?? 0),
  );
  return {
    header: [
      "Operation",
      "Block [B]",
      "Queue depth",
      "Throughput [1/s]",
      ...LATENCIES.map(({ title }) => `${title} [µs]`),
      "Note",
    ],
    rows: found.map((each) => [
      `random ${each.operation}`,
      each.page_bytes,
      each.queue_depth,
      each.iops,
      ...LATENCIES.map(({ name }) => each.latency_us[name] ?? null),
      each.note,
    ]),
    shown: found.map((each) => [
      `random ${each.operation}`,
      formatBytes(bytes(each.page_bytes)),
      each.queue_depth === null ? "–" : formatCount(each.queue_depth),
      formatCount(each.iops),
      ...LATENCIES.map(({ name }) => {
        const value = each.latency_us[name];
        return value === undefined ? "–" : formatShort(value);
      }),
      each.note === "" ? "–" : each.note,
    ]),
  };
}
