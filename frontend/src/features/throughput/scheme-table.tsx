import { Text, UnstyledButton } from "@mantine/core";
import { memo, useState } from "react";
import { type ThroughputOut, throughputSteps } from "@/api/throughput";
import { SchemeMark } from "@/charts/scheme-mark";
import { AskedSteps } from "@/components/asked-steps";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Dialog } from "@/components/dialog";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import { formatPercent, formatShort, ratio } from "@/units/quantity";
import { inMs, limitTitle, type SchemeColumns } from "./findings";
import classes from "./throughput.module.css";

/** Each scheme at the present value: rate, response time, what limits it, its knee. */
export const SchemeTable = memo(function SchemeTable({
  found,
}: {
  readonly found: ThroughputOut;
}) {
  const { at } = found;
  const [opened, setOpened] = useState<string | null>(null);
  const shown = found.schemes.find(({ scheme }) => scheme === opened);
  const columns = columnsOf(at, setOpened);
  return (
    <Panel
      title="All schemes at the current point"
      subtitle="Press a figure to see how it is computed. The range covers the known error of approximate flash hits against simulation. Device latency is the time that the I/Os of a transaction take beyond the busy time of the devices; the rest of the response time is busy time and, above all near a limit, queueing. A device limits a scheme when it is at least 90 % busy; otherwise the number of clients does."
      actions={
        <ExportCsv file="throughput-schemes" columns={columns} rows={found.schemes} />
      }
    >
      <DataTable
        label="Throughput of every scheme"
        columns={columns}
        rows={found.schemes}
        rowKey={({ scheme }) => scheme}
      />
      <Dialog
        opened={shown !== undefined}
        onClose={() => setOpened(null)}
        size="min(1180px, 95vw)"
        title={`Why these numbers: ${shown?.title ?? ""}`}
      >
        <Text size="sm" mb="xs">
          Hit estimator: {shown?.estimator} ({shown?.exactness}).
        </Text>
        <AskedSteps
          query={throughputSteps(found)}
          only={(step) => step.scheme === opened}
        />
      </Dialog>
    </Panel>
  );
});

/** Of the values over the axis, those at the current point. */
function columnsOf(
  at: number,
  onExplain: (scheme: string) => void,
): readonly Column<SchemeColumns>[] {
  type Values = readonly (string | number | null)[] | null | undefined;
  const exported = (key: string, values: (scheme: SchemeColumns) => Values) => ({
    key,
    csv: (scheme: SchemeColumns) => values(scheme)?.[at] ?? null,
  });
  const figure = (
    name: string,
    value: (scheme: SchemeColumns) => string | null,
    reason = NO_DEMAND,
  ) => ({
    cell: (scheme: SchemeColumns) => {
      const text = value(scheme);
      return text === null ? (
        <Unknown reason={reason} />
      ) : (
        <UnstyledButton
          className={classes["figure"]}
          aria-label={`${name} of ${scheme.title}, ${text}: why this number`}
          onClick={() => onExplain(scheme.scheme)}
        >
          {text}
        </UnstyledButton>
      );
    },
  });
  return [
    {
      key: "scheme",
      head: "Scheme",
      rowHeader: true,
      cellProps: () => ({ className: classes["scheme"] }),
      cell: ({ scheme, title }) => (
        <>
          <SchemeMark scheme={scheme} /> {title}
        </>
      ),
      csv: ({ title }) => title,
    },
    {
      ...exported("throughput_per_s", (scheme) => scheme.throughput_per_s),
      head: "Throughput",
      unit: "1/s",
      ...figure("Throughput", (scheme) => short(scheme.throughput_per_s[at])),
    },
    {
      key: "range_per_s",
      head: "Range",
      unit: "1/s",
      cell: (scheme) => <span title={scheme.exactness}>{rangeOf(scheme, at)}</span>,
    },
    exported("throughput_least_per_s", (scheme) => scheme.throughput_least_per_s),
    exported("throughput_most_per_s", (scheme) => scheme.throughput_most_per_s),
    {
      ...exported("response_ms", (scheme) => inMs(scheme.response_us)),
      head: "Response",
      unit: "ms",
      ...figure("Response", (scheme) => short(inMs(scheme.response_us)[at])),
    },
    {
      ...exported("latency_beyond_busy_ms", (scheme) => inMs(scheme.delay_us)),
      head: "Device latency",
      unit: "ms",
      ...figure("Device latency", (scheme) => short(inMs(scheme.delay_us)[at])),
    },
    exported("bottleneck", (scheme) => scheme.bottleneck),
    {
      ...exported("limited_by", (scheme) => scheme.limit),
      head: "Limited by",
      align: "text",
      cell: (scheme) => limitTitle(scheme.limit[at] ?? null),
    },
    exported("utilisation_cpu", (scheme) => scheme.utilisation.cpu),
    {
      ...exported("utilisation_flash", (scheme) => scheme.utilisation.flash),
      head: "Flash busy",
      ...figure("Flash busy", (scheme) => share(scheme.utilisation.flash[at])),
    },
    {
      ...exported("utilisation_disk", (scheme) => scheme.utilisation.disk),
      head: "Disk busy",
      ...figure("Disk busy", (scheme) => share(scheme.utilisation.disk[at])),
    },
    exported("demand_cpu_ms", (scheme) => inMs(scheme.demand_us.cpu)),
    exported("demand_flash_ms", (scheme) => inMs(scheme.demand_us.flash)),
    exported("demand_disk_ms", (scheme) => inMs(scheme.demand_us.disk)),
    {
      ...exported("max_throughput_per_s", (scheme) => scheme.max_throughput_per_s),
      head: "Maximum",
      unit: "1/s",
      ...figure("Maximum throughput", (scheme) =>
        short(scheme.max_throughput_per_s[at]),
      ),
    },
    {
      ...exported("knee_clients", (scheme) => scheme.knee_clients),
      head: "Knee",
      unit: "clients",
      ...figure("Knee in clients", (scheme) => short(scheme.knee_clients[at])),
    },
    {
      key: "knee_disks",
      head: "Knee",
      unit: "disks",
      ...figure("Knee in disks", (scheme) => short(scheme.knee_disks), NO_KNEE),
      csv: (scheme) => scheme.knee_disks,
    },
  ];
}

const NO_DEMAND = "the transactions need no service time";
const NO_KNEE = "the disks are the only devices with work";

type Value = number | null | undefined;
const short = (value: Value) => (value == null ? null : formatShort(value));
const share = (value: Value) => (value == null ? null : formatPercent(ratio(value)));

/** What hits off by their known error would make of the throughput. */
function rangeOf(scheme: SchemeColumns, at: number): string {
  const least = scheme.throughput_least_per_s?.[at] ?? null;
  const most = scheme.throughput_most_per_s?.[at] ?? null;
  if (least === null || most === null) {
    return scheme.exact ? "exact" : "not stated";
  }
  return `${formatShort(least)} to ${formatShort(most)}`;
}
