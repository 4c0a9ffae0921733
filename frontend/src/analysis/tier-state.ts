/** What "What a tier costs" on the page of hardware adds to the address. */
import { wholeBetween } from "./dollar-state";

export interface TierSearch {
  /** Ids of the compared devices, joined by commas; absent: those of the analysis. */
  tier_devices?: string | undefined;
  /** Held. [GiB] */
  held_gib?: number | undefined;
  /** Random accesses. [1/s] */
  tier_reads?: number | undefined;
  tier_writes?: number | undefined;
  tier_page?: number | undefined;
  usd_per_kwh?: number | undefined;
  /** A year. [1] */
  interest?: number | undefined;
  tier_months?: number | undefined;
  /** "yes": whole devices are bought, not bytes. */
  whole?: "yes" | undefined;
  volume_iops?: number | undefined;
  volume_mb_per_s?: number | undefined;
}

export const TIER_BOUNDS = {
  held_gib: { low: 0, high: 1e6 },
  tier_reads: { low: 0, high: 1e9 },
  tier_writes: { low: 0, high: 1e9 },
  usd_per_kwh: { low: 0, high: 100 },
  interest: { low: 0, high: 10 },
  volume_iops: { low: 0, high: 1e9 },
  volume_mb_per_s: { low: 0, high: 1e9 },
} as const;

export const MOST_TIER_DEVICES = 20;
const IDENTIFIERS = /^[a-z0-9][a-z0-9._-]{0,99}(,[a-z0-9][a-z0-9._-]{0,99}){0,19}$/;

const amount = (
  raw: Record<string, unknown>,
  key: keyof typeof TIER_BOUNDS,
): number | undefined => {
  const value = raw[key];
  const { low, high } = TIER_BOUNDS[key];
  return typeof value === "number" && value >= low && value <= high ? value : undefined;
};

/** Reads the panel's own parameters; what cannot be used counts as absent. */
export function parseTierSearch(raw: Record<string, unknown>): TierSearch {
  const devices = raw["tier_devices"];
  return {
    tier_devices:
      typeof devices === "string" && IDENTIFIERS.test(devices) ? devices : undefined,
    held_gib: amount(raw, "held_gib"),
    tier_reads: amount(raw, "tier_reads"),
    tier_writes: amount(raw, "tier_writes"),
    tier_page: wholeBetween(raw["tier_page"], 512, 2 ** 24),
    usd_per_kwh: amount(raw, "usd_per_kwh"),
    interest: amount(raw, "interest"),
    tier_months: wholeBetween(raw["tier_months"], 1, 600),
    whole: raw["whole"] === "yes" ? "yes" : undefined,
    volume_iops: amount(raw, "volume_iops"),
    volume_mb_per_s: amount(raw, "volume_mb_per_s"),
  };
}
