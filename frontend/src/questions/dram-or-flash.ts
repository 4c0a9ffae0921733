/** What the page "DRAM or flash" adds to the address. */
import { BreakEvenIn } from "@/api/gen/bounds.gen";
import {
  atLeast,
  bounded,
  metadataName,
  oneOf,
  type Refused,
  readAddress,
  share,
} from "./address";

export interface DollarSearch {
  /** Next amount to spend; absent: the usual one. [USD] */
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

const FIELDS = {
  usd: bounded(atLeast(BreakEvenIn.usd, 1e-9)),
  price_ratio: bounded(atLeast(BreakEvenIn.price_ratio, 1e-6)),
  form: oneOf(["plain"]),
  disks: bounded(BreakEvenIn.disks),
  old_share: bounded(BreakEvenIn.old_share),
  appends: oneOf([true]),
  metadata: metadataName,
  host_usd: bounded(BreakEvenIn.host_usd),
  reads: share,
} as const;

/** Reads the page's own parameters. */
export const parseDollarSearch = (
  raw: Record<string, unknown>,
): DollarSearch & Refused => readAddress(FIELDS, raw);

/** Money as the server reads it: a decimal text without exponent. */
export const decimalText = (usd: number): string =>
  usd.toFixed(12).replace(/\.?0+$/, "");
