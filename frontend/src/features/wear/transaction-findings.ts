/** What the panel of transactions asks, draws and lists. */

import {
  TransactionReplayIn as REPLAY,
  TransactionWritesIn as WRITES,
} from "@/api/gen/bounds.gen";
import type {
  TransactionReplayIn,
  TransactionReplayOut,
  TransactionWritesIn,
  TransactionWritesOut,
} from "@/api/transactions";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { BarPart, StackedBar } from "@/charts/stacked-bars-option";
import { valueColumn } from "@/components/columns";
import { WEAR_KEYS, type WearSearch } from "@/questions/wear";
import { formatCount, formatDuration, microseconds } from "@/units/quantity";

const MIB = 2 ** 20;

/** Values taken where a field is empty: the paper's chip and transactions. */
export const USUAL = {
  dirty: WRITES.dirty_pages.usual,
  logBytes: WRITES.log_bytes_per_page.usual,
  ramMib: WRITES.ram_bytes.usual / MIB,
  readUs: WRITES.read_us.usual,
  writeUs: WRITES.write_us.usual,
  eraseUs: WRITES.erase_us.usual,
  pageBytes: WRITES.page_bytes.usual,
  blockPages: WRITES.pages_per_block.usual,
  slower: WRITES.read_slowdown.usual,
  saved: WRITES.write_saving.usual,
  total: WRITES.total_saving.usual,
  committed: REPLAY.committed.usual,
  running: REPLAY.running.usual,
  each: REPLAY.pages_each.usual,
  ramPages: REPLAY.ram_pages.usual,
} as const;

/** Whether an address asks about transactions. */
export const asksTransactions = (search: WearSearch): boolean =>
  search.tx_source !== undefined ||
  search.tx_events !== undefined ||
  WEAR_KEYS.some((key) => key.startsWith("tx_") && search[key] !== undefined);

const chip = (search: WearSearch) => ({
  read_us: search.tx_read_us ?? USUAL.readUs,
  write_us: search.tx_write_us ?? USUAL.writeUs,
  erase_us: search.tx_erase_us ?? USUAL.eraseUs,
  page_bytes: search.tx_page_bytes ?? USUAL.pageBytes,
  pages_per_block: search.tx_block_pages ?? USUAL.blockPages,
});

export const writesQuestion = (search: WearSearch): TransactionWritesIn => ({
  ...chip(search),
  dirty_pages: search.tx_dirty ?? USUAL.dirty,
  log_bytes_per_page: search.tx_log_bytes ?? USUAL.logBytes,
  log_pages_per_page: search.tx_log_pages ?? null,
  pages_reread: search.tx_again ?? null,
  ram_bytes: Math.round((search.tx_ram_mib ?? USUAL.ramMib) * MIB),
  read_slowdown: search.tx_slower ?? USUAL.slower,
  write_saving: search.tx_saved ?? USUAL.saved,
  total_saving: search.tx_total ?? USUAL.total,
});

export const replayQuestion = (search: WearSearch): TransactionReplayIn => ({
  ...chip(search),
  source: search.tx_source ?? "half_loaded",
  committed: search.tx_committed ?? USUAL.committed,
  running: search.tx_running ?? USUAL.running,
  pages_each: search.tx_each ?? USUAL.each,
  events: search.tx_source === "events" ? (search.tx_events ?? "") : "",
  ram_pages: search.tx_ram_pages ?? USUAL.ramPages,
});

export const duration = (us: number): string => formatDuration(microseconds(us));

const MS = 1000;

/** Time in ms over the pages wanted again, both ways. */
export const wayPoints = (
  found: TransactionWritesOut,
  way: "page" | "log",
): (readonly [number, number])[] =>
  found.curve_pages_reread.map((pages, at) => [
    pages,
    ((way === "page" ? found.curve_page_us : found.curve_log_us)[at] ?? 0) / MS,
  ]);

export const writesTable = (found: TransactionWritesOut): ChartTable =>
  chartTable(found.curve_pages_reread, [
    valueColumn("Pages reread", (pages) => pages),
    valueColumn("As pages [µs]", (_, at) => found.curve_page_us[at] ?? null),
    valueColumn("As log records [µs]", (_, at) => found.curve_log_us[at] ?? null),
  ]);

/** Times of a buffer's operations: the parts of its bar. */
export const OPERATIONS: readonly BarPart[] = [
  { name: "reads", title: "Page reads", light: "#a78bda", dark: "#c9b6f2" },
  { name: "writes", title: "Page writes", light: "#4b2a8f", dark: "#7350bd" },
  { name: "erases", title: "Block erases", light: "#c08a1e", dark: "#e6b450" },
];

/** Each buffer's time by operation, in ms. */
export function replayBars(found: TransactionReplayOut): StackedBar[] {
  const least = Math.min(...found.buffers.map(({ time_us }) => time_us));
  return found.buffers.map((row) => ({
    title: row.title,
    best: row.time_us === least,
    parts: {
      reads: row.read_time_us / MS,
      writes: row.write_time_us / MS,
      erases: row.erase_time_us / MS,
    },
  }));
}

export const replayTable = (found: TransactionReplayOut): ChartTable =>
  chartTable(
    found.buffers,
    [
      valueColumn("Buffer", (row) => row.title),
      valueColumn("Page reads", (row) => row.reads, formatCount),
      valueColumn("Page writes", (row) => row.writes, formatCount),
      valueColumn("Block erases", (row) => row.erases, formatCount),
      valueColumn("Log reads", (row) => row.extra_log_reads, formatCount),
      valueColumn(
        "Uncommitted pages written",
        (row) => row.uncommitted_pages_written,
        formatCount,
      ),
      valueColumn("Garbage pages", (row) => row.garbage_pages, formatCount),
      valueColumn("Time [µs]", (row) => row.time_us),
    ],
    {
      caption:
        "Reads and writes include the copies made by garbage collection. Garbage pages were written by transactions that aborted later.",
    },
  );
