/** What the page of the flash device adds to the address. */
import { FlashDeviceIn } from "@/api/gen/bounds.gen";
import { bounded, namedFields, oneOf, type Refused, readAddress } from "./address";

export const COLLECTIONS = FlashDeviceIn.collection.values;
export type Collection = (typeof COLLECTIONS)[number];
export const MAPPINGS = FlashDeviceIn.mapping.values;
export type Mapping = (typeof MAPPINGS)[number];
export const PATTERNS = FlashDeviceIn.workload.values;
export type Pattern = (typeof PATTERNS)[number];

export interface FlashDeviceSearch {
  /** Pages that the host sees. */
  logical_pages?: number | undefined;
  /** (physical - logical) / logical. [1] */
  spare?: number | undefined;
  block_pages?: number | undefined;
  /** Translation layer. */
  mapping?: Mapping | undefined;
  /** Of page mapping. */
  collection?: Collection | undefined;
  /** Blocks drawn, of which the emptiest is collected. */
  choices?: number | undefined;
  /** How pages are written. */
  pattern?: Pattern | undefined;
  exponent?: number | undefined;
  hot_pages?: number | undefined;
  hot_writes?: number | undefined;
  /** "yes": the hot pages, or the log, have a separate stream. */
  apart?: "yes" | undefined;
  /** Of the device's write buffer. */
  buffer_pages?: number | undefined;
  /** Share of the requests that trim. [1] */
  trim_share?: number | undefined;
  pe_cycles?: number | undefined;
  drive_writes_per_day?: number | undefined;
}

export const FLASH_DEVICE_BOUNDS = {
  logical_pages: FlashDeviceIn.logical_pages,
  spare: FlashDeviceIn.spare,
  block_pages: FlashDeviceIn.block_pages,
  choices: FlashDeviceIn.choices,
  exponent: FlashDeviceIn.exponent,
  hot_pages: FlashDeviceIn.hot_pages,
  hot_writes: FlashDeviceIn.hot_writes,
  buffer_pages: FlashDeviceIn.buffer_pages,
  trim_share: FlashDeviceIn.trim_share,
  pe_cycles: FlashDeviceIn.pe_cycles,
  drive_writes_per_day: FlashDeviceIn.drive_writes_per_day,
} as const;

const FIELDS = namedFields({
  logical_pages: bounded(FLASH_DEVICE_BOUNDS.logical_pages),
  spare: bounded(FLASH_DEVICE_BOUNDS.spare),
  block_pages: bounded(FLASH_DEVICE_BOUNDS.block_pages),
  mapping: oneOf(MAPPINGS),
  collection: oneOf(COLLECTIONS),
  choices: bounded(FLASH_DEVICE_BOUNDS.choices),
  pattern: oneOf(PATTERNS),
  exponent: bounded(FLASH_DEVICE_BOUNDS.exponent),
  hot_pages: bounded(FLASH_DEVICE_BOUNDS.hot_pages),
  hot_writes: bounded(FLASH_DEVICE_BOUNDS.hot_writes),
  apart: oneOf(["yes"]),
  buffer_pages: bounded(FLASH_DEVICE_BOUNDS.buffer_pages),
  trim_share: bounded(FLASH_DEVICE_BOUNDS.trim_share),
  pe_cycles: bounded(FLASH_DEVICE_BOUNDS.pe_cycles),
  drive_writes_per_day: bounded(FLASH_DEVICE_BOUNDS.drive_writes_per_day),
});

/** Reads the page's own parameters. */
export const parseFlashDeviceSearch = (
  raw: Record<string, unknown>,
): FlashDeviceSearch & Refused => readAddress(FIELDS, raw);
