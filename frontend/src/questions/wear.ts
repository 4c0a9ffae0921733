import {
  FragmentCacheIn,
  RecoveryIn,
  TransactionReplayIn,
  TransactionWritesIn,
  WearIn,
} from "@/api/gen/bounds.gen";
import {
  type Bounds,
  bounded,
  cacheNames,
  type Field,
  inUnits,
  namedFields,
  oneOf,
  type Refused,
  readAddress,
  text,
} from "./address";

/** What the page of wear and recovery adds to the address; absent: the usual value. */
export interface WearSearch extends WearNumbers {
  /** Which transactions are replayed; absent: made like the paper's Figure 6(a). */
  tx_source?: TransactionSource | undefined;
  /** Which block a device collects; absent: the emptiest. */
  collection?: Collection | undefined;
  /** Events of one's own, one a line. */
  tx_events?: string | undefined;
  /** Policies and buffers that are replayed with all data on the flash device, separated by commas; absent: none. */
  data_on_flash?: string | undefined;
}

export const TRANSACTION_SOURCES = TransactionReplayIn.source.values;

export const COLLECTIONS = WearIn.collection.values;

export type Collection = (typeof COLLECTIONS)[number];

export type TransactionSource = (typeof TRANSACTION_SOURCES)[number];

/** An address holds no more. */
export const MOST_EVENT_CHARACTERS = 2000;

export interface WearNumbers {
  /** Page accesses per second; absent: the workload's own. */
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
  /** (physical - logical) / logical; 28: 28 %. */
  spare_percent?: number | undefined;
  /** Of an erase block. */
  block_pages?: number | undefined;
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

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Those of the server, in the units of the page. */
export const WEAR_BOUNDS: Readonly<Record<keyof WearNumbers, Bounds>> = {
  rate: WearIn.accesses_per_s,
  growth: WearIn.growth_per_year,
  devices: WearIn.devices,
  written_tb: WearIn.written_tb,
  rated_tb: WearIn.rated_tb,
  rated_dwpd: WearIn.rated_dwpd,
  rated_years: WearIn.rated_years,
  pe_cycles: WearIn.pe_cycles,
  waf_in_place: WearIn.waf_in_place,
  waf_appended: WearIn.waf_appended,
  spare_percent: WearIn.spare_percent,
  block_pages: WearIn.block_pages,
  interval: RecoveryIn.checkpoint_interval_s,
  redo_pages: RecoveryIn.redo_pages,
  redo_writes: RecoveryIn.redo_writes,
  flash_share: RecoveryIn.flash_share,
  fragment_kib: { ...inUnits(FragmentCacheIn.fragment_bytes, KIB), whole: true },
  source_gib: inUnits(FragmentCacheIn.source_bytes, GIB),
  miss_rate: FragmentCacheIn.read_miss_rate,
  run_kib: inUnits(FragmentCacheIn.run_bytes, KIB),
  density: FragmentCacheIn.density,
  period_s: FragmentCacheIn.period_s,
  tx_dirty: TransactionWritesIn.dirty_pages,
  tx_log_bytes: TransactionWritesIn.log_bytes_per_page,
  tx_log_pages: TransactionWritesIn.log_pages_per_page,
  tx_again: TransactionWritesIn.pages_reread,
  tx_ram_mib: inUnits(TransactionWritesIn.ram_bytes, MIB),
  tx_read_us: TransactionWritesIn.read_us,
  tx_write_us: TransactionWritesIn.write_us,
  tx_erase_us: TransactionWritesIn.erase_us,
  tx_page_bytes: TransactionWritesIn.page_bytes,
  tx_block_pages: TransactionWritesIn.pages_per_block,
  tx_slower: TransactionWritesIn.read_slowdown,
  tx_saved: TransactionWritesIn.write_saving,
  tx_total: TransactionWritesIn.total_saving,
  tx_committed: TransactionReplayIn.committed,
  tx_running: TransactionReplayIn.running,
  tx_each: TransactionReplayIn.pages_each,
  tx_ram_pages: TransactionReplayIn.ram_pages,
};

export const WEAR_KEYS = Object.keys(WEAR_BOUNDS) as (keyof WearNumbers)[];

const numberFields = Object.fromEntries(
  Object.entries(WEAR_BOUNDS).map(([name, bounds]) => [name, bounded(bounds)]),
) as Record<keyof WearNumbers, Field<number>>;

const FIELDS = namedFields({
  ...numberFields,
  tx_source: oneOf(TRANSACTION_SOURCES),
  collection: oneOf(COLLECTIONS),
  tx_events: text(MOST_EVENT_CHARACTERS),
  data_on_flash: cacheNames,
});

/** Reads the page's own parameters. */
export const parseWearSearch = (raw: Record<string, unknown>): WearSearch & Refused =>
  readAddress(FIELDS, raw);
