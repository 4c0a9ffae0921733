/** What the panel of the fragment cache asks, draws and lists. */

import type { FragmentCacheIn, FragmentCacheOut } from "@/api/wear";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { valueColumn } from "@/components/columns";
import type { AnalysisState } from "@/questions/point";
import type { WearSearch } from "@/questions/wear";
import {
  bytes,
  formatBytes,
  formatPercent,
  formatSeconds,
  formatShort,
  ratio,
} from "@/units/quantity";

export const KIB = 1024;
const GIB = 2 ** 30;
const PAGE_KIB = 4;

export const USUAL_FRAGMENT_KIB = 1024;
export const USUAL_RUN_KIB = 64;
export const USUAL_PERIOD_S = 0.5;

/** A fragment holds whole pages of 4 KiB. */
const fragmentBytes = (kib: number) =>
  Math.max(1, Math.round(kib / PAGE_KIB)) * PAGE_KIB * KIB;

export function fragmentQuestion(
  state: AnalysisState,
  search: WearSearch,
  rate: number | null,
): FragmentCacheIn {
  return {
    workload_id: state.workload,
    ram_pages: state.ram_pages,
    flash_pages: Math.max(1, state.flash_pages),
    flash_device_id: state.flash_device,
    disk_device_id: state.disk_device,
    start: state.start,
    accesses_per_s: rate,
    source_bytes: search.source_gib === undefined ? null : search.source_gib * GIB,
    read_miss_rate: search.miss_rate ?? null,
    fragment_bytes: fragmentBytes(search.fragment_kib ?? USUAL_FRAGMENT_KIB),
    run_bytes: (search.run_kib ?? USUAL_RUN_KIB) * KIB,
    density: search.density ?? 0,
    period_s: search.period_s ?? USUAL_PERIOD_S,
  };
}

export const MEASURES = {
  fill_s: {
    label: "Fill",
    axis: "minimum fill time [s]",
    about: "Minimum fill time over the size of a fragment [s]",
    format: formatSeconds,
  },
  used_share: {
    label: "Useful",
    axis: "useful share of the flash [1]",
    about: "Useful share of the flash over the size of a fragment [1]",
    format: (value: number) => formatPercent(ratio(value)),
  },
  flash_writes_per_useful_byte: {
    label: "Writes",
    axis: "flash writes per useful byte [1]",
    about: "Flash writes per useful byte over the size of a fragment [1]",
    format: (value: number) => formatShort(value),
  },
  metadata_bytes: {
    label: "Memory",
    axis: "metadata in RAM [B]",
    about: "Metadata in RAM over the size of a fragment [B]",
    format: (value: number) => formatBytes(bytes(value)),
  },
} as const;

export type Measure = keyof typeof MEASURES;

export const isMeasure = (name: string): name is Measure => name in MEASURES;

export const measurePoints = (
  found: FragmentCacheOut,
  measure: Measure,
): (readonly [number, number])[] =>
  found.sizes.fragment_bytes.map((size, at) => [
    size / KIB,
    found.sizes[measure][at] ?? 0,
  ]);

export const fragmentTable = ({ sizes }: FragmentCacheOut): ChartTable =>
  chartTable(sizes.fragment_bytes, [
    valueColumn("Fragment [B]", (size) => size, MEASURES.metadata_bytes.format),
    valueColumn(
      "Fill [s]",
      (_, at) => sizes.fill_s[at] ?? null,
      MEASURES.fill_s.format,
    ),
    valueColumn(
      "Useful share",
      (_, at) => sizes.used_share[at] ?? null,
      MEASURES.used_share.format,
    ),
    valueColumn(
      "Flash writes per useful byte",
      (_, at) => sizes.flash_writes_per_useful_byte[at] ?? null,
      MEASURES.flash_writes_per_useful_byte.format,
    ),
    valueColumn(
      "Useful cache [B]",
      (_, at) => sizes.effective_cache_bytes[at] ?? null,
      MEASURES.metadata_bytes.format,
    ),
    valueColumn(
      "Metadata [B]",
      (_, at) => sizes.metadata_bytes[at] ?? null,
      MEASURES.metadata_bytes.format,
    ),
  ]);
