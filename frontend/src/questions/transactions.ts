/** What the page of recorded transactions adds to the address. */
import { GetTransactionStudyQuery, TransactionStudyIn } from "@/api/gen/bounds.gen";
import {
  bounded,
  identifier,
  namedFields,
  oneOf,
  type Refused,
  readAddress,
  readBy,
} from "./address";

export const SYSTEMS = [
  "page_lru",
  "aries",
  "committed_first",
  "aat",
  "transaction_page",
  "log_write",
  "transaction_log",
] as const;
export type System = (typeof SYSTEMS)[number];

export const MOST_SIZES = TransactionStudyIn.ram_pages.most;
const MOST_PAGES = 2 ** 32 - 2;
const SIZES_TEXT = /^\d{1,10}(,\d{1,10})*$/;

/** What the page asks where the address says nothing: pages of PostgreSQL, a checkpoint each MiB. */
export const USUAL = { page_bytes: 8192, checkpoint_pages: 128 } as const;

export interface TransactionsSearch {
  /** Upload of the events; absent: the worked example. */
  events?: string | undefined;
  /** Names with commas between; absent: all. */
  which?: string | undefined;
  /** Buffer sizes with commas between; absent: shares of the page numbers. [pages] */
  sizes?: string | undefined;
  /** The buffer that the chart and the table are of. [pages] */
  ram?: number | undefined;
  /** Of a flash device with a translation layer; absent: the raw chip. [1] */
  spare?: number | undefined;
  blocks?: number | undefined;
  block_pages?: number | undefined;
  page_bytes?: number | undefined;
  log_bytes?: number | undefined;
  checkpoint_pages?: number | undefined;
  /** "no": only ARIES keeps a log that is forced at commit. */
  durable?: "no" | undefined;
  /** "no": nothing crashes; absent: after the last event. */
  crash?: "no" | undefined;
  read_us?: number | undefined;
  write_us?: number | undefined;
  erase_us?: number | undefined;
  disk_us?: number | undefined;
}

export const TRANSACTION_BOUNDS = {
  ram: { low: 1, high: MOST_PAGES, whole: true },
  spare: TransactionStudyIn.spare,
  blocks: TransactionStudyIn.blocks,
  block_pages: TransactionStudyIn.pages_per_block,
  page_bytes: TransactionStudyIn.page_bytes,
  log_bytes: TransactionStudyIn.log_bytes_per_update,
  checkpoint_pages: TransactionStudyIn.checkpoint_pages,
  read_us: GetTransactionStudyQuery.read_us,
  write_us: GetTransactionStudyQuery.write_us,
  erase_us: GetTransactionStudyQuery.erase_us,
  disk_us: GetTransactionStudyQuery.disk_us,
} as const;

/** The systems of an address, in their order. */
export const systemsOf = (written: string | undefined): readonly System[] => {
  const names = written?.split(",") ?? SYSTEMS;
  return SYSTEMS.filter((system) => names.includes(system));
};

const readSystems = (value: unknown): string | undefined =>
  typeof value === "string" &&
  value.split(",").every((name) => SYSTEMS.some((known) => known === name))
    ? value
    : undefined;

/** Buffer sizes as they are typed or written: ascending, each once. */
export function sizesOf(written: string | number | undefined): number[] | undefined {
  const text = String(written ?? "").replaceAll(/\s/g, "");
  if (!SIZES_TEXT.test(text)) {
    return undefined;
  }
  const sizes = [...new Set(text.split(",").map(Number))].toSorted(
    (one, other) => one - other,
  );
  const fits = sizes.every((pages) => pages >= 1 && pages <= MOST_PAGES);
  return fits && sizes.length <= MOST_SIZES ? sizes : undefined;
}

const readSizes = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number"
    ? sizesOf(value)?.join(",")
    : undefined;

const FIELDS = namedFields({
  events: identifier("the id of an upload"),
  which: readBy(readSystems, `some of ${SYSTEMS.join(", ")}`),
  sizes: readBy(
    readSizes,
    `up to ${MOST_SIZES} whole numbers of pages, such as 64,256`,
  ),
  ram: bounded(TRANSACTION_BOUNDS.ram),
  spare: bounded(TRANSACTION_BOUNDS.spare),
  blocks: bounded(TRANSACTION_BOUNDS.blocks),
  block_pages: bounded(TRANSACTION_BOUNDS.block_pages),
  page_bytes: bounded(TRANSACTION_BOUNDS.page_bytes),
  log_bytes: bounded(TRANSACTION_BOUNDS.log_bytes),
  checkpoint_pages: bounded(TRANSACTION_BOUNDS.checkpoint_pages),
  durable: oneOf(["no"]),
  crash: oneOf(["no"]),
  read_us: bounded(TRANSACTION_BOUNDS.read_us),
  write_us: bounded(TRANSACTION_BOUNDS.write_us),
  erase_us: bounded(TRANSACTION_BOUNDS.erase_us),
  disk_us: bounded(TRANSACTION_BOUNDS.disk_us),
});

/** Reads the page's own parameters. */
export const parseTransactionsSearch = (
  raw: Record<string, unknown>,
): TransactionsSearch & Refused => readAddress(FIELDS, raw);
