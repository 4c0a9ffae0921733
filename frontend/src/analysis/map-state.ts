/** What the page of scheme maps adds to the address. */
import { metadataName } from "./state";

export const AXIS_NAMES = [
  "flash_per_ram",
  "ram_pages",
  "flash_pages",
  "dirty_share",
  "asymmetry",
] as const;
export type AxisName = (typeof AXIS_NAMES)[number];

export interface MapSearch {
  x?: AxisName | undefined;
  y?: AxisName | undefined;
  x_low?: number | undefined;
  x_high?: number | undefined;
  y_low?: number | undefined;
  y_high?: number | undefined;
  /** Dirty share of all victims; absent: measured. */
  dirty_share?: number | undefined;
  /** F_W / F_R; absent: that of the flash device. */
  asymmetry?: number | undefined;
  /** Preset whose memory is charged to RAM. */
  metadata?: string | undefined;
  /** The same in addresses of earlier versions. */
  flash_metadata?: undefined;
  /** What the winner is best in: I/O time unless said. */
  by?: "price" | undefined;
}

const MOST = 1e15;

const axisName = (value: unknown): AxisName | undefined =>
  AXIS_NAMES.find((name) => name === value);

const number = (
  value: unknown,
  low: number,
  high: number,
  openLow = false,
): number | undefined =>
  typeof value === "number" && value <= high && (openLow ? value > low : value >= low)
    ? value
    : undefined;

/** Reads the page's own parameters; what cannot be used counts as absent. */
export function parseMapSearch(raw: Record<string, unknown>): MapSearch {
  return {
    x: axisName(raw["x"]),
    y: axisName(raw["y"]),
    x_low: number(raw["x_low"], 0, MOST),
    x_high: number(raw["x_high"], 0, MOST, true),
    y_low: number(raw["y_low"], 0, MOST),
    y_high: number(raw["y_high"], 0, MOST, true),
    dirty_share: number(raw["dirty_share"], 0, 1),
    asymmetry: number(raw["asymmetry"], 0, 1e9, true),
    metadata: metadataName(raw["metadata"]) ?? metadataName(raw["flash_metadata"]),
    flash_metadata: undefined,
    by: raw["by"] === "price" ? "price" : undefined,
  };
}
