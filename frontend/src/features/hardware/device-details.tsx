import { List, Text } from "@mantine/core";
import type { DeviceOut } from "@/api/catalog";
import { Unknown } from "@/components/unknown";
import { bytes, formatBytes, formatShort } from "@/units/quantity";
import { figureTitle } from "./device-facts";

const DIGITS = 6;

const measurementText = (rate: DeviceOut["measurements"][number]): string =>
  `${rate.operation} ${formatBytes(bytes(rate.page_bytes))} ${formatShort(rate.iops, DIGITS)}/s` +
  (rate.queue_depth === null ? "" : ` at queue depth ${rate.queue_depth}`);

/** Every stated figure with unit, source and date, and what is missing. */
export function DeviceDetails({ device }: { readonly device: DeviceOut }) {
  const figures = Object.entries(device.figures);
  return (
    <div style={{ padding: "4px 0 12px" }}>
      <Text size="sm">
        {device.service_basis === null
          ? "No service times can be derived from these figures."
          : `Busy time of a page of ${formatBytes(bytes(device.service_page_bytes))}: ${device.service_basis}.`}
        {device.measurements.length > 0 &&
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
        <table className="tw-table" aria-label={`Figures of ${device.name}`}>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col" className="num">
                Value
              </th>
              <th scope="col">Unit</th>
              <th scope="col">Date</th>
              <th scope="col">Source</th>
              <th scope="col">Note</th>
            </tr>
          </thead>
          <tbody>
            {figures.map(([name, figure]) => (
              <tr key={name}>
                <th scope="row">{figureTitle(name)}</th>
                <td className="num">
                  {formatShort(figure.value, DIGITS)}
                  {figure.assumed && " (assumed)"}
                </td>
                <td>{figure.unit}</td>
                <td>
                  {figure.date ?? <Unknown reason="the source carries no date" />}
                </td>
                <td style={{ overflowWrap: "anywhere" }}>
                  {figure.source === "" ? (
                    <Unknown reason="no source was given for this figure" />
                  ) : (
                    figure.source
                  )}
                </td>
                <td>{figure.note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
