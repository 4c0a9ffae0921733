import {
  type Bounds,
  bounded,
  type Field,
  oneOf,
  type Refused,
  readAddress,
  text,
} from "./address";

/** What the page of wear and recovery adds to the address; absent: the usual value. */
export interface WearSearch extends WearNumbers {
  /** Which transactions are replayed; absent: made like the paper's Figure 6(a). */
  tx_source?: TransactionSource | undefined;
  /** Events of one's own, one a line. */
  tx_events?: string | undefined;
}

export const TRANSACTION_SOURCES = [
  "half_loaded",
  "concurrent_loads",
  "events",
] as const;

export type TransactionSource = (typeof TRANSACTION_SOURCES)[number];

/** An address holds no more. */
export const MOST_EVENT_CHARACTERS = 2000;

export interface WearNumbers {
  /** Page accesses a second; absent: the workload's own. */
  rate?: number | undefined;
  /** Of the load, a year; 0.2: 20 % more. */
  growth?: number | undefined;
  devices?: number | undefined;
  written_tb?: number | undefined;
  rated_tb?: number | undefined;
  rated_dwpd?: number | undefined;
  rated_years?: number | undefined;
  pe_cycles?: number | undefined;
  waf_in_place?: number | undefined;
  waf_appended?: number | undefined;
  /** Checkpoint interval. [s] */
  interval?: number | undefined;
  redo_pages?: number | undefined;
  redo_writes?: number | undefined;
  /** Share of redone pages that flash holds. */
  flash_share?: number | undefined;
  /** Of a fragment cache: the fragment. [KiB] */
  fragment_kib?: number | undefined;
  /** Address space behind it; absent: the pages of the workload. [GiB] */
  source_gib?: number | undefined;
  /** Of the reads that reach it; absent: from the workload. [1] */
  miss_rate?: number | undefined;
  /** Mean run of useful pages. [KiB] */
  run_kib?: number | undefined;
  /** Useful share of the space outside the runs. [1] */
  density?: number | undefined;
  /** Sleep of a population thread. [s] */
  period_s?: number | undefined;
  /** Of one transaction on raw flash: pages that it changed. */
  tx_dirty?: number | undefined;
  /** Log records of one of them. [B] */
  tx_log_bytes?: number | undefined;
  /** Log pages read with a page that is wanted again. */
  tx_log_pages?: number | undefined;
  /** Pages wanted again. */
  tx_again?: number | undefined;
  /** Buffer. [MiB] */
  tx_ram_mib?: number | undefined;
  /** Times of the chip. [µs] */
  tx_read_us?: number | undefined;
  tx_write_us?: number | undefined;
  tx_erase_us?: number | undefined;
  /** Page of the chip. [B] */
  tx_page_bytes?: number | undefined;
  tx_block_pages?: number | undefined;
  /** Measured changes, as shares. */
  tx_slower?: number | undefined;
  tx_saved?: number | undefined;
  tx_total?: number | undefined;
  /** Of the replay: transactions, the pages of each, the buffer in pages. */
  tx_committed?: number | undefined;
  tx_running?: number | undefined;
  tx_each?: number | undefined;
  tx_ram_pages?: number | undefined;
}

/** The same bounds as the server's. */
export const WEAR_BOUNDS: Readonly<Record<keyof WearNumbers, Bounds>> = {
  rate: { low: 0, high: 1e12 },
  growth: { low: -0.99, high: 100 },
  devices: { low: 1, high: 10_000, whole: true },
  written_tb: { low: 0, high: 1e15 },
  rated_tb: { low: 1e-9, high: 1e15 },
  rated_dwpd: { low: 1e-9, high: 1e15 },
  rated_years: { low: 1e-9, high: 1000 },
  pe_cycles: { low: 1e-9, high: 1e15 },
  waf_in_place: { low: 1e-9, high: 1e6 },
  waf_appended: { low: 1e-9, high: 1e6 },
  interval: { low: 1e-9, high: 1e9 },
  redo_pages: { low: 0, high: 1e15 },
  redo_writes: { low: 0, high: 1e15 },
  flash_share: { low: 0, high: 1 },
  fragment_kib: { low: 4, high: 2 ** 20, whole: true },
  source_gib: { low: 1e-5, high: 1e9 },
  miss_rate: { low: 0, high: 1 },
  run_kib: { low: 4, high: 1e12 },
  density: { low: 0, high: 1 },
  period_s: { low: 1e-6, high: 1e6 },
  tx_dirty: { low: 0, high: 1e9, whole: true },
  tx_log_bytes: { low: 0, high: 1e9 },
  tx_log_pages: { low: 0, high: 1e9 },
  tx_again: { low: 0, high: 1e9 },
  tx_ram_mib: { low: 0.01, high: 2 ** 20 },
  tx_read_us: { low: 1e-6, high: 1e9 },
  tx_write_us: { low: 1e-6, high: 1e9 },
  tx_erase_us: { low: 1e-6, high: 1e9 },
  tx_page_bytes: { low: 1, high: 2 ** 24, whole: true },
  tx_block_pages: { low: 1, high: 2 ** 14, whole: true },
  tx_slower: { low: -100, high: 100 },
  tx_saved: { low: -100, high: 100 },
  tx_total: { low: -100, high: 100 },
  tx_committed: { low: 0, high: 512, whole: true },
  tx_running: { low: 1, high: 512, whole: true },
  tx_each: { low: 2, high: 64, whole: true },
  tx_ram_pages: { low: 1, high: 2 ** 24, whole: true },
};

export const WEAR_KEYS = Object.keys(WEAR_BOUNDS) as (keyof WearNumbers)[];

const numberFields = Object.fromEntries(
  Object.entries(WEAR_BOUNDS).map(([name, bounds]) => [name, bounded(bounds)]),
) as Record<keyof WearNumbers, Field<number>>;

const FIELDS = {
  ...numberFields,
  tx_source: oneOf(TRANSACTION_SOURCES),
  tx_events: text(MOST_EVENT_CHARACTERS),
} as const;

/** Reads the page's own parameters. */
export const parseWearSearch = (raw: Record<string, unknown>): WearSearch & Refused =>
  readAddress(FIELDS, raw);
