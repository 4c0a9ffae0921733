import { Button, Text, UnstyledButton } from "@mantine/core";
import { memo, useState } from "react";
import { type ThroughputOut, throughputSteps } from "@/api/throughput";
import { type CsvCell, csvText } from "@/charts/csv";
import { downloadText } from "@/charts/download";
import { SchemeMark } from "@/charts/scheme-mark";
import { AskedSteps } from "@/components/asked-steps";
import { Dialog } from "@/components/dialog";
import { Panel } from "@/components/panel";
import { ScrollRegion } from "@/components/scroll-region";
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
  const exportCsv = () =>
    downloadText(
      "throughput-schemes.csv",
      "text/csv;charset=utf-8",
      csvText(
        [
          "scheme",
          "throughput_per_s",
          "throughput_least_per_s",
          "throughput_most_per_s",
          "response_ms",
          "latency_beyond_busy_ms",
          "bottleneck",
          "limited_by",
          "utilisation_cpu",
          "utilisation_flash",
          "utilisation_disk",
          "demand_cpu_ms",
          "demand_flash_ms",
          "demand_disk_ms",
          "max_throughput_per_s",
          "knee_clients",
          "knee_disks",
        ],
        found.schemes.map((scheme) => csvRow(scheme, at)),
      ),
    );
  return (
    <Panel
      title="Every scheme at the present point"
      subtitle="Press a figure to see why it is this number. The range is that of flash hits off by the known error of their approximation against simulation. Device latency is what the I/Os of a transaction take beyond the time that they keep devices busy; the rest of the response is busy time and, above all near a limit, queueing. Devices limit a scheme where they are at least 90 % busy, else the number of clients does."
      actions={
        <Button size="xs" variant="default" onClick={exportCsv}>
          Export CSV
        </Button>
      }
    >
      <ScrollRegion label="Table: throughput of every scheme">
        <table className="tw-table" aria-label="Throughput of every scheme">
          <thead>
            <tr>
              <th scope="col">Scheme</th>
              <Head title="Throughput" unit="1/s" />
              <Head title="Range" unit="1/s" />
              <Head title="Response" unit="ms" />
              <Head title="Device latency" unit="ms" />
              <th scope="col">Limited by</th>
              <Head title="Flash busy" />
              <Head title="Disk busy" />
              <Head title="Most" unit="1/s" />
              <Head title="Knee" unit="clients" />
              <Head title="Knee" unit="disks" />
            </tr>
          </thead>
          <tbody>
            {found.schemes.map((scheme) => (
              <Row
                key={scheme.scheme}
                scheme={scheme}
                found={found}
                onExplain={() => setOpened(scheme.scheme)}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <Dialog
        opened={shown !== undefined}
        onClose={() => setOpened(null)}
        size="min(1180px, 95vw)"
        title={`Why these numbers: ${shown?.title ?? ""}`}
      >
        <Text size="sm" mb="xs">
          Hits by the {shown?.estimator}: {shown?.exactness}.
        </Text>
        <AskedSteps
          query={throughputSteps(found)}
          only={(step) => step.scheme === opened}
        />
      </Dialog>
    </Panel>
  );
});

function Head({ title, unit }: { readonly title: string; readonly unit?: string }) {
  return (
    <th scope="col" className="num">
      {title}{" "}
      {unit !== undefined && (
        <>
          <br />
          <span className="tw-unit">[{unit}]</span>
        </>
      )}
    </th>
  );
}

const csvRow = (scheme: SchemeColumns, at: number): CsvCell[] => [
  scheme.title,
  ...[
    scheme.throughput_per_s,
    scheme.throughput_least_per_s,
    scheme.throughput_most_per_s,
    inMs(scheme.response_us),
    inMs(scheme.delay_us),
    scheme.bottleneck,
    scheme.limit,
    scheme.utilisation.cpu,
    scheme.utilisation.flash,
    scheme.utilisation.disk,
    inMs(scheme.demand_us.cpu),
    inMs(scheme.demand_us.flash),
    inMs(scheme.demand_us.disk),
    scheme.max_throughput_per_s,
    scheme.knee_clients,
  ].map((values) => values?.[at] ?? null),
  scheme.knee_disks,
];

interface RowProps {
  readonly scheme: SchemeColumns;
  readonly found: ThroughputOut;
  readonly onExplain: () => void;
}

function Row({ scheme, found, onExplain }: RowProps) {
  const { at } = found;
  const limit = scheme.limit[at] ?? null;
  const figure = (name: string, value: string | null, reason = NO_DEMAND) => (
    <td className="num">
      {value === null ? (
        <Unknown reason={reason} />
      ) : (
        <UnstyledButton
          className={classes["figure"]}
          aria-label={`${name} of ${scheme.title}, ${value}: why this number`}
          onClick={onExplain}
        >
          {value}
        </UnstyledButton>
      )}
    </td>
  );
  return (
    <tr>
      <th scope="row" style={{ whiteSpace: "nowrap" }}>
        <SchemeMark scheme={scheme.scheme} /> {scheme.title}
      </th>
      {figure("Throughput", short(scheme.throughput_per_s[at]))}
      <td className="num">
        <span title={scheme.exactness}>{rangeOf(scheme, at)}</span>
      </td>
      {figure("Response", short(inMs(scheme.response_us)[at]))}
      {figure("Device latency", short(inMs(scheme.delay_us)[at]))}
      <td>{limitTitle(limit)}</td>
      {figure("Flash busy", share(scheme.utilisation.flash[at]))}
      {figure("Disk busy", share(scheme.utilisation.disk[at]))}
      {figure("Most throughput", short(scheme.max_throughput_per_s[at]))}
      {figure("Knee in clients", short(scheme.knee_clients[at]))}
      {figure("Knee in disks", short(scheme.knee_disks), NO_KNEE)}
    </tr>
  );
}

const NO_DEMAND = "nothing is demanded";
const NO_KNEE = "only the disks are asked for anything";

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
