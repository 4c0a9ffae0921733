/** What the page "Throughput" adds to the address. */
import { bounded, metadataName, oneOf, type Refused, readAddress } from "./address";

export const VARIED = ["clients", "disks", "flash_devices", "flash_pages"] as const;
export type Varied = (typeof VARIED)[number];

export interface ThroughputSearch {
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
  metadata?: string | undefined;
}

export const MAX_CLIENTS = 10_000;
const MAX_DEVICES = 100_000;
const MAX_AMOUNT = 1e9;

const FIELDS = {
  clients: bounded({ low: 1, high: MAX_CLIENTS, whole: true }),
  disks: bounded({ low: 1, high: MAX_DEVICES, whole: true }),
  flash_devices: bounded({ low: 1, high: MAX_DEVICES, whole: true }),
  think_ms: bounded({ low: 0, high: MAX_AMOUNT }),
  accesses: bounded({ low: 1e-6, high: MAX_AMOUNT }),
  cpu_us: bounded({ low: 0, high: MAX_AMOUNT }),
  cpus: bounded({ low: 1, high: MAX_DEVICES, whole: true }),
  vary: oneOf(VARIED),
  show: oneOf(["response"]),
  metadata: metadataName,
} as const;

/** Reads the page's own parameters. */
export const parseThroughputSearch = (
  raw: Record<string, unknown>,
): ThroughputSearch & Refused => readAddress(FIELDS, raw);
