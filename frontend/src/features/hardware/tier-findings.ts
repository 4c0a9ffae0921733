/** What the panel "What a tier costs" draws and lists. */

import type { TierCostsIn, TierCostsOut, TierRowOut } from "@/api/tier-cost";
import type { ChartTable } from "@/charts/chart-card";
import type { BarPart, StackedBar } from "@/charts/stacked-bars-option";
import { SECONDS_PER_MONTH, type TierSearch } from "@/questions/tier-cost";
import { shownCurrency } from "@/units/currency";
import {
  formatMoney,
  formatPercent,
  formatShort,
  isMoneyColumn,
  ratio,
  usd,
} from "@/units/quantity";

const GIB = 2 ** 30;

export const USUAL = {
  held_gib: 512,
  tier_reads: 1000,
  tier_writes: 200,
  tier_page: 4096,
  tier_months: 36,
} as const;

/** Lines of a cost, capital first. */
export const COST_PARTS: readonly BarPart[] = [
  { name: "capital", title: "Purchase, spread", light: "#0072b2", dark: "#4ba3dc" },
  { name: "rent", title: "Rent", light: "#00805f", dark: "#2fc79c" },
  { name: "wear", title: "Early wear-out", light: "#a8477f", dark: "#e199c3" },
  { name: "power", title: "Power", light: "#c08a1e", dark: "#e6b450" },
  {
    name: "provisioned",
    title: "Provisioned rates",
    light: "#4b2a8f",
    dark: "#9a78de",
  },
  { name: "requests", title: "Requests", light: "#c4500a", dark: "#f08a3c" },
];

export function tierQuestion(
  search: TierSearch,
  devices: readonly string[],
  book: string | null,
): TierCostsIn {
  const page = search.tier_page ?? USUAL.tier_page;
  const monthly = (perSecond: number) => perSecond * SECONDS_PER_MONTH;
  const reads = monthly(search.tier_reads ?? USUAL.tier_reads);
  const writes = monthly(search.tier_writes ?? USUAL.tier_writes);
  return {
    device_ids: [...devices],
    held_bytes: Math.round((search.held_gib ?? USUAL.held_gib) * GIB),
    page_bytes: page,
    price_book_id: book,
    reads_per_month: reads,
    writes_per_month: writes,
    read_bytes_per_month: reads * page,
    written_bytes_per_month: writes * page,
    provisioned_iops: search.volume_iops ?? 0,
    provisioned_mb_per_s: search.volume_mb_per_s ?? 0,
    amortisation_months: search.tier_months ?? USUAL.tier_months,
    interest_per_year: search.interest ?? 0,
    usd_per_kwh: search.usd_per_kwh ?? null,
    watts_per_gib: search.watts_per_gib ?? null,
    whole_devices: search.whole === "yes",
  };
}

const partOf = (row: TierRowOut, name: string) =>
  row.lines
    .filter((line) => line.name === name)
    .reduce((sum, line) => sum + Number(line.usd_per_month), 0);

export const tierBars = (found: TierCostsOut): StackedBar[] =>
  found.rows
    .filter((row) => row.usd_per_month !== null)
    .map((row) => ({
      title: row.device_name,
      parts: Object.fromEntries(
        COST_PARTS.map(({ name }) => [name, partOf(row, name)] as const),
      ),
      best: row.device_id === (found.cheapest_that_keeps_up ?? found.cheapest),
    }));

const money = (text: string | null): number | null =>
  text === null ? null : Number(text);

export function tierTable(found: TierCostsOut): ChartTable {
  const rows = found.rows.map((row) => [
    row.device_name,
    money(row.usd_per_month),
    ...COST_PARTS.map(({ name }) =>
      row.usd_per_month === null ? null : partOf(row, name),
    ),
    money(row.capex_usd),
    row.devices,
    money(row.usd_per_million_pages_month),
    money(row.usd_per_million_accesses),
    row.busy_share,
  ]);
  const header = [
    "Device",
    `Per month [${shownCurrency()}]`,
    ...COST_PARTS.map(({ title }) => `${title} [${shownCurrency()}]`),
    `Up front [${shownCurrency()}]`,
    "Devices",
    `Per million pages held [${shownCurrency()}/month]`,
    `Per million accesses [${shownCurrency()}]`,
    "Busy",
  ];
  return {
    header,
    rows,
    shown: rows.map((row) =>
      row.map((cell, index) => {
        if (cell === null) {
          return "–";
        }
        if (index === row.length - 1) {
          return formatPercent(ratio(Number(cell)));
        }
        if (typeof cell === "string") {
          return cell;
        }
        return isMoneyColumn(header[index])
          ? formatMoney(usd(cell))
          : formatShort(cell);
      }),
    ),
    caption: "Rented capacity and shares of a device count as fractions of a device.",
  };
}

/** What is not in the sums, each once, and the devices that have no sum. */
export function leftOut(found: TierCostsOut): string[] {
  const all = found.rows.flatMap((row) => [
    ...(row.reason === "" ? [] : [row.reason]),
    ...row.missing,
  ]);
  return [...new Set(all)];
}
