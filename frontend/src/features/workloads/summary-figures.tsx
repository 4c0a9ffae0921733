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
  return (
    <section className="tw-panel" aria-label="Summary">
      <dl className="tw-figures">
        <Figure
          name="Accesses"
          value={formatCount(summary.accesses)}
          note={
            summary.requests === null
              ? summary.kind === "curve"
                ? "as stated"
                : undefined
              : `from ${formatCount(summary.requests)} requests`
          }
        />
        <DataFigures summary={summary} />
        <WriteFigure summary={summary} />
        <Figure
          name="Accesses per page"
          value={formatShort(summary.accesses / Math.max(1, summary.distinct_pages))}
        />
        <Figure
          name="Duration"
          value={
            summary.duration_s === null ? (
              <Unknown
                reason={
                  summary.kind === "trace"
                    ? "this trace carries no time"
                    : "no time was stated"
                }
              />
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
          note={summary.kind === "trace" ? (summary.compression ?? "plain") : undefined}
        />
      </dl>
    </section>
  );
}

function DataFigures({ summary }: { readonly summary: SummaryOut }) {
  const bound = summary.data_known ? "" : "≥ ";
  return (
    <>
      <Figure
        name={summary.kind === "curve" ? "Pages of data" : "Distinct pages"}
        value={`${bound}${formatCount(summary.distinct_pages)}`}
        note={`of ${formatBytes(bytes(summary.page_bytes))}`}
      />
      <Figure
        name="Footprint"
        value={`${bound}${formatBytes(bytes(summary.footprint_bytes))}`}
        note={summary.data_known ? undefined : "the size of the data was not stated"}
      />
    </>
  );
}

function WriteFigure({ summary }: { readonly summary: SummaryOut }) {
  const { dirty_share, write_share, write_accesses } = summary;
  if (summary.kind === "curve") {
    return (
      <Figure
        name="Dirty share"
        value={
          dirty_share === null ? (
            <Unknown reason="nobody has stated how many evicted pages are dirty" />
          ) : (
            formatPercent(ratio(dirty_share))
          )
        }
        note={
          dirty_share !== null
            ? "as stated, at every size"
            : write_share === null
              ? "unknown: costs are ranges"
              : `${formatPercent(ratio(write_share))} of the accesses write`
        }
      />
    );
  }
  return (
    <Figure
      name="Write accesses"
      value={
        write_accesses === null ? (
          <Unknown reason="nobody has stated it" />
        ) : (
          formatPercent(ratio(write_accesses / Math.max(1, summary.accesses)))
        )
      }
      note={write_accesses === null ? undefined : formatCount(write_accesses)}
    />
  );
}

export function ConversionLog(props: {
  readonly workload: WorkloadOut;
  readonly summary: SummaryOut;
}) {
  const { workload, summary } = props;
  return (
    <Panel
      title={summary.kind === "trace" ? "Conversion log" : "Where the numbers are from"}
      subtitle={
        summary.kind === "trace"
          ? "How the file became accesses, and its proofs"
          : "What was assumed, and what is kept"
      }
    >
      <List size="sm" spacing={4}>
        {summary.assumptions.map((assumption) => (
          <List.Item key={assumption}>{assumption}</List.Item>
        ))}
        <List.Item>
          Read as {summary.format} with pages of{" "}
          {formatBytes(bytes(summary.page_bytes))}; kept as{" "}
          {formatBytes(bytes(summary.stored_bytes))}{" "}
          {summary.kind === "trace"
            ? "in canonical form."
            : "of curves: no addresses, no accesses."}
        </List.Item>
        {summary.devices !== null && (
          <List.Item>{formatCount(summary.devices)} devices or relations.</List.Item>
        )}
      </List>
      <Text size="sm" mt="sm" style={{ overflowWrap: "anywhere" }}>
        {summary.kind === "trace"
          ? "Content id (space, page, operation and time of every access): "
          : "Content id (of the document kept): "}
        {workload.content_id === null ? (
          <Unknown reason="it is known when the whole trace has been read" />
        ) : (
          <code>{workload.content_id}</code>
        )}
      </Text>
      {summary.kind === "trace" && (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          SHA-256 of the page and operation sequence:{" "}
          {summary.sha256_of_sequence === null ? (
            <Unknown reason="this trace was read without it" />
          ) : (
            <code>{summary.sha256_of_sequence}</code>
          )}
        </Text>
      )}
    </Panel>
  );
}
