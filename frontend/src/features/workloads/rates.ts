/** Rates of production over time: as they are typed in, and as a profile keeps them. */
import type { ProductionIn, RatesOut } from "@/api/scaling";
import type { ChartTable } from "@/charts/chart-card";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, chartInk } from "@/charts/palette";
import { formatShort } from "@/units/quantity";

const SECONDS_PER_HOUR = 3600;
const SECONDS_PER_DAY = 86_400;
/** From so many days on, time is drawn in days. */
const MANY_DAYS = 4;
const SEPARATORS = /[\s,;]+/;

type Asked = Pick<ProductionIn, "rates" | "rates_table">;
export type TypedRates =
  | { readonly ok: true; readonly value: Asked | null }
  | { readonly ok: false; readonly error: string };

/** Understands numbers, one an hour, or a table with its header, which the server reads. */
export function typedRates(text: string): TypedRates {
  const trimmed = text.trim();
  if (trimmed === "") {
    return { ok: true, value: null };
  }
  if (/^\W*[a-z]/i.test(trimmed)) {
    return { ok: true, value: { rates_table: `${trimmed}\n` } };
  }
  const words = trimmed.split(SEPARATORS).filter((word) => word !== "");
  const bad = words.find(
    (word) => !(Number(word) >= 0 && Number.isFinite(Number(word))),
  );
  return bad === undefined
    ? { ok: true, value: { rates: words.map(Number) } }
    : {
        ok: false,
        error: `“${bad.slice(0, 40)}” is not a rate; write page accesses per second, one number an hour, or a table with the header time,accesses_per_s`,
      };
}

const unitOf = (rates: RatesOut) =>
  rates.steps * rates.step_s >= MANY_DAYS * SECONDS_PER_DAY
    ? { name: "days", seconds: SECONDS_PER_DAY }
    : { name: "hours", seconds: SECONDS_PER_HOUR };

/** Where each part begins, in the unit of the axis. */
const beginsOf = (rates: RatesOut): number[] => {
  const { seconds } = unitOf(rates);
  return rates.means_per_s.map(
    (_, part) => (part * rates.steps_per_part * rates.step_s) / seconds,
  );
};

export const timeAxis = (rates: RatesOut): string =>
  rates.first_time === null
    ? `time [${unitOf(rates).name}]`
    : `time since ${rates.first_time} [${unitOf(rates).name}]`;

/** A part of several steps has a mean and a busiest step; one step has one rate. */
export const hasParts = (rates: RatesOut): boolean => rates.steps_per_part > 1;

/** Steps from the beginning of a part to its end. */
function stairs(begins: readonly number[], end: number, values: readonly number[]) {
  return values.flatMap((value, part): (readonly [number, number])[] => [
    [begins[part] ?? 0, value],
    [begins[part + 1] ?? end, value],
  ]);
}

export function rateSeries(rates: RatesOut, colors: ColorScheme): LineSeries[] {
  const begins = beginsOf(rates);
  const end = (rates.steps * rates.step_s) / unitOf(rates).seconds;
  const ink = chartInk(colors);
  const means: LineSeries = {
    name: hasParts(rates) ? "Mean of the part" : "Rate",
    color: ink.text,
    points: stairs(begins, end, rates.means_per_s),
  };
  if (!hasParts(rates)) {
    return [means];
  }
  return [
    means,
    {
      name: "Busiest step of the part",
      color: ink.faint,
      dash: "dashed",
      points: stairs(begins, end, rates.peaks_per_s),
    },
  ];
}

export function rateTable(rates: RatesOut): ChartTable {
  const begins = beginsOf(rates);
  const { name } = unitOf(rates);
  const rows = rates.means_per_s.map(
    (mean, part) => [begins[part] ?? 0, mean, rates.peaks_per_s[part] ?? mean] as const,
  );
  const kept = hasParts(rates) ? 3 : 2;
  return {
    header: [
      `begins [${name}]`,
      hasParts(rates) ? "mean [1/s]" : "rate [1/s]",
      "busiest step [1/s]",
    ].slice(0, kept),
    rows: rows.map((row) => row.slice(0, kept)),
    shown: rows.map((row) => row.slice(0, kept).map((value) => formatShort(value))),
  };
}
