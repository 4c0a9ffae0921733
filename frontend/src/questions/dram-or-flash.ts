/** What the page "DRAM or flash" adds to the address. */
import { AccessIntervalsIn, BreakEvenIn } from "@/api/gen/bounds.gen";
import {
  atLeast,
  bounded,
  metadataName,
  namedFields,
  oneOf,
  type Refused,
  readAddress,
  share,
  whole,
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
  /** Price of a core of the host; absent: the processor is not counted. [USD] */
  core_usd?: number | undefined;
  /** I/Os per second that a core drives. */
  core_iops?: number | undefined;
  /** Bandwidth of a DRAM module, where it is scarce; absent: left out. [GB/s] */
  dram_gb_per_s?: number | undefined;
  /** Capacity of that module. [GiB] */
  dram_gib?: number | undefined;
  /** Price of electricity; absent: power is not counted. [USD/kWh] */
  usd_kwh?: number | undefined;
  /** Power of each GiB of memory. [W/GiB] */
  watts_gib?: number | undefined;
  /** Flash drives that share the misses of RAM. */
  drives?: number | undefined;
  /** Bandwidth of all DRAM; absent: no limit. [GB/s] */
  memory_gb_per_s?: number | undefined;
  /** Median of stated access intervals, for the platform; absent: the workload's curve. [s] */
  interval_s?: number | undefined;
  /** Deviation of their logarithm. */
  interval_sigma?: number | undefined;
  /** Pages that have them; absent: those of the workload. */
  interval_pages?: number | undefined;
  /** Page accesses per second; absent: those of the recording. */
  rate?: number | undefined;
  /** Price of far memory over that of DRAM. */
  far_ratio?: number | undefined;
  /** Extra latency of a load of far memory. [ns] */
  far_ns?: number | undefined;
  /** Of the core that waits for it. [USD/h] */
  core_hour?: number | undefined;
  /** Object of a store with fees. [KiB] */
  object_kib?: number | undefined;
  /** Fee of 1,000 requests. [USD] */
  requests_usd?: number | undefined;
  /** Fee of a GB transferred. [USD] */
  egress_usd?: number | undefined;
  /** Share of reads among the accesses below RAM; absent: that of the workload. */
  reads?: number | undefined;
}

/** Capacity of a DRAM module unless another is given. [GiB] */
export const USUAL_MODULE_GIB = 64;
/** Spread of stated access intervals unless given: strong locality. */
export const USUAL_SIGMA = 1.2;
/** Power of memory unless given: 8 W of a module of 32 GiB. [W/GiB] */
export const USUAL_WATTS_GIB = 0.25;
/** I/Os per second that a core drives unless given. */
export const USUAL_CORE_IOPS = 1_000_000;
/** Examples of far memory and of a store, until others are entered. */
export const ELSEWHERE = {
  far_ratio: 0.5,
  far_ns: 100,
  core_hour: 0.04,
  object_kib: 1024,
  requests_usd: 0.0004,
  egress_usd: 0,
};

export const MOST_RATE = 1e12;
export const LEAST_SIGMA = 0.01;
export const MOST_SIGMA = AccessIntervalsIn.sigma.high;
export const MOST_PAGES = AccessIntervalsIn.pages.high;

export const MIN_RATIO = 0.001;
export const MAX_RATIO = 2;

const FIELDS = namedFields({
  usd: bounded(atLeast(BreakEvenIn.usd, 1e-9)),
  price_ratio: bounded(atLeast(BreakEvenIn.price_ratio, 1e-6)),
  form: oneOf(["plain"]),
  disks: bounded(BreakEvenIn.disks),
  old_share: bounded(BreakEvenIn.old_share),
  appends: oneOf([true]),
  metadata: metadataName,
  host_usd: bounded(BreakEvenIn.host_usd),
  core_usd: bounded(BreakEvenIn.core_usd),
  core_iops: bounded({ low: 1, high: MOST_RATE }),
  dram_gb_per_s: bounded({ low: 0.001, high: 1e6 }),
  dram_gib: bounded({ low: 0.001, high: 1e6 }),
  usd_kwh: bounded(BreakEvenIn.usd_per_kwh),
  watts_gib: bounded(BreakEvenIn.watts_per_gib),
  drives: bounded(BreakEvenIn.drives),
  memory_gb_per_s: bounded({ low: 1e-6, high: 1e6 }),
  interval_s: bounded({ low: 1e-9, high: MOST_RATE }),
  interval_sigma: bounded({ low: LEAST_SIGMA, high: MOST_SIGMA }),
  interval_pages: whole(AccessIntervalsIn.pages, "pages"),
  rate: bounded({ low: 1e-6, high: MOST_RATE }),
  far_ratio: share,
  far_ns: bounded({ low: 1, high: 1e6 }),
  core_hour: bounded({ low: 1e-6, high: 1e4 }),
  object_kib: bounded({ low: 0.001, high: 1e9 }),
  requests_usd: bounded({ low: 0, high: 1e6 }),
  egress_usd: bounded({ low: 0, high: 1e6 }),
  reads: share,
});

/** Reads the page's own parameters. */
export const parseDollarSearch = (
  raw: Record<string, unknown>,
): DollarSearch & Refused => readAddress(FIELDS, raw);

/** Money as the server reads it: a decimal text without exponent. */
export const decimalText = (usd: number): string =>
  usd.toFixed(12).replace(/\.?0+$/, "");
