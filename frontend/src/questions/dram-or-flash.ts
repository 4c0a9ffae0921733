/** What the page "DRAM or flash" adds to the address. */
import {
  bounded,
  metadataName,
  oneOf,
  type Refused,
  readAddress,
  share,
} from "./address";

export interface DollarSearch {
  /** The next sum of money; absent: the usual one. [USD] */
  usd?: number | undefined;
  /** Price of flash over price of DRAM, a byte; absent: as the prices say. */
  price_ratio?: number | undefined;
  /** `plain` counts hits alone; absent: with flash writes and dirty pages. */
  form?: "plain" | undefined;
  disks?: number | undefined;
  /** Share of flash that holds old versions. */
  old_share?: number | undefined;
  /** Flash is written in appends. */
  appends?: true | undefined;
  /** Preset of memory that flash needs. */
  metadata?: string | undefined;
  host_usd?: number | undefined;
  /** Share of reads among the accesses below RAM; absent: that of the workload. */
  reads?: number | undefined;
}

export const MIN_RATIO = 0.001;
export const MAX_RATIO = 2;
const MAX_USD = 1e9;
const MAX_DISKS = 100_000;

const FIELDS = {
  usd: bounded({ low: 1e-9, high: MAX_USD }),
  price_ratio: bounded({ low: 1e-6, high: 1000 }),
  form: oneOf(["plain"]),
  disks: bounded({ low: 1, high: MAX_DISKS, whole: true }),
  old_share: bounded({ low: 0, high: 0.99 }),
  appends: oneOf([true]),
  metadata: metadataName,
  host_usd: bounded({ low: 0, high: MAX_USD }),
  reads: share,
} as const;

/** Reads the page's own parameters. */
export const parseDollarSearch = (
  raw: Record<string, unknown>,
): DollarSearch & Refused => readAddress(FIELDS, raw);

/** Money as the server reads it: a decimal text without exponent. */
export const decimalText = (usd: number): string =>
  usd.toFixed(12).replace(/\.?0+$/, "");
