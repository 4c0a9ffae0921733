import { List, Text } from "@mantine/core";
import type { DeviceOut } from "@/api/catalog";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Unknown } from "@/components/unknown";
import { bytes, formatBytes, formatShort } from "@/units/quantity";
import { figureTitle } from "./device-facts";
import { hasCurve } from "./latency-curve";

const DIGITS = 6;
/** More rates than a sentence can hold are in the table of the chart of latencies. */
const MOST_IN_SENTENCE = 8;

const measurementText = (rate: DeviceOut["measurements"][number]): string =>
  `${rate.operation} ${formatBytes(bytes(rate.page_bytes))} ${formatShort(rate.iops, DIGITS)}/s` +
  (rate.queue_depth === null ? "" : ` at queue depth ${rate.queue_depth}`);

type Figure = readonly [string, DeviceOut["figures"][string]];

const FIGURE_COLUMNS: readonly Column<Figure>[] = [
  { key: "Figure", rowHeader: true, cell: ([name]) => figureTitle(name) },
  {
    key: "Value",
    cell: ([, { value, assumed }]) =>
      assumed ? `${formatShort(value, DIGITS)} (assumed)` : formatShort(value, DIGITS),
  },
  { key: "Unit", align: "text", cell: ([, figure]) => figure.unit },
  {
    key: "Date",
    align: "text",
    cell: ([, { date }]) => date ?? <Unknown reason="the source carries no date" />,
  },
  {
    key: "Source",
    align: "text",
    cell: ([, { source }]) =>
      source === "" ? (
        <Unknown reason="no source was given for this figure" />
      ) : (
        <span style={{ overflowWrap: "anywhere" }}>{source}</span>
      ),
  },
  { key: "Note", align: "text", cell: ([, figure]) => figure.note },
];

/** Every stated figure with unit, source and date, and what is missing. */
export function DeviceDetails({ device }: { readonly device: DeviceOut }) {
  const figures = Object.entries(device.figures);
  const inChart = device.measurements.length > MOST_IN_SENTENCE && hasCurve(device);
  return (
    <div style={{ padding: "4px 0 12px" }}>
      <Text size="sm">
        {device.service_basis === null
          ? "No service times can be derived from these figures."
          : `Busy time of a page of ${formatBytes(bytes(device.service_page_bytes))}: ${device.service_basis}.`}
        {inChart &&
          ` ${device.measurements.length} rates were measured at other sizes or depths; the table of the chart "Latency over throughput" lists them.`}
        {!inChart &&
          device.measurements.length > 0 &&
          ` Rates measured at other sizes or depths: ${device.measurements
            .map(measurementText)
            .join("; ")}.`}
        {device.notes === null ? "" : ` ${device.notes}`}
      </Text>
      {device.missing.length > 0 && (
        <>
          <Text size="sm" fw={600} mt={6}>
            Missing
          </Text>
          <List size="sm">
            {device.missing.map((entry) => (
              <List.Item key={entry}>{entry}</List.Item>
            ))}
          </List>
        </>
      )}
      {figures.length > 0 && (
        <DataTable
          label={`Figures of ${device.name}`}
          columns={FIGURE_COLUMNS}
          rows={figures}
          rowKey={([name]) => name}
        />
      )}
    </div>
  );
}
