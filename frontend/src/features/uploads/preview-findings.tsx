import { Alert, List, SimpleGrid, Text } from "@mantine/core";
import type { PreviewOut } from "@/api/uploads";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatPercent,
  formatSeconds,
  ratio,
} from "@/units/quantity";
import classes from "./uploads.module.css";

/** What was understood: format, units, assumptions, warnings, first records. */
export function PreviewFindings({ preview }: { readonly preview: PreviewOut }) {
  return (
    <>
      {preview.warnings.map((warning) => (
        <Alert
          key={`${warning.name} ${warning.message}`}
          color="orange"
          styles={{ title: { color: "var(--tw-warn)" } }}
          variant="outline"
          title="Check this before importing the trace"
        >
          <Text size="sm">{warning.message}</Text>
          {warning.hint && (
            <Text size="sm">
              <b>What to do:</b> {warning.hint}
            </Text>
          )}
        </Alert>
      ))}
      <Panel
        title={`The first ${counted(preview.records.length, "record")}`}
        subtitle="The raw text and how it was read; times count from the start of the trace's clock"
      >
        <Text size="sm" mb="sm">
          {shownText(preview.shown)}
        </Text>
        <RecordTable preview={preview} label="First records" />
      </Panel>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Panel title="Format">
          <Detection preview={preview} />
        </Panel>
        <Panel title="Units">
          {preview.units.length === 0 ? (
            <Text size="sm">This format's fields carry no units of their own.</Text>
          ) : (
            <DataTable
              label="Units"
              columns={UNIT_COLUMNS}
              rows={preview.units}
              rowKey={(unit) => unit.field}
            />
          )}
        </Panel>
        <Panel title="Assumptions">
          {preview.assumptions.length === 0 ? (
            <Text size="sm">
              No assumption was needed: the file contains everything.
            </Text>
          ) : (
            <List size="sm" spacing={4}>
              {preview.assumptions.map((assumption) => (
                <List.Item key={assumption}>{assumption}</List.Item>
              ))}
            </List>
          )}
        </Panel>
      </SimpleGrid>
    </>
  );
}

/** How far the best candidate is ahead of the next one. */
export function detectionMargin(detection: PreviewOut["detection"]): string {
  const ranked = [...detection].sort((one, other) => other.score - one.score);
  const [first, second] = ranked;
  if (first === undefined) {
    return "The format was chosen, not detected.";
  }
  if (second === undefined || second.score <= 0) {
    return `No other format fits ${first.format}'s records.`;
  }
  const lead = ratio(first.score - second.score);
  return `${first.format} leads ${second.format} by ${formatPercent(lead)}; if that lead is small, check the records carefully.`;
}

const compressionText = (compression: string | null): string =>
  compression === null || compression === "none" ? "not compressed" : compression;

const UNIT_COLUMNS: readonly Column<PreviewOut["units"][number]>[] = [
  { key: "Field", rowHeader: true, cell: (unit) => unit.field },
  { key: "Unit", align: "text", cell: (unit) => unit.unit },
  { key: "Meaning", align: "text", cell: (unit) => unit.meaning },
];

const CANDIDATE_COLUMNS: readonly Column<PreviewOut["detection"][number]>[] = [
  { key: "Candidate", rowHeader: true, cell: (candidate) => candidate.format },
  { key: "Fit", cell: (candidate) => formatPercent(ratio(candidate.score)) },
  { key: "Why", align: "text", cell: (candidate) => candidate.reason },
];

function Detection({ preview }: { readonly preview: PreviewOut }) {
  const ranked = preview.detection
    .filter((candidate) => candidate.score > 0)
    .sort((one, other) => other.score - one.score);
  return (
    <>
      <Text size="sm">
        Read as <b>{preview.format}</b>, {compressionText(preview.compression)},{" "}
        {formatBytes(bytes(preview.file_bytes))} in the file, pages of{" "}
        {formatBytes(bytes(preview.page_bytes))}. {detectionMargin(preview.detection)}
      </Text>
      {ranked.length > 0 && (
        <DataTable
          label="Candidate formats"
          columns={CANDIDATE_COLUMNS}
          rows={ranked}
          rowKey={(candidate) => candidate.format}
        />
      )}
    </>
  );
}

/** "20 requests, 4 of them writes, over 1.2 ms, of 4 KiB to 64 KiB, at ..." */
export function shownText(shown: PreviewOut["shown"]): string {
  const { extent } = shown;
  const amount = (value: number) =>
    extent?.unit === "bytes" ? formatBytes(bytes(value)) : counted(value, "page");
  const parts = [
    counted(shown.requests, "request"),
    counted(shown.write_requests, "of them a write", "of them writes"),
    counted(shown.devices, "device"),
    shown.duration_s === null
      ? "no times"
      : `over ${formatSeconds(shown.duration_s)} of the trace`,
  ];
  if (extent !== null) {
    parts.push(
      extent.smallest_request === extent.largest_request
        ? `each of ${amount(extent.largest_request)}`
        : `of ${amount(extent.smallest_request)} to ${amount(extent.largest_request)}`,
      `addresses from ${formatCount(extent.lowest)} to ${formatCount(extent.highest)} ${
        extent.unit === "bytes" ? "bytes" : ""
      }`.trimEnd(),
    );
  }
  return `${parts.join(", ")}.`;
}

const NS_PER_S = 1e9;
const OPERATIONS: Readonly<Record<string, string>> = { R: "read", W: "write" };

const inBytes = (value: number | null) =>
  value === null ? (
    <Unknown reason="records of this format refer to pages, not bytes" />
  ) : (
    formatCount(value)
  );

export function RecordTable(props: {
  readonly preview: PreviewOut;
  readonly label: string;
  readonly rows?: number;
}) {
  const { preview, label, rows = preview.records.length } = props;
  const first = preview.records[0]?.time_ns ?? null;
  return (
    <DataTable
      label={label}
      region={label}
      columns={[
        {
          key: "Position",
          rowHeader: true,
          cell: (record) => (
            <span style={{ whiteSpace: "nowrap" }}>{record.place}</span>
          ),
        },
        {
          key: "As written",
          align: "text",
          cell: (record) => <code className={classes["raw"]}>{record.raw}</code>,
        },
        {
          key: "Time since first",
          unit: "s",
          cell: ({ time_ns }) =>
            time_ns === null || first === null ? (
              <Unknown reason="this format carries no time" />
            ) : (
              ((time_ns - first) / NS_PER_S).toFixed(6)
            ),
        },
        {
          key: "Device",
          align: "text",
          cell: ({ device }) =>
            device ?? <Unknown reason="this format names no device" />,
        },
        {
          key: "Operation",
          align: "text",
          cell: ({ op }) => OPERATIONS[op] ?? op,
        },
        {
          key: "Offset",
          unit: "bytes",
          cell: (record) => inBytes(record.offset_bytes),
        },
        { key: "Size", unit: "bytes", cell: (record) => inBytes(record.size_bytes) },
        { key: "First page", cell: (record) => formatCount(record.first_page) },
        { key: "Pages", cell: (record) => formatCount(record.page_count) },
      ]}
      rows={preview.records.slice(0, rows)}
      rowKey={(record) => record.place}
    />
  );
}
