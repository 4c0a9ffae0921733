import { Alert, List, SimpleGrid, Text } from "@mantine/core";
import type { PreviewOut } from "@/api/uploads";
import { Panel } from "@/components/panel";
import { ScrollRegion } from "@/components/scroll-region";
import { Unknown } from "@/components/unknown";
import {
  bytes,
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
        title={`The first ${preview.records.length} records`}
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
            <table className="tw-table">
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Unit</th>
                  <th scope="col">Meaning</th>
                </tr>
              </thead>
              <tbody>
                {preview.units.map((unit) => (
                  <tr key={unit.field}>
                    <th scope="row">{unit.field}</th>
                    <td>{unit.unit}</td>
                    <td>{unit.meaning}</td>
                  </tr>
                ))}
              </tbody>
            </table>
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
        <table className="tw-table">
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              <th scope="col" className="num">
                Fit [%]
              </th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {ranked.map((candidate) => (
              <tr key={candidate.format}>
                <th scope="row">{candidate.format}</th>
                <td className="num">
                  {formatPercent(ratio(candidate.score)).replace(" %", "")}
                </td>
                <td>{candidate.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** "20 requests, 4 of them writes, over 1.2 ms, of 4 KiB to 64 KiB, at ..." */
export function shownText(shown: PreviewOut["shown"]): string {
  const { extent } = shown;
  const amount = (value: number) =>
    extent?.unit === "bytes"
      ? formatBytes(bytes(value))
      : `${formatCount(value)} ${value === 1 ? "page" : "pages"}`;
  const parts = [
    `${formatCount(shown.requests)} requests`,
    `${formatCount(shown.write_requests)} of them writes`,
    `${formatCount(shown.devices)} ${shown.devices === 1 ? "device" : "devices"}`,
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

export function RecordTable(props: {
  readonly preview: PreviewOut;
  readonly label: string;
  readonly rows?: number;
}) {
  const { preview, label, rows = preview.records.length } = props;
  const first = preview.records[0]?.time_ns ?? null;
  return (
    <ScrollRegion label={label}>
      <table className="tw-table">
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col">As written</th>
            <th scope="col" className="num">
              Time since first <span className="tw-unit">[s]</span>
            </th>
            <th scope="col">Device</th>
            <th scope="col">Operation</th>
            <th scope="col" className="num">
              Offset <span className="tw-unit">[bytes]</span>
            </th>
            <th scope="col" className="num">
              Size <span className="tw-unit">[bytes]</span>
            </th>
            <th scope="col" className="num">
              First page
            </th>
            <th scope="col" className="num">
              Pages
            </th>
          </tr>
        </thead>
        <tbody>
          {preview.records.slice(0, rows).map((record) => (
            <tr key={record.place}>
              <th scope="row" style={{ whiteSpace: "nowrap" }}>
                {record.place}
              </th>
              <td>
                <code className={classes["raw"]}>{record.raw}</code>
              </td>
              <td className="num">
                {record.time_ns === null || first === null ? (
                  <Unknown reason="this format carries no time" />
                ) : (
                  ((record.time_ns - first) / NS_PER_S).toFixed(6)
                )}
              </td>
              <td>
                {record.device ?? <Unknown reason="this format names no device" />}
              </td>
              <td>{OPERATIONS[record.op] ?? record.op}</td>
              <td className="num">
                {record.offset_bytes === null ? (
                  <Unknown reason="records of this format refer to pages, not bytes" />
                ) : (
                  formatCount(record.offset_bytes)
                )}
              </td>
              <td className="num">
                {record.size_bytes === null ? (
                  <Unknown reason="records of this format refer to pages, not bytes" />
                ) : (
                  formatCount(record.size_bytes)
                )}
              </td>
              <td className="num">{formatCount(record.first_page)}</td>
              <td className="num">{formatCount(record.page_count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
