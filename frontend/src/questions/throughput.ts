/** What the page "Throughput" adds to the address. */
import {
  CourseIn,
  ResponseCheckIn,
  ResponseTimeIn,
  ThroughputIn,
} from "@/api/gen/bounds.gen";
import type { CachesSearch } from "@/components/caches";
import {
  atLeast,
  bounded,
  cacheNames,
  inUnits,
  metadataName,
  namedFields,
  oneOf,
  optionTexts,
  type Refused,
  readAddress,
  text,
} from "./address";

export const VARIED = ThroughputIn.vary.values;
export type Varied = (typeof VARIED)[number];
export type CourseArrivals = (typeof CourseIn.arrivals.values)[number];
export type Arrivals = (typeof ResponseCheckIn.arrivals.values)[number];

export interface ThroughputSearch extends CachesSearch {
  clients?: number | undefined;
  disks?: number | undefined;
  flash_devices?: number | undefined;
  /** Time between a client's transactions. [ms] */
  think_ms?: number | undefined;
  /** Page accesses of one transaction. */
  accesses?: number | undefined;
  /** Processor time of one transaction. [µs] */
  cpu_us?: number | undefined;
  cpus?: number | undefined;
  vary?: Varied | undefined;
  show?: "response" | undefined;
  /** Page accesses of one machine, for response times. [1/s] */
  rate?: number | undefined;
  /** The same in the busiest hour. [1/s] */
  peak_rate?: number | undefined;
  /** How accesses arrive in the replay that checks response times. */
  arrivals?: Arrivals | undefined;
  /** Clients of that replay, where they wait and think. */
  loop?: number | undefined;
  seed?: number | undefined;
  metadata?: string | undefined;
  /** The scheme or flash cache whose course over time is replayed. */
  system?: string | undefined;
  /** Its options, separated by spaces; absent: the defaults. */
  course_options?: string | undefined;
  /** How accesses arrive in that replay. */
  course_arrivals?: CourseArrivals | undefined;
  /** Length of its windows. [s] */
  window_s?: number | undefined;
  /** Share of the accesses before a crash. */
  crash_at?: number | undefined;
  restart?: "cold" | undefined;
  /** Between two checkpoints: what redo reads after the crash. [s] */
  interval?: number | undefined;
  course_show?: "rate" | "response" | undefined;
}

export const MAX_CLIENTS = ThroughputIn.clients.high;
const US_PER_MS = 1000;
const MOST_NAME = 64;

const FIELDS = namedFields({
  clients: bounded(ThroughputIn.clients),
  disks: bounded(ThroughputIn.disks),
  flash_devices: bounded(ThroughputIn.flash_devices),
  think_ms: bounded(inUnits(ThroughputIn.think_us, US_PER_MS)),
  accesses: bounded(atLeast(ThroughputIn.accesses_per_transaction, 1e-6)),
  cpu_us: bounded(ThroughputIn.cpu_us_per_transaction),
  cpus: bounded(ThroughputIn.cpus),
  vary: oneOf(VARIED),
  show: oneOf(["response"]),
  rate: bounded(atLeast(ResponseTimeIn.accesses_per_s, 1e-6)),
  peak_rate: bounded(atLeast(ResponseTimeIn.peak_accesses_per_s, 1e-6)),
  arrivals: oneOf(ResponseCheckIn.arrivals.values),
  loop: bounded(ResponseCheckIn.clients),
  seed: bounded(ResponseCheckIn.seed),
  caches: cacheNames,
  cache_options: optionTexts,
  metadata: metadataName,
  system: text(MOST_NAME),
  course_options: optionTexts,
  course_arrivals: oneOf(CourseIn.arrivals.values),
  window_s: bounded(atLeast(CourseIn.window_s, 1e-6)),
  crash_at: bounded(CourseIn.crash_at),
  restart: oneOf(["cold"]),
  interval: bounded(CourseIn.checkpoint_interval_s),
  course_show: oneOf(["rate", "response"]),
});

/** Reads the page's own parameters. */
export const parseThroughputSearch = (
  raw: Record<string, unknown>,
): ThroughputSearch & Refused => readAddress(FIELDS, raw);
