/** Marks of the kinds of device, and helpers for their figures. */
import type { DeviceOut } from "@/api/catalog";
import type { MarkerShape } from "@/charts/palette";
import { KIND_TITLES } from "@/components/kind-titles";

interface Kind {
  readonly shape: MarkerShape;
  readonly light: string;
  readonly dark: string;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  dram: { shape: "circle", light: "#5c6470", dark: "#a9b1bd" },
  cxl: { shape: "pin", light: "#a8477f", dark: "#e199c3" },
  pmem: {
    shape: "roundRect",
    light: "#2b8cbe",
    dark: "#8fd0f5",
  },
  nvme: {
    shape: "diamond",
    light: "#00805f",
    dark: "#2fc79c",
  },
  sata_ssd: {
    shape: "rect",
    light: "#0072b2",
    dark: "#4ba3dc",
  },
  sd: { shape: "arrow", light: "#7a6a00", dark: "#e3d64b" },
  nand: { shape: "arrow", light: "#5f4b8b", dark: "#b9a6e8" },
  hdd: { shape: "triangle", light: "#c4500a", dark: "#f08a3c" },
  hdd_array: {
    shape: "triangle",
    light: "#7d3200",
    dark: "#ffb98a",
  },
  cloud_block: {
    shape: "roundRect",
    light: "#3b5bdb",
    dark: "#91a7ff",
  },
  cloud_disk: {
    shape: "roundRect",
    light: "#862e9c",
    dark: "#e599f7",
  },
  object: { shape: "pin", light: "#343a40", dark: "#dee2e6" },
};

export const kindTitle = (kind: string): string =>
  KIND_TITLES.get(kind) ?? kind.replaceAll("_", " ");

/** "read_latency_us" -> "read latency": the unit stands in its own column. */
export const figureTitle = (name: string): string =>
  name.replace(/_(us|ms|w|tb|mb_per_s)$/, "").replaceAll("_", " ");

export type SortKey = "name" | "kind" | "read" | "write" | "price" | "capacity";

const NUMBER_OF: Readonly<
  Record<Exclude<SortKey, "name" | "kind">, (device: DeviceOut) => number | null>
> = {
  read: (device) => device.read_service_us,
  write: (device) => device.write_service_us,
  price: (device) => (device.usd_per_gb === null ? null : Number(device.usd_per_gb)),
  capacity: (device) => device.capacity_bytes,
};

/** Sorted upwards; devices that lack the figure come last, whatever is asked. */
export function sortDevices(devices: readonly DeviceOut[], key: SortKey): DeviceOut[] {
  if (key === "name" || key === "kind") {
    return [...devices].sort(
      (one, other) =>
        one[key].localeCompare(other[key]) || one.name.localeCompare(other.name),
    );
  }
  const value = (device: DeviceOut) =>
    NUMBER_OF[key](device) ?? Number.POSITIVE_INFINITY;
  return [...devices].sort(
    (one, other) => value(one) - value(other) || one.name.localeCompare(other.name),
  );
}

/** Whether the time of an operation is made of figures that are assumptions. */
export const restsOnAssumption = (device: DeviceOut, operation: string): boolean =>
  device.assumed.some(
    (figure) => figure === `seek_${operation}_ms` || figure === "half_rotation_ms",
  );

/** Why a figure of the table is not there. */
export function missingReason(device: DeviceOut, wanted: string): string {
  const named = device.missing.filter((entry) => entry.includes(wanted));
  if (named.length > 0) {
    return named.join("; ");
  }
  return device.missing.length > 0
    ? `not stated by the source; missing: ${device.missing.join("; ")}`
    : "not stated by the source";
}
