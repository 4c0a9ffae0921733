import { Anchor, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import {
  type ConversionLogOut,
  conversionLogQuery,
  isComposed,
  isDescribed,
  type SummaryOut,
  type WorkloadOut,
} from "@/api/workloads";
import { fileStem } from "@/charts/download";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Unknown } from "@/components/unknown";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatDate,
  formatLargeCount,
  formatPercent,
  formatSeconds,
  formatShort,
  ratio,
} from "@/units/quantity";

/** One figure of a panel, with a note below it. */
export function Figure(props: {
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

/** Where accesses that are of no trace come from. */
function statedText(summary: SummaryOut): string | undefined {
  if (isDescribed(summary)) {
    return "in one day, as described";
  }
  if (isComposed(summary)) {
    return "of all its workloads";
  }
  if (summary.evidence != null) {
    return "of its counters, or as stated";
  }
  return summary.kind === "curve" ? "as stated" : undefined;
}

/** A count as it was made; one that a law scaled is not exact to the last digit. */
const countOf = ({ production }: SummaryOut, count: number): string =>
  production === null ? formatCount(count) : formatLargeCount(count);

export function SummaryFigures({ summary }: { readonly summary: SummaryOut }) {
  return (
    <section className="tw-panel" aria-label="Summary">
      <dl className="tw-figures">
        <Figure
          name="Accesses"
          value={countOf(summary, summary.accesses)}
          note={
            summary.requests === null
              ? statedText(summary)
              : `from ${counted(summary.requests, "request")}`
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
        {summary.evidence != null && (
          <Figure
            name="Evidence"
            value={summary.evidence.title}
            note={`speaks of ${summary.evidence.range}`}
          />
        )}
        <Figure
          name="Format"
          value={summary.format.replaceAll("_", " ")}
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
        value={`${bound}${countOf(summary, summary.distinct_pages)}`}
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
  const { write_accesses } = summary;
  if (isComposed(summary) && write_accesses !== null) {
    return (
      <Figure
        name="Write accesses"
        value={formatPercent(ratio(write_accesses / Math.max(1, summary.accesses)))}
        note="of all its workloads"
      />
    );
  }
  return isDescribed(summary) ? (
    <Figure
      name="Write accesses"
      value={formatPercent(ratio(summary.write_share ?? 0))}
      note="as described"
    />
  ) : (
    <RecordedWrites summary={summary} />
  );
}

function RecordedWrites({ summary }: { readonly summary: SummaryOut }) {
  const { dirty_share, write_share, write_accesses } = summary;
  if (summary.kind === "curve") {
    return (
      <Figure
        name="Dirty share"
        value={
          dirty_share === null ? (
            <Unknown reason="the dirty share of the evicted pages is not stated" />
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
  if (!summary.tells_writes) {
    return (
      <Figure
        name="Write accesses"
        value={<Unknown reason="the trace does not distinguish writes from reads" />}
        note="unknown: all count as reads"
      />
    );
  }
  return (
    <Figure
      name="Write accesses"
      value={
        write_accesses === null ? (
          <Unknown reason="not stated with the curve" />
        ) : (
          formatPercent(ratio(write_accesses / Math.max(1, summary.accesses)))
        )
      }
      note={write_accesses === null ? undefined : countOf(summary, write_accesses)}
    />
  );
}

/** What was read, by which versions, and when. */
function SourceLines({ log }: { readonly log: ConversionLogOut }) {
  const { asked, report, source } = log;
  const choices = [
    asked.format === null ? null : `format ${asked.format}`,
    asked.page_bytes === null
      ? null
      : `pages of ${formatBytes(bytes(asked.page_bytes))}`,
    asked.joined_page_bytes === null
      ? null
      : `neighbours joined into pages of ${formatBytes(bytes(asked.joined_page_bytes))}`,
    asked.columns === null
      ? null
      : `columns ${Object.entries(asked.columns)
          .map(([key, value]) => `${key} = ${value}`)
          .join(", ")}`,
    asked.skip_bad_records === 0
      ? null
      : `up to ${counted(asked.skip_bad_records, "bad record")} skipped`,
    asked.device_bytes === null
      ? null
      : `compared with a device of ${formatBytes(bytes(asked.device_bytes))}`,
    asked.members_apart ? "separate devices for each file of the archive" : null,
    asked.members_merged ? "the files of the archive merged by time" : null,
  ].filter((choice) => choice !== null);
  return (
    <>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {source.address ?? source.filename ?? "The file"},{" "}
        {formatBytes(bytes(source.size_bytes))}, SHA-256 <code>{source.sha256}</code>
      </Text>
      <Text size="sm" mb="sm">
        Read on {formatDate(log.converted_at)} by core {log.core_version}, server{" "}
        {log.server_version}. {choices.length > 0 ? "Settings: " : "Default settings: "}
        {choices.length > 0 ? choices.join("; ") : "format and page size were detected"}
        . {CHOSEN_BY[report.chosen_by]}
        {speedText(report)}
      </Text>
    </>
  );
}

/** " Interrupted, and continued after 9 accesses." or " Converted in 1.2 s: 800,000 requests/s, 2,000,000 accesses/s." */
function speedText(report: ConversionLogOut["report"]): string {
  const { converted_in_s, requests_per_s, accesses_per_s, resumed_at_accesses } =
    report;
  if (resumed_at_accesses !== null) {
    return ` Interrupted, and continued after ${counted(resumed_at_accesses, "access")}.`;
  }
  if (converted_in_s === null || requests_per_s === null || accesses_per_s === null) {
    return "";
  }
  return ` Converted in ${formatSeconds(converted_in_s)}: ${formatCount(Math.round(requests_per_s))} requests/s, ${formatCount(Math.round(accesses_per_s))} accesses/s.`;
}

const CHOSEN_BY: Readonly<Record<string, string>> = {
  content: "The format was detected from the content.",
  name: "The format was chosen.",
  columns: "The columns were mapped by hand.",
};

/** What was split and passed over; nothing where no trace was read. */
function ReadingItems(props: {
  readonly workload: WorkloadOut;
  readonly summary: SummaryOut;
}) {
  const { workload, summary } = props;
  return (
    <>
      {summary.split_requests !== null && summary.requests !== null && (
        <List.Item>
          {formatCount(summary.split_requests)} of {formatCount(summary.requests)}{" "}
          requests touch more than one page and were split.
        </List.Item>
      )}
      {summary.skipped_records !== null && (
        <List.Item>
          {summary.skipped_records === 0
            ? "No record was skipped."
            : `${counted(summary.skipped_records, "bad record was", "bad records were")} skipped; up to ${formatCount(workload.skip_bad_records)} were allowed.`}
        </List.Item>
      )}
    </>
  );
}

export function ConversionLog(props: {
  readonly workload: WorkloadOut;
  readonly summary: SummaryOut;
}) {
  const { workload, summary } = props;
  const log = useQuery({
    ...conversionLogQuery(workload.id),
    enabled: summary.kind === "trace",
  });
  return (
    <Panel
      title={summary.kind === "trace" ? "Conversion log" : "Origin of the numbers"}
      subtitle={
        summary.kind === "trace"
          ? "How the file was converted, with checksums"
          : "Assumptions and stored data"
      }
      actions={
        log.data !== undefined && (
          <Anchor
            size="sm"
            href={`/api/v1/workloads/${encodeURIComponent(workload.id)}/conversion-log`}
            download={`${fileStem(workload.name)}-conversion-log.json`}
          >
            Download as JSON
          </Anchor>
        )
      }
    >
      {log.error !== null && (
        <ProblemAlert error={log.error} title="The log could not be loaded" />
      )}
      {log.data !== undefined && <SourceLines log={log.data} />}
      <List size="sm" spacing={4}>
        {summary.assumptions.map((assumption) => (
          <List.Item key={assumption}>{assumption}</List.Item>
        ))}
        <List.Item>
          Read as {summary.format} with pages of{" "}
          {formatBytes(bytes(summary.page_bytes))}; stored as{" "}
          {formatBytes(bytes(summary.stored_bytes))}{" "}
          {summary.kind === "trace"
            ? "in canonical form."
            : "of curves: no addresses, no accesses."}
        </List.Item>
        <ReadingItems workload={workload} summary={summary} />
        {summary.devices !== null && (
          <List.Item>
            {counted(summary.devices, "device or relation", "devices or relations")}.
          </List.Item>
        )}
      </List>
      <Text size="sm" mt="sm" style={{ overflowWrap: "anywhere" }}>
        {summary.kind === "trace"
          ? "Content id (space, page, operation and time of every access): "
          : "Content id (of the stored document): "}
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
            <Unknown reason="it was not computed for this trace" />
          ) : (
            <code>{summary.sha256_of_sequence}</code>
          )}
        </Text>
      )}
    </Panel>
  );
}
