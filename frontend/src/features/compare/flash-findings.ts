/** What the panels "Which flash device?" and "Where does its directory go?" draw. */

import type {
  DirectoriesIn,
  DirectoriesOut,
  DirectoryOptionOut,
  FlashChoiceIn,
  FlashChoiceOut,
} from "@/api/flash-choice";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { BarPart, StackedBar } from "@/charts/stacked-bars-option";
import { valueColumn } from "@/components/columns";
import { type AnalysisState, NONE } from "@/questions/point";
import { shownCurrency } from "@/units/currency";
import {
  bytes,
  formatBytes,
  formatCount,
  formatMoney,
  formatPercent,
  ratio,
  usd,
} from "@/units/quantity";

/** More bars than these say nothing; the table holds them all. */
const MOST_BARS = 12;

export function choiceQuestion(
  state: AnalysisState,
  dirtyShare: number | undefined,
  metadata?: string | undefined,
): FlashChoiceIn {
  return {
    workload_id: state.workload,
    start: state.start,
    ram_pages: state.ram_pages,
    flash_pages: Math.max(1, state.flash_pages),
    disk_device_id: state.disk_device,
    dirty_share: dirtyShare ?? null,
    price_book_id: state.price_book === NONE ? null : state.price_book,
    amortisation_months: state.months,
    ...(metadata === undefined ? {} : { flash_metadata: metadata }),
  };
}

export type Ranking = "time" | "worth";

export const TIME_PARTS: readonly BarPart[] = [
  { name: "time", title: "I/O time", light: "#0072b2", dark: "#4ba3dc" },
];
export const WORTH_PARTS: readonly BarPart[] = [
  { name: "worth", title: "Price x I/O time", light: "#00805f", dark: "#2fc79c" },
];

const share = (value: number) => formatPercent(ratio(value));
const size = (value: number) => formatBytes(bytes(value));
const money = (value: number) => formatMoney(usd(value));

const byWorth = (found: FlashChoiceOut) =>
  found.rows
    .filter(({ price_times_time }) => price_times_time !== null)
    .sort((one, other) => (one.price_times_time ?? 0) - (other.price_times_time ?? 0));

export function choiceBars(found: FlashChoiceOut, ranking: Ranking): StackedBar[] {
  const rows = ranking === "time" ? found.rows : byWorth(found);
  const best = ranking === "time" ? found.best_by_time : found.best_by_price_times_time;
  return rows.slice(0, MOST_BARS).map((row) => ({
    title: row.device_name,
    parts: {
      [ranking]:
        ranking === "time" ? row.io_time_us_per_access : (row.price_times_time ?? 0),
    },
    best: row.device_id === best,
  }));
}

export const choiceTable = (found: FlashChoiceOut): ChartTable =>
  chartTable(
    found.rows,
    [
      valueColumn("Device", (row) => row.device_name),
      valueColumn("Best scheme", (row) => row.scheme_title),
      valueColumn("I/O time [µs/access]", (row) => row.io_time_us_per_access),
      valueColumn("Saved vs no flash", (row) => row.gain_over_none, share),
      valueColumn(
        `Flash [${shownCurrency()}/month]`,
        ({ flash_usd_per_month: price }) => (price === null ? null : Number(price)),
        money,
      ),
      valueColumn(
        `Price x time [${shownCurrency()} µs/month]`,
        (row) => row.price_times_time,
      ),
      valueColumn("Why it is not priced", (row) => row.reason),
    ],
    found.rejected.length === 0
      ? {}
      : {
          caption: `Not ranked: ${found.rejected
            .map(({ device_name, reason }) => `${device_name} ${reason}`)
            .join("; ")}.`,
        },
  );

const FACTORS = [1, 2, 4, 8];

export function directoriesQuestion(
  state: AnalysisState,
  dirtyShare: number | undefined,
  pageBytes: number,
  use: { readonly hitRatio: number; readonly dirty: number },
): DirectoriesIn {
  const held = Math.max(1, state.flash_pages);
  return {
    workload_id: state.workload,
    start: state.start,
    ram_pages: state.ram_pages,
    flash_pages: held,
    flash_device_id: state.flash_device,
    disk_device_id: state.disk_device,
    dirty_share: dirtyShare ?? null,
    // A flash page holds whole pages of the workload, and the flash holds it.
    flash_page_bytes: FACTORS.filter((factor) => factor <= held).map(
      (factor) => factor * pageBytes,
    ),
    directory_hit_ratio: use.hitRatio,
    directory_dirty_share: use.dirty,
  };
}

export const DIRECTORY_PARTS: readonly BarPart[] = [
  { name: "io", title: "I/O of the scheme", light: "#0072b2", dark: "#4ba3dc" },
  { name: "directory", title: "Directory", light: "#c4500a", dark: "#f08a3c" },
  { name: "blocks", title: "Block reads", light: "#846300", dark: "#ffd43b" },
  {
    name: "worst",
    title: "Added if flash pages are not full",
    light: "#5c6470",
    dark: "#a9b1bd",
  },
];

export const optionTitle = (option: DirectoryOptionOut): string =>
  [
    option.placement === "ram" ? "In RAM" : "On flash",
    formatBytes(bytes(option.flash_page_bytes)),
    ...(option.technique === null ? [] : [option.technique]),
  ].join(", ");

const safestOf = (option: DirectoryOptionOut) =>
  option.schemes.find(({ scheme }) => scheme === option.safest);

export const directoryBars = (found: DirectoriesOut): StackedBar[] =>
  found.options.flatMap((option, at) => {
    const safest = safestOf(option);
    return safest === undefined
      ? []
      : [
          {
            title: optionTitle(option),
            parts: {
              io: safest.io_us,
              directory: safest.directory_us,
              blocks: safest.block_read_us,
              worst: safest.worst_total_us - safest.total_us,
            },
            best: at === found.safest,
          },
        ];
  });

export const directoryTable = (found: DirectoriesOut): ChartTable =>
  chartTable(found.options, [
    valueColumn("Directory, flash page", optionTitle),
    valueColumn("Scheme", (option) => safestOf(option)?.title ?? null),
    valueColumn(
      "I/O + directory, worst case [µs/access]",
      (option) => safestOf(option)?.worst_total_us ?? null,
    ),
    valueColumn(
      "If flash pages are full [µs/access]",
      (option) => safestOf(option)?.total_us ?? null,
    ),
    valueColumn("Saved vs no flash, worst case", (option) => option.saving, share),
    valueColumn("Directory [B]", (option) => option.directory_bytes, size),
    valueColumn("RAM pages left", (option) => option.ram_pages, formatCount),
    valueColumn("Flash pages", (option) => option.flash_blocks, formatCount),
    valueColumn("Why it does not fit", (option) => option.reason),
  ]);
