/** The state a page starts from when the address leaves something open. */
import { type DeviceOut, devicesFor, type Role, soldAlone } from "@/api/catalog";
import type { WorkloadOut } from "@/api/workloads";
import { MEASURED_NAMES, measuredDevices } from "./measured-tiers";
import {
  type AnalysisSearch,
  type AnalysisState,
  completeState,
  isOfEarlierVersion,
  NONE,
} from "./point";

/** Sold today, priced by the default book, and complete for every page: times, life, rates, size. */
const PREFERRED: Readonly<Record<Role, readonly string[]>> = {
  ram: ["dram-ddr5-4800-rdimm"],
  flash: ["micron-9550-max-3.2tb", "intel-p4500-4tb"],
  disk: ["seagate-exos-x24-24tb", "seagate-exos-x20-20tb"],
};

export const DEFAULT_MONTHS = 36;
const RAM_SHARE = 0.01;
const FLASH_SHARE = 0.5;

export interface Choices {
  readonly workloads: readonly WorkloadOut[];
  readonly devices: readonly DeviceOut[];
  readonly priceBooks: readonly {
    readonly id: string;
    readonly date: string;
    readonly default: boolean;
  }[];
  /** Of the page: on some of them tiers that were measured stand in place of devices. */
  readonly pathname?: string;
}

function preferredDevice(
  devices: readonly DeviceOut[],
  role: Role,
): string | undefined {
  // What the system measured goes before what a device states.
  const measured = devices.find(
    (device) => device.sold_as === "running" && device.roles.includes(role),
  );
  if (measured !== undefined) {
    return measured.id;
  }
  const usable = devicesFor(devices, role).filter(soldAlone);
  const preferred = PREFERRED[role].find((id) =>
    usable.some((device) => device.id === id),
  );
  return preferred ?? usable[0]?.id;
}

/** The device that each tier has where none was chosen: memory, flash, disk. */
export const usualDevices = (devices: readonly DeviceOut[]): string[] =>
  (["ram", "flash", "disk"] as const).flatMap(
    (role) => preferredDevice(devices, role) ?? [],
  );

/** The first ready workload, the worked example before others. */
export function defaultWorkload(
  workloads: readonly WorkloadOut[],
): WorkloadOut | undefined {
  const ready = workloads.filter((workload) => workload.status === "ready");
  return ready.find((workload) => workload.example) ?? ready[0];
}

const GIB = 2 ** 30;
/** Of the data of production; together what a recording of a sixth of the data still fills. */
const PRODUCTION_RAM_SHARE = 1 / 64;
const PRODUCTION_FLASH_SHARE = 1 / 16;

type Summary = NonNullable<WorkloadOut["summary"]>;

/** Sizes to begin with: of one machine of production in whole GiB, or of the recording. */
export function usualSizes(
  summary: Pick<Summary, "curve_pages" | "distinct_pages" | "page_bytes"> & {
    readonly production?: Summary["production"];
    readonly evidence?: Pick<
      NonNullable<Summary["evidence"]>,
      "valid_from" | "valid_to"
    > | null;
  },
) {
  if (summary.evidence != null) {
    return knownSizes(summary.evidence);
  }
  const production = summary.production?.production;
  if (production === undefined) {
    // Beyond the end of a given curve nothing is known.
    return defaultSizes(summary.curve_pages ?? summary.distinct_pages);
  }
  const machineBytes =
    (production.data_bytes * production.replicas) / production.machines;
  const pages = (share: number) =>
    (Math.max(1, Math.round((machineBytes * share) / GIB)) * GIB) / summary.page_bytes;
  return {
    ram_pages: Math.round(pages(PRODUCTION_RAM_SHARE)),
    flash_pages: Math.round(pages(PRODUCTION_FLASH_SHARE)),
  };
}

/** RAM and flash of a curve from counters: from the first to the last size that it speaks of, and nothing beyond. */
export const knownSizes = (
  evidence: Pick<NonNullable<Summary["evidence"]>, "valid_from" | "valid_to">,
) => ({
  ram_pages: evidence.valid_from,
  flash_pages: evidence.valid_to - evidence.valid_from,
});

/** 1 % of the workload's pages in RAM and 50 % on flash. */
export function defaultSizes(distinctPages: number) {
  return {
    ram_pages: Math.max(1, Math.round(distinctPages * RAM_SHARE)),
    flash_pages: Math.max(1, Math.round(distinctPages * FLASH_SHARE)),
  };
}

/**
 * Fills what the address leaves open; `null` while that cannot be done, because no
 * workload is ready or no device fits a role.
 */
export function fillState(
  search: AnalysisSearch,
  choices: Choices,
): AnalysisState | null {
  const workload =
    search.workload === undefined
      ? defaultWorkload(choices.workloads)
      : choices.workloads.find((candidate) => candidate.id === search.workload);
  const summary = workload?.summary ?? null;
  const measured = measuredDevices(summary, choices.pathname ?? "");
  const devices = [...measured, ...choices.devices];
  const filled: AnalysisSearch = {
    workload: workload?.id,
    ...(summary === null ? {} : usualSizes(summary)),
    flash_device: preferredDevice(devices, "flash"),
    disk_device: preferredDevice(devices, "disk"),
    ram_device: preferredDevice(choices.devices, "ram") ?? NONE,
    price_book: usualBook(choices.priceBooks) ?? NONE,
    months: DEFAULT_MONTHS,
    start: isOfEarlierVersion(search) ? "cold" : "steady",
  };
  // A tier that was measured is one of its own workload, and of these pages.
  const isElsewhere = (value: unknown) =>
    typeof value === "string" &&
    MEASURED_NAMES.has(value) &&
    !measured.some((device) => device.id === value);
  const stated = Object.entries(search).filter(
    ([, value]) => value !== undefined && !isElsewhere(value),
  );
  return completeState({ ...filled, ...Object.fromEntries(stated) });
}

/** The book that says that it is the default one; else the newest of all. */
export function usualBook(books: Choices["priceBooks"]): string | undefined {
  return (
    books.find((book) => book.default) ??
    [...books].sort((one, other) => other.date.localeCompare(one.date))[0]
  )?.id;
}
