import type {
  CachedCategory,
  WhatToCacheCheckIn,
  WhatToCacheIn,
  WhatToCacheOut,
} from "@/api/what-to-cache";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { BarPart, StackedBar } from "@/charts/stacked-bars-option";
import { type Column, valueColumn } from "@/components/columns";
import { type AnalysisSearch, type AnalysisState, NONE } from "@/questions/point";
import type { CacheSearch, Categories, FlashPaid } from "@/questions/what-to-cache";
import {
  formatAmount,
  formatPercent,
  formatShort,
  ratio,
  UNKNOWN,
  usd,
} from "@/units/quantity";

export const KINDS: Readonly<Record<Categories, string>> = {
  relation: "Relation",
  size: "Request size",
  hour: "Hour",
};

export const PAID: Readonly<Record<FlashPaid, string>> = {
  whole: "Bought whole",
  by_size: "By size",
};
/** What each way of paying means for the choice. */
export const PAID_MEANS: Readonly<Record<FlashPaid, string>> = {
  whole:
    "All of the flash is there and paid for, so what is left unused saves nothing: its price is no part of the choice.",
  by_size:
    "Flash size is the maximum: only flash that saves more than its price is paid for, as with a volume that is rented by the GiB, or flash that is yet to be bought.",
};

const ADMISSIONS: Readonly<Record<string, string>> = {
  by_category: "By category",
  never: "Never",
  second_miss: "Second miss",
  miss: "Every miss",
  write: "Miss or write",
};
const ENTERS: Readonly<Record<string, string>> = {
  never: "Never",
  second_miss: "At the second miss",
  miss: "At a miss",
  write: "At a miss or a write",
};
const SAME = 0.0005;
/** The flash cache of the model: LRU behind the assignment. */
export const MODELLED = "cachesack";
/** Categories that are listed until more are asked for, and how many more that is. */
export const MOST_LISTED = 15;
export const MORE_LISTED = 250;

export const admissionTitle = (name: string): string => ADMISSIONS[name] ?? name;

export function cacheQuestion(
  state: AnalysisState,
  search: CacheSearch & AnalysisSearch,
): WhatToCacheIn {
  return {
    workload_id: state.workload,
    ram_pages: state.ram_pages,
    flash_pages: Math.max(1, state.flash_pages),
    flash_device_id: state.flash_device,
    disk_device_id: state.disk_device,
    price_book_id: state.price_book === NONE ? null : state.price_book,
    amortisation_months: state.months,
    categories: search.categories ?? "relation",
    accesses_per_s: search.rate ?? null,
    usd_per_billion_reads: search.read_usd ?? null,
    usd_per_tb_written: search.written_usd ?? null,
    usd_per_gib_month: search.gib_usd ?? null,
    flash_paid: search.paid ?? "whole",
  };
}

/** Its check, replayed through the flash cache that is chosen. */
export const cacheCheck = (
  body: WhatToCacheIn,
  search: CacheSearch,
): WhatToCacheCheckIn => ({
  ...body,
  flash_cache: search.cache ?? MODELLED,
});

/** When the pages of a category enter flash. */
export function admissionText({ admission, share, otherwise }: CachedCategory): string {
  const first = ENTERS[admission] ?? admission;
  return otherwise === null
    ? first
    : `${first} for ${formatPercent(ratio(share))} of the pages, else ${(ENTERS[otherwise] ?? otherwise).toLowerCase()}`;
}

/** What a replay says to do; without one, what the choice is beside admitting every miss. */
export function titleOf(found: WhatToCacheOut, decided: string | null = null): string {
  if (decided !== null) {
    return decided;
  }
  return found.saved_share < SAME
    ? "No choice costs less than admitting every miss"
    : `Choosing what to cache costs ${formatPercent(ratio(found.saved_share))} less than admitting every miss`;
}

export const PARTS: readonly BarPart[] = [
  { name: "reads", title: "Reads from the store", light: "#1864ab", dark: "#74c0fc" },
  { name: "writes", title: "Wear of flash", light: "#b84a08", dark: "#f29348" },
  { name: "flash", title: "Price of flash", light: "#2b6a30", dark: "#8ce99a" },
];

/** The choice, and each admission for all categories, the cheapest first. */
export function costBars(found: WhatToCacheOut): StackedBar[] {
  return assignments(found).map((each) => ({
    title: admissionTitle(each.name),
    parts: {
      reads: Number(each.read_usd_per_month),
      writes: Number(each.write_usd_per_month),
      flash: Number(each.flash_usd_per_month),
    },
    best: each.name === "by_category",
  }));
}

