import { Button } from "@mantine/core";
import type { ThroughputOut } from "@/api/break-evens";
import { csvText } from "@/charts/csv";
import { downloadText } from "@/charts/download";
import { SchemeMark } from "@/charts/scheme-mark";
import { Panel } from "@/components/panel";
import { ScrollRegion } from "@/components/scroll-region";
import { Unknown } from "@/components/unknown";
import { formatPercent, formatShort, ratio } from "@/units/quantity";
import { type SchemeColumns, stationTitle } from "./findings";

/** Each scheme at the present value: rate, response time, what limits it, its knee. */
export function SchemeTable({ found }: { readonly found: ThroughputOut }) {
  const { at } = found;
  const exportCsv = () =>
    downloadText(
      "throughput-schemes.csv",
      "text/csv;charset=utf-8",
      csvText(
        [
          "scheme",
          "throughput_per_s",
          "response_ms",
          "bottleneck",
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
        found.schemes.map((scheme) => [
          scheme.title,
          scheme.throughput_per_s[at] ?? null,
          scheme.response_ms[at] ?? null,
          scheme.bottleneck[at] ?? null,
          scheme.utilisation.cpu[at] ?? null,
          scheme.utilisation.flash[at] ?? null,
          scheme.utilisation.disk[at] ?? null,
          scheme.demand_ms.cpu[at] ?? null,
          scheme.demand_ms.flash[at] ?? null,
          scheme.demand_ms.disk[at] ?? null,
          scheme.max_throughput_per_s[at] ?? null,
          scheme.knee_clients[at] ?? null,
          scheme.knee_disks,
        ]),
      ),
    );
  return (
    <Panel
      title="Every scheme at the present point"
      subtitle="The bottleneck is the kind of device of which one is asked for most busy time by a transaction. The CSV holds the demands too."
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
              <Head title="Response" unit="ms" />
              <th scope="col">Bottleneck</th>
              <Head title="Flash busy" />
              <Head title="Disk busy" />
              <Head title="Most" unit="1/s" />
              <Head title="Knee" unit="clients" />
              <Head title="Knee" unit="disks" />
            </tr>
          </thead>
          <tbody>
            {found.schemes.map((scheme) => (
              <Row key={scheme.scheme} scheme={scheme} found={found} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Panel>
  );
}

function Head({ title, unit }: { readonly title: string; readonly unit?: string }) {
  return (
    <th scope="col" className="num">
      {title} {unit !== undefined && <span className="tw-unit">[{unit}]</span>}
    </th>
  );
}

function Row({
  scheme,
  found,
}: {
  readonly scheme: SchemeColumns;
  readonly found: ThroughputOut;
}) {
  const { at } = found;
  const limit = scheme.bottleneck[at] ?? null;
  return (
    <tr>
      <th scope="row" style={{ whiteSpace: "nowrap" }}>
        <SchemeMark scheme={scheme.scheme} /> {scheme.title}
      </th>
      <Figure value={scheme.throughput_per_s[at]} reason="nothing is demanded" />
      <Figure value={scheme.response_ms[at]} reason="nothing is demanded" />
      <td>{stationTitle(limit)}</td>
      <Share value={scheme.utilisation.flash[at]} />
      <Share value={scheme.utilisation.disk[at]} />
      <Figure value={scheme.max_throughput_per_s[at]} reason="nothing is demanded" />
      <Figure value={scheme.knee_clients[at]} reason="nothing is demanded" />
      <Figure
        value={scheme.knee_disks}
        reason="only the disks are asked for anything"
      />
    </tr>
  );
}

function Figure(props: {
  readonly value: number | null | undefined;
  readonly reason: string;
}) {
  const { value } = props;
  return (
    <td className="num">
      {value === null || value === undefined ? (
        <Unknown reason={props.reason} />
      ) : (
        formatShort(value)
      )}
    </td>
  );
}

const Share = ({ value }: { readonly value: number | undefined }) => (
  <td className="num">
    {value === undefined ? (
      <Unknown reason="nothing is demanded" />
    ) : (
      formatPercent(ratio(value))
    )}
  </td>
);
