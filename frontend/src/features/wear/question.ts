import type { RecoveryIn, RecoveryOut, WearIn, WearOut } from "@/api/wear";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { RangeBar } from "@/charts/range-bars-option";
import { valueColumn } from "@/components/columns";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";
import { assumptions, NONE } from "@/questions/point";
import type { WearSearch } from "@/questions/wear";
import { shownCurrency } from "@/units/currency";
import {
  usd as asUsd,
  counted,
  formatAmount,
  formatMoney,
  formatNumber,
  formatShort,
} from "@/units/quantity";

export const USUAL_INTERVAL_S = 300;
/** The least that was measured for FaCE. */
export const USUAL_FLASH_SHARE = 0.98;
const USUAL_DEVICES = 1;

/** What both questions are asked of. */
export interface Load {
  /** Page accesses a second; null: the workload's own. */
  readonly rate: number | null;
  readonly search: WearSearch & AnalysisSearch;
  /** A given curve may leave open how many evicted pages are dirty. */
  readonly given: boolean;
}

const point = (state: AnalysisState, { rate, search, given }: Load) => ({
  workload_id: state.workload,
  ram_pages: state.ram_pages,
  flash_pages: Math.max(1, state.flash_pages),
  flash_device_id: state.flash_device,
  disk_device_id: state.disk_device,
  accesses_per_s: rate,
  start: state.start,
  ...assumptions(search, given),
});

export function wearQuestion(state: AnalysisState, load: Load): WearIn {
  const { search } = load;
  return {
    ...point(state, load),
    growth_per_year: search.growth ?? 0,
    devices: search.devices ?? USUAL_DEVICES,
    written_tb: search.written_tb ?? 0,
    ...budgetOf(search),
    price_book_id: state.price_book === NONE ? null : state.price_book,
    amortisation_months: state.months,
  };
}

/** The rating, or P/E cycles with their write amplification: never both. */
function budgetOf(search: WearSearch) {
  return search.pe_cycles === undefined
    ? {
        rated_tb: search.rated_tb ?? null,
        rated_dwpd: search.rated_dwpd ?? null,
        rated_years: search.rated_years ?? null,
      }
    : {
        pe_cycles: search.pe_cycles,
        waf_appended: search.waf_appended ?? null,
        ...(search.spare_percent === undefined
          ? { waf_in_place: search.waf_in_place ?? null }
          : {
              spare_percent: search.spare_percent,
              block_pages: search.block_pages ?? null,
              collection: search.collection ?? null,
            }),
      };
}

export function recoveryQuestion(state: AnalysisState, load: Load): RecoveryIn {
  const { search } = load;
  return {
    ...point(state, load),
    checkpoint_interval_s: search.interval ?? USUAL_INTERVAL_S,
    redo_pages: search.redo_pages ?? null,
    redo_writes: search.redo_writes ?? 0,
    flash_share: search.flash_share ?? USUAL_FLASH_SHARE,
  };
}

/** Bars of the years; null where no life is known or none ends. */
export function lifeBars(wear: WearOut): RangeBar[] | null {
  const bars = wear.schemes.flatMap(({ scheme, title, years, years_from, years_to }) =>
    years === null
      ? []
      : [
          {
            scheme,
            title,
            value: years,
            low: years_from ?? years,
            high: years_to ?? years,
          },
        ],
  );
  return bars.length === wear.schemes.length && bars.length > 0 ? bars : null;
}

/** Bars of what is written a day, where years cannot be drawn. */
export const writeBars = (wear: WearOut): RangeBar[] =>
  wear.schemes.map((row) => {
    const [least, most] = row.flash_writes_per_access_range;
    const each = row.flash_writes_per_access;
    const share = (value: number) =>
      each === 0 ? row.tb_per_day : (row.tb_per_day * value) / each;
    return {
      scheme: row.scheme,
      title: row.title,
      value: row.tb_per_day,
      low: share(least),
      high: share(most),
    };
  });