const assignments = ({ chosen, alternatives }: WhatToCacheOut) =>
  [chosen, ...alternatives].sort(
    (one, other) => Number(one.usd_per_month) - Number(other.usd_per_month),
  );

/** Of what costs are. */
export const costsOf = ({ flash_paid }: WhatToCacheOut): string =>
  flash_paid === "by_size"
    ? "Reads from the store, wear and price of flash"
    : "Reads from the store and wear of flash";

export const costTable = (found: WhatToCacheOut, currency: string): ChartTable =>
  chartTable(assignments(found), [
    valueColumn("what enters flash", ({ name }) => admissionTitle(name)),
    valueColumn("hit_share", ({ hit_share }) => hit_share),
    valueColumn(countOf(found, "disk_reads"), ({ disk_reads }) => disk_reads),
    valueColumn(countOf(found, "flash_writes"), ({ flash_writes }) => flash_writes),
    valueColumn(
      "flash_paid_for_bytes",
      ({ flash_pages }) => flash_pages * found.page_bytes,
    ),
    valueColumn(
      `reads_${currency.toLowerCase()}_per_month`,
      (each) => Number(each.read_usd_per_month),
      inMoney,
    ),
    valueColumn(
      `wear_${currency.toLowerCase()}_per_month`,
      (each) => Number(each.write_usd_per_month),
      inMoney,
    ),
    valueColumn(
      `flash_${currency.toLowerCase()}_per_month`,
      (each) => Number(each.flash_usd_per_month),
      inMoney,
    ),
    valueColumn(
      `${currency.toLowerCase()}_per_month`,
      (each) => Number(each.usd_per_month),
      inMoney,
    ),
    valueColumn("assignment", ({ assignment }) => assignment),
  ]);

const inMoney = (value: number): string => formatAmount(usd(value));
const share = (value: number): string => formatPercent(ratio(value));

/** Names a count in an export, where it is of a recording that stands for production. */
const countOf = ({ counts_of }: Counted, name: string): string =>
  counts_of === "" ? name : `${name}_of_recording`;

type Counted = Pick<WhatToCacheOut, "counts_of">;

/** What stands in the table of the categories. */
export const categoriesOf = ({ counts_of }: Counted): string =>
  `Reads are misses of RAM, writes are changed pages that leave it. Saved is against admitting every miss. ${counts_of}`.trim();

/** Every category, on the page and in the export. */
export function categoryColumns(
  kind: Categories,
  currency: string,
  found: Pick<WhatToCacheOut, "counts_of" | "flash_paid">,
): readonly Column<CachedCategory>[] {
  const unit = `${currency}/month`;
  const count = (name: string) => countOf(found, name);
  return [
    {
      key: kind,
      head: KINDS[kind],
      rowHeader: true,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      key: "admission",
      head: "Enters flash",
      align: "text",
      cell: admissionText,
      csv: admissionText,
    },
    { ...valueColumn(count("reads"), ({ reads }) => reads), head: "Reads" },
    { ...valueColumn(count("writes"), ({ writes }) => writes), head: "Writes" },
    { ...valueColumn(count("pages"), ({ pages }) => pages), head: "Pages" },
    {
      ...valueColumn("held_share", (row) => row.held_share, share),
      head: "Of flash",
    },
    {
      ...valueColumn("held_pages", (row) => row.held_pages, formatShort),
      head: "Held",
    },
    {
      key: count("hits"),
      head: "Hits",
      cell: ({ hits, reads }) => (reads === 0 ? UNKNOWN : share(hits / reads)),
      csv: ({ hits }) => hits,
    },
    {
      ...valueColumn(
        count("flash_writes"),
        ({ flash_writes }) => flash_writes,
        formatShort,
      ),
      head: "Flash writes",
    },
    ...(found.flash_paid === "by_size"
      ? [
          {
            ...valueColumn(
              "flash_usd_per_month",
              (row: CachedCategory) => Number(row.flash_usd_per_month),
              inMoney,
            ),
            head: "Flash",
            unit,
            title: "Of the pages that it holds on flash",
          },
        ]
      : []),
    {
      ...valueColumn("usd_per_month", (row) => Number(row.usd_per_month), inMoney),
      head: "Cost",
      unit,
    },
    {
      ...valueColumn(
        "saved_usd_per_month",
        (row) => Number(row.saved_usd_per_month),
        signed,
      ),
      head: "Saved",
      unit,
      title: "Against admitting every miss",
    },
  ];
}

const signed = (value: number): string =>
  value < 0 ? `−${inMoney(-value)}` : inMoney(value);
