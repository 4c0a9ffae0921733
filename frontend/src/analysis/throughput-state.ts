/** What the page "Throughput" adds to the address. */
import { wholeBetween } from "./dollar-state";
import { metadataName } from "./state";

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

const amount = (value: unknown, low: number): number | undefined =>
  typeof value === "number" && value >= low && value <= MAX_AMOUNT ? value : undefined;

/** Reads the page's own parameters; what cannot be used counts as absent. */
export function parseThroughputSearch(raw: Record<string, unknown>): ThroughputSearch {
  return {
    clients: wholeBetween(raw["clients"], 1, MAX_CLIENTS),
    disks: wholeBetween(raw["disks"], 1, MAX_DEVICES),
    flash_devices: wholeBetween(raw["flash_devices"], 1, MAX_DEVICES),
    think_ms: amount(raw["think_ms"], 0),
    accesses: amount(raw["accesses"], 1e-6),
    cpu_us: amount(raw["cpu_us"], 0),
    cpus: wholeBetween(raw["cpus"], 1, MAX_DEVICES),
    vary: VARIED.find((name) => name === raw["vary"]),
    show: raw["show"] === "response" ? "response" : undefined,
    metadata: metadataName(raw["metadata"]),
  };
}