export function wearTable(wear: WearOut): ChartTable {
  type Row = WearOut["schemes"][number];
  const currency = shownCurrency();
  const money = (value: number) => formatMoney(asUsd(value));
  const amount = (text: string | null | undefined) =>
    text == null ? null : Number(text);
  return chartTable(
    wear.schemes,
    [
      valueColumn("Scheme", (row) => row.title),
      valueColumn("Life [years]", (row) => row.years),
      valueColumn("From [years]", (row) => row.years_from),
      valueColumn("To [years]", (row) => row.years_to),
      valueColumn("Never wears out", (row) => (row.never_worn_out ? "yes" : "no")),
      valueColumn("Writes [TB/day]", (row) => row.tb_per_day),
      valueColumn("Drive writes [1/day]", (row) => row.drive_writes_per_day),
      valueColumn("Flash writes [1/access]", (row) => row.flash_writes_per_access),
      valueColumn(
        `Wear [${currency}/TB]`,
        (row) => amount(row.money?.usd_per_tb_written),
        money,
      ),
      valueColumn(
        `Wear [${currency}/month]`,
        (row) => amount(row.money?.usd_per_month_written),
        money,
      ),
      valueColumn(
        `Device [${currency}/month]`,
        (row) => amount(row.money?.amortised_usd_per_month),
        money,
      ),
      ...(wear.dirty_share.state === "unknown"
        ? [
            valueColumn(
              "Life, no dirty pages [years]",
              (row: Row) => row.least?.years ?? null,
            ),
            valueColumn(
              "Writes, no dirty pages [TB/day]",
              (row: Row) => row.least?.tb_per_day ?? null,
            ),
          ]
        : []),
    ],
    {
      caption:
        "Wear is at today's writes; life and device cost include growth and previous writes. The CSV export has every digit.",
    },
  );
}

export function restartTable(recovery: RecoveryOut): ChartTable {
  const curve = recovery.restart?.curve;
  return chartTable(curve?.checkpoint_interval_s ?? [], [
    valueColumn("Checkpoint interval [s]", (interval) => interval),
    valueColumn("Redone pages", (_, at) => curve?.redo_pages[at] ?? null),
    valueColumn("With flash [s]", (_, at) => curve?.with_flash_s[at] ?? null),
    valueColumn("Without flash [s]", (_, at) => curve?.without_flash_s[at] ?? null),
  ]);
}

/** A life, or both ends of it where the dirty share is unknown. */
export function lifeOf(row: WearOut["schemes"][number]): string {
  const text = (years: number | null, endless: boolean) =>
    endless ? "never wears out" : years === null ? "unknown" : lifeText(years);
  const worst = text(row.years, row.never_worn_out);
  const best =
    row.least === null ? worst : text(row.least.years, row.least.never_worn_out);
  return worst === best ? worst : `${worst} to ${best}`;
}

/** Writes a day, or both ends of them. */
export const writesOf = (row: WearOut["schemes"][number]): string =>
  row.least === null || row.least.tb_per_day === row.tb_per_day
    ? formatShort(row.tb_per_day)
    : `${formatShort(row.least.tb_per_day)} to ${formatShort(row.tb_per_day)}`;

/** Years for people: "5.2 years", "19 days". */
export function lifeText(years: number): string {
  const DAYS = 365;
  if (years < 1 / 12) {
    return counted(formatNumber(years * DAYS), "day");
  }
  if (years < 1) {
    return counted(formatNumber(years * 12), "month");
  }
  return years >= 1000 ? "over 1,000 years" : counted(formatNumber(years), "year");
}

/** Under which schemes the flash wears out before it is paid off, and what it costs then. */
export function paidOffText(wear: WearOut): string {
  const limited = wear.schemes.filter(({ money }) => money?.wear_limited === true);
  if (limited.length === 0) {
    return "No scheme wears out the flash before it is paid off.";
  }
  const each = limited.map(({ title, money }) => {
    const usd = money?.amortised_usd_per_month ?? null;
    return usd === null
      ? `${title} (its rated writes are already used up)`
      : `${title} (${formatAmount(asUsd(Number(usd)))} per month for the rest of the price)`;
  });
  return `The flash wears out before it is paid off under ${each.join(", ")}.`;
}
