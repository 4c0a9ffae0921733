/** The question of the page, its bars, lines and tables. */
import type { RunOut } from "@/api/runs";
import type {
  StudyPrices,
  StudyRow,
  TransactionStudyIn,
  TransactionStudyOut,
  TransactionStudySummary,
} from "@/api/transaction-studies";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, schemeMark } from "@/charts/palette";
import type { BarPart, StackedBar } from "@/charts/stacked-bars-option";
import { type Column, valueColumn } from "@/components/columns";
import {
  SYSTEMS,
  type System,
  sizesOf,
  systemsOf,
  type TransactionsSearch,
  USUAL,
} from "@/questions/transactions";
import {
  counted,
  formatCount,
  formatDuration,
  formatShort,
  microseconds,
  UNKNOWN,
} from "@/units/quantity";

const US_PER_S = 1e6;

export const SYSTEM_TITLES: Readonly<Record<System, string>> = {
  page_lru: "LRU of pages",
  aries: "ARIES",
  committed_first: "Committed first",
  aat: "Average access time",
  transaction_page: "Transactions, as pages",
  log_write: "Log-based write",
  transaction_log: "Transactions, as log records",
};

/** What the address asks to replay. */
export function studyQuestion(search: TransactionsSearch): TransactionStudyIn {
  return {
    upload_id: search.events ?? null,
    systems: [...systemsOf(search.which)],
    ram_pages: sizesOf(search.sizes) ?? [],
    page_bytes: search.page_bytes ?? USUAL.page_bytes,
    checkpoint_pages: search.checkpoint_pages ?? USUAL.checkpoint_pages,
    ...given("log_bytes_per_update", search.log_bytes),
    ...given("blocks", search.blocks),
    ...given("pages_per_block", search.block_pages),
    ...given("spare", search.spare),
    durable: search.durable !== "no",
    crash: search.crash === "no" ? "none" : "end",
  };
}

/** The address of a kept study; null where it asks what the page does not, or its file was deleted. */
export function studyAddress(
  study: Pick<TransactionStudySummary, "inputs" | "is_example">,
): TransactionsSearch | null {
  const { inputs } = study;
  const { upload_id: upload = null, systems = SYSTEMS, ram_pages: sizes = [] } = inputs;
  const search: TransactionsSearch = {
    ...(upload === null ? {} : { events: upload }),
    ...(systems.length === SYSTEMS.length ? {} : { which: systems.join(",") }),
    ...(sizes.length === 0
      ? {}
      : { sizes: sizes.toSorted((one, other) => one - other).join(",") }),
    page_bytes: inputs.page_bytes,
    checkpoint_pages: inputs.checkpoint_pages,
    log_bytes: inputs.log_bytes_per_update,
    block_pages: inputs.pages_per_block,
    ...(inputs.blocks == null ? {} : { blocks: inputs.blocks }),
    ...(inputs.spare == null ? {} : { spare: inputs.spare }),
    ...(inputs.durable === false ? { durable: "no" as const } : {}),
    ...(inputs.crash === "none" ? { crash: "no" as const } : {}),
  };
  const isOnThePage =
    (inputs.crash === "none" || inputs.crash === "end") &&
    inputs.database_pages == null;
  return isOnThePage && (upload !== null || study.is_example) ? search : null;
}

/** Why a study has no address. */
export const whyNoAddress = (
  study: Pick<TransactionStudySummary, "inputs" | "is_example">,
): string =>
  study.inputs.upload_id == null && !study.is_example
    ? "the file of its events was deleted"
    : "it was asked over HTTP for a crash or a database that this page has no fields for";

const given = <Name extends keyof TransactionStudyIn>(
  name: Name,
  value: TransactionStudyIn[Name] | undefined,
): Partial<Pick<TransactionStudyIn, Name>> =>
  value === undefined ? {} : ({ [name]: value } as Pick<TransactionStudyIn, Name>);

/** The times of the address; absent ones are the server's. */
export const studyPrices = (search: TransactionsSearch): StudyPrices =>
  Object.fromEntries(
    (["read_us", "write_us", "erase_us", "disk_us"] as const).flatMap((name) =>
      search[name] === undefined ? [] : [[name, search[name]]],
    ),
  );

/** The buffer that is shown: the one of the address if it was replayed, else the middle one. */
export function shownSize(
  found: Pick<TransactionStudyOut, "rows" | "shown_pages">,
  asked: number | undefined,
): number | null {
  const has = found.rows.some((row) => row.ram_pages === asked);
  return has && asked !== undefined ? asked : found.shown_pages;
}

export const rowsAt = (
  found: Pick<TransactionStudyOut, "rows">,
  pages: number | null,
): readonly StudyRow[] => found.rows.filter((row) => row.ram_pages === pages);

/** Whether rows are still to come: a run that failed or was cancelled brings no more. */
export const isAwaited = (study: {
  readonly error: Error | null;
  readonly run: Pick<RunOut, "status"> | undefined;
}): boolean =>
  study.error === null &&
  study.run?.status !== "failed" &&
  study.run?.status !== "cancelled";

/** The flash that was written: that of the answer, whatever the form says since. */
export const flashText = ({
  blocks,
  inputs,
}: Pick<TransactionStudyOut, "blocks" | "inputs">): string =>
  `${counted(blocks ?? 0, "block")} of a ${inputs.spare == null ? "raw chip" : "flash device with a translation layer"}`;

