/** What "What a tier costs" on the page of hardware adds to the address. */
import { TierCostsIn } from "@/api/gen/bounds.gen";
import {
  bounded,
  inUnits,
  namedFields,
  oneOf,
  type Refused,
  readAddress,
  readBy,
} from "./address";

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
  /** Power of each GiB of a device that states none. [W/GiB] */
  watts_per_gib?: number | undefined;
  /** A year. [1] */
  interest?: number | undefined;
  tier_months?: number | undefined;
  /** "yes": whole devices are bought, not bytes. */
  whole?: "yes" | undefined;
  volume_iops?: number | undefined;
  volume_mb_per_s?: number | undefined;
}

const GIB = 2 ** 30;
export const SECONDS_PER_MONTH = 730 * 3600;

export const TIER_BOUNDS = {
  held_gib: inUnits(TierCostsIn.held_bytes, GIB),
  tier_reads: inUnits(TierCostsIn.reads_per_month, SECONDS_PER_MONTH),
  tier_writes: inUnits(TierCostsIn.writes_per_month, SECONDS_PER_MONTH),
  usd_per_kwh: TierCostsIn.usd_per_kwh,
  watts_per_gib: TierCostsIn.watts_per_gib,
  interest: TierCostsIn.interest_per_year,
  volume_iops: TierCostsIn.provisioned_iops,
  volume_mb_per_s: TierCostsIn.provisioned_mb_per_s,
} as const;

export const MOST_TIER_DEVICES = TierCostsIn.device_ids.most;
const IDENTIFIERS = /^[a-z0-9][a-z0-9._-]{0,99}(,[a-z0-9][a-z0-9._-]{0,99}){0,19}$/;

const FIELDS = namedFields({
  tier_devices: readBy(
    (value) =>
      typeof value === "string" && IDENTIFIERS.test(value) ? value : undefined,
    `the ids of at most ${MOST_TIER_DEVICES} devices, with commas`,
  ),
  held_gib: bounded(TIER_BOUNDS.held_gib),
  tier_reads: bounded(TIER_BOUNDS.tier_reads),
  tier_writes: bounded(TIER_BOUNDS.tier_writes),
  tier_page: bounded(TierCostsIn.page_bytes),
  usd_per_kwh: bounded(TIER_BOUNDS.usd_per_kwh),
  watts_per_gib: bounded(TIER_BOUNDS.watts_per_gib),
  interest: bounded(TIER_BOUNDS.interest),
  tier_months: bounded(TierCostsIn.amortisation_months),
  whole: oneOf(["yes"]),
  volume_iops: bounded(TIER_BOUNDS.volume_iops),
  volume_mb_per_s: bounded(TIER_BOUNDS.volume_mb_per_s),
});

/** Reads the panel's own parameters. */
export const parseTierSearch = (raw: Record<string, unknown>): TierSearch & Refused =>
  readAddress(FIELDS, raw);
