import { List, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { SummaryOut, WorkloadOut } from "@/api/workloads";
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import {
  bytes,
  formatBytes,
  formatCount,
  formatPercent,
  formatSeconds,
  formatShort,
  ratio,
} from "@/units/quantity";

function Figure(props: {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.value}
        {props.note !== undefined && <small>{props.note}</small>}
      </dd>
    </div>
  );
}

export function SummaryFigures({ summary }: { readonly summary: SummaryOut }) {
  const writes = ratio(summary.write_accesses / Math.max(1, summary.accesses));
  return (
    <section className="tw-panel" aria-label="Summary">
      <dl className="tw-figures">
        <Figure
          name="Accesses"
          value={formatCount(summary.accesses)}
          note={`from ${formatCount(summary.requests)} requests`}
        />
        <Figure
          name="Distinct pages"
          value={formatCount(summary.distinct_pages)}
          note={`of ${formatBytes(bytes(summary.page_bytes))}`}
        />
        <Figure name="Footprint" value={formatBytes(bytes(summary.footprint_bytes))} />
        <Figure
          name="Write accesses"
          value={formatPercent(writes)}
          note={formatCount(summary.write_accesses)}
        />
        <Figure
          name="Accesses per page"
          value={formatShort(summary.accesses / Math.max(1, summary.distinct_pages))}
        />
        <Figure
          name="Duration"
          value={
            summary.duration_s === null ? (
              <Unknown reason="this trace carries no time" />
            ) : (
              formatSeconds(summary.duration_s)
            )
          }
          note={
            summary.duration_s === null || summary.duration_s === 0
              ? undefined
              : `${formatShort(summary.accesses / summary.duration_s)} accesses/s`
          }
        />
        <Figure
          name="Format"
          value={summary.format}
          note={summary.compression ?? "plain"}
        />
      </dl>
    </section>
  );
}

export function ConversionLog(props: {
  readonly workload: WorkloadOut;
  readonly summary: SummaryOut;
}) {
  const { workload, summary } = props;
  return (
    <Panel
      title="Conversion log"
      subtitle="How the file became accesses, and its proofs"
    >
      <List size="sm" spacing={4}>
        {summary.assumptions.map((assumption) => (
          <List.Item key={assumption}>{assumption}</List.Item>
        ))}
        <List.Item>
          Read as {summary.format} with pages of{" "}
          {formatBytes(bytes(summary.page_bytes))}; kept as{" "}
          {formatBytes(bytes(summary.stored_bytes))} in canonical form.
        </List.Item>
        {summary.devices !== null && (
          <List.Item>{formatCount(summary.devices)} devices or relations.</List.Item>
        )}
      </List>
      <Text size="sm" mt="sm" style={{ overflowWrap: "anywhere" }}>
        Content id (space, page, operation and time of every access):{" "}
        {workload.content_id === null ? (
          <Unknown reason="it is known when the whole trace has been read" />
        ) : (
          <code>{workload.content_id}</code>
        )}
      </Text>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        SHA-256 of the page and operation sequence:{" "}
        {summary.sha256_of_sequence === null ? (
          <Unknown reason="this trace was read without it" />
        ) : (
          <code>{summary.sha256_of_sequence}</code>
        )}
      </Text>
    </Panel>
  );
}