/** Reads cool, writes warm, erases dark: in both colour schemes apart from the panel. */
export const PARTS: readonly BarPart[] = [
  { name: "read", title: "Reads", light: "#1971c2", dark: "#74c0fc" },
  { name: "write", title: "Writes", light: "#c4500a", dark: "#f08a3c" },
  { name: "erase", title: "Erases", light: "#495057", dark: "#ced4da" },
];

/** A bar a system, the fastest first. [s] */
export function timeBars(rows: readonly StudyRow[]): StackedBar[] {
  const sorted = rows.toSorted((one, other) => one.time_us - other.time_us);
  const least = sorted[0]?.time_us;
  return sorted.map((row) => ({
    title: row.title,
    parts: {
      read: row.read_time_us / US_PER_S,
      write: row.write_time_us / US_PER_S,
      erase: row.erase_time_us / US_PER_S,
    },
    best: row.time_us === least,
  }));
}

/** A line a system over the sizes of the buffer. [s] */
export function timeLines(
  rows: readonly StudyRow[],
  colors: ColorScheme,
): LineSeries[] {
  const systems = [...new Map(rows.map((row) => [row.system, row.title]))];
  return systems.map(([system, title]) => {
    const { color, shape } = schemeMark(system, colors);
    return {
      name: title,
      color,
      symbol: shape,
      points: rows.flatMap((row) =>
        row.system === system ? [[row.ram_pages, row.time_us / US_PER_S] as const] : [],
      ),
    };
  });
}

const duration = (value: number | null): string =>
  value === null ? UNKNOWN : formatDuration(microseconds(value));

const BUFFER: Column<StudyRow, string> = valueColumn(
  "Buffer [pages]",
  (row) => row.ram_pages,
  formatCount,
);

/** Without the buffer, which is the same in every row of a table of the page. */
export const ofOneBuffer = (columns: readonly Column<StudyRow, string>[]) =>
  columns.filter((column) => column !== BUFFER);

/** What the page shows of a system, and an export of all sizes. */
export const COLUMNS: readonly Column<StudyRow, string>[] = [
  {
    key: "System",
    rowHeader: true,
    csv: (row) => row.title,
    cell: (row) => row.title,
  },
  BUFFER,
  {
    key: "Time on flash [µs]",
    head: "Time on flash",
    csv: (row) => row.time_us,
    cell: (row) => duration(row.time_us),
  },
  {
    key: "Time on a disk [µs]",
    head: "On a disk",
    csv: (row) => row.disk_time_us,
    cell: (row) => duration(row.disk_time_us),
  },
  valueColumn("Pages written", (row) => row.data_pages_written, formatCount),
  valueColumn("Log records", (row) => row.log_pages_written, formatCount),
  valueColumn("Log pages", (row) => row.wal_pages_written, formatCount),
  valueColumn("Restored", (row) => row.undo_pages_written, formatCount),
  valueColumn("Page reads", (row) => row.reads, formatCount),
  valueColumn("Erases", (row) => row.erases, formatCount),
  valueColumn(
    "WAF",
    (row) => row.write_amplification,
    (value) => formatShort(value),
  ),
  valueColumn("Uncommitted", (row) => row.uncommitted_pages_written, formatCount),
];

/** What a restart takes, of those that can restart. */
export const RESTART_COLUMNS: readonly Column<StudyRow, string>[] = [
  {
    key: "System",
    rowHeader: true,
    csv: (row) => row.title,
    cell: (row) => row.title,
  },
  BUFFER,
  valueColumn(
    "Log pages read",
    (row) => row.recovery?.log_pages_read ?? null,
    formatCount,
  ),
  valueColumn("Pages read", (row) => row.recovery?.pages_read ?? null, formatCount),
  valueColumn("Redone", (row) => row.recovery?.redone ?? null, formatCount),
  valueColumn("Undone", (row) => row.recovery?.undone ?? null, formatCount),
  valueColumn(
    "Transactions undone",
    (row) => row.recovery?.losers ?? null,
    formatCount,
  ),
  {
    key: "Restart on flash [µs]",
    head: "On flash",
    csv: (row) => row.restart_us,
    cell: (row) => duration(row.restart_us),
  },
  {
    key: "Restart on a disk [µs]",
    head: "On a disk",
    csv: (row) => row.restart_disk_us,
    cell: (row) => duration(row.restart_disk_us),
  },
];

export const studyTable = (
  rows: readonly StudyRow[],
  shown: number | null,
): ChartTable =>
  chartTable(rows, COLUMNS, {
    shown: (row) => row.ram_pages === shown,
  });

export const linesTable = (rows: readonly StudyRow[]): ChartTable =>
  chartTable(rows, [
    valueColumn("System", (row) => row.title),
    valueColumn("Buffer [pages]", (row) => row.ram_pages, formatCount),
    valueColumn("Time on flash [s]", (row) => row.time_us / US_PER_S),
  ]);

/** What the file of events holds, in a sentence. */
export function eventsText(found: TransactionStudyOut): string {
  const { survey } = found;
  const name = found.is_example ? "A recording of pgbench" : found.filename;
  return survey === null
    ? name
    : `${name}: ${counted(survey.transactions, "transaction")}, of which ${formatCount(survey.committed)} committed and ${formatCount(survey.aborted)} aborted; ${counted(survey.reads, "read")} and ${counted(survey.updates, "update")} of ${counted(survey.pages, "page")}`;
}
