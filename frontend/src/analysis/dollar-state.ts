/** What the page "DRAM or flash" adds to the address. */
import { metadataName } from "./state";
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

const between = (value: unknown, low: number, high: number): number | undefined =>
  typeof value === "number" && value >= low && value <= high ? value : undefined;

/** A whole number within bounds, or nothing. */
export const wholeBetween = (
  value: unknown,
  low: number,
  high: number,
): number | undefined => {
  const found = between(value, low, high);
  return found !== undefined && Number.isSafeInteger(found) ? found : undefined;
};

/** Reads the page's own parameters; what cannot be used counts as absent. */
export function parseDollarSearch(raw: Record<string, unknown>): DollarSearch {
  return {
    usd: between(raw["usd"], 1e-9, MAX_USD),
    price_ratio: between(raw["price_ratio"], 1e-6, 1000),
    form: raw["form"] === "plain" ? "plain" : undefined,
    disks: wholeBetween(raw["disks"], 1, MAX_DISKS),
    old_share: between(raw["old_share"], 0, 0.99),
    appends: raw["appends"] === true ? true : undefined,
    metadata: metadataName(raw["metadata"]),
    host_usd: between(raw["host_usd"], 0, MAX_USD),
    reads: between(raw["reads"], 0, 1),
  };
}

/** Money as the server reads it: a decimal text without exponent. */
export const decimalText = (usd: number): string =>
  usd.toFixed(12).replace(/\.?0+$/, "");
