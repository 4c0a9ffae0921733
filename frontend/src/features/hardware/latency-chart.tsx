import { Group, Select } from "@mantine/core";
import { useMemo, useState } from "react";
import type { DeviceOut } from "@/api/catalog";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import {
  bytes,
  formatBytes,
  formatDuration,
  formatShort,
  microseconds,
} from "@/units/quantity";
import {
  curveFinding,
  hasCurve,
  LATENCIES,
  latencySeries,
  latencyTable,
} from "./latency-curve";

const HEIGHT = 380;

/** Whole decades around the values, so that each end of an axis has a label. */
const decades = (values: readonly number[]) => ({
  min: 10 ** Math.floor(Math.log10(Math.min(...values))),
  max: 10 ** Math.ceil(Math.log10(Math.max(...values))),
});

/** Measured devices, one at a time; nothing where no device has such a measurement. */
export function MeasuredDevices(props: {
  readonly devices: readonly DeviceOut[];
  readonly ticked: readonly string[];
}) {
  const measured = props.devices.filter(hasCurve);
  const [chosen, setChosen] = useState<string | null>(null);
  const device =
    measured.find(({ id }) => id === chosen) ??
    measured.find(({ id }) => props.ticked.includes(id)) ??
    measured[0];
  if (device === undefined) {
    return null;
  }
  return (
    <LatencyChart
      device={device}
      control={
        measured.length > 1 && (
          <Select
            size="xs"
            aria-label="Measured device"
            value={device.id}
            allowDeselect={false}
            data={measured.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setChosen}
          />
        )
      }
    />
  );
}

/** Latency over throughput, a point for each queue depth and a line for each operation. */
export function LatencyChart(props: {
  readonly device: DeviceOut;
  readonly control?: React.ReactNode;
}) {
  const { device } = props;
  const [latency, setLatency] = useState("mean");
  const colors = useChartColors();
  const option = useMemo(() => {
    const series = latencySeries(device, latency, colors);
    const [rates, times] = [0, 1].map((axis) =>
      series.flatMap(({ points }) => points.map((point) => point[axis] ?? 1)),
    );
    return series.length === 0
      ? null
      : lineOption({
          series,
          x: {
            name: "throughput [1/s]",
            log: true,
            ...decades(rates ?? []),
            format: (value) => formatShort(value),
          },
          y: {
            name: "latency [µs]",
            log: true,
            ...decades(times ?? []),
            format: (value) => formatDuration(microseconds(value)),
          },
          colors,
        });
  }, [device, latency, colors]);
  if (option === null) {
    return null;
  }
  const title = LATENCIES.find(({ name }) => name === latency)?.title ?? latency;
  const page = device.page_bytes === null ? "" : formatBytes(bytes(device.page_bytes));
  return (
    <ChartCard
      title={curveFinding(device, latency)}
      subtitle={`${device.name}: latency (${title.toLowerCase()}) of random accesses of ${page} over throughput, both logarithmic; the numbers at the points are queue depths`}
      label="Latency over throughput"
      option={option}
      height={HEIGHT}
      fileName={`latency of ${device.name}`}
      controls={
        <Group gap="xs">
          {props.control}
          <Select
            size="xs"
            w={150}
            aria-label="Latency"
            value={latency}
            allowDeselect={false}
            data={LATENCIES.map((each) => ({ value: each.name, label: each.title }))}
            onChange={(name) => setLatency(name ?? "mean")}
          />
        </Group>
      }
      sentence={device.notes}
      table={() => latencyTable(device)}
      explanation={
        <p>
          Each point is one run of fio with so many requests in flight. A latency is the
          time from submission to completion, and includes waiting behind the others; by
          Little's law throughput times mean latency is the number in flight. Where a
          line turns up, the device is saturated: more requests wait longer and no more
          are served. The table holds every block size.
        </p>
      }
    />
  );
}
