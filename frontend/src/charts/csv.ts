import type { CountersNote } from "@/components/counters-note";
import type { ExchangeRate } from "@/units/currency";

export type CsvCell = string | number | null;

// With the wide forms that spreadsheets of East Asia take for the same signs.
const FORMULA_SIGNS = "=+\\-@＝＋－＠";
const FORMULA_START = new RegExp(`^[${FORMULA_SIGNS}\\t\\r\\n]`);
// Where numbers have a decimal comma, spreadsheets split lines at semicolons, in quotes
// too where these do not begin the line: a formula may begin behind one.
const FORMULA_INSIDE = new RegExp(`([;\\t\\r\\n]\\s*"?)(?=[${FORMULA_SIGNS}])`, "g");

/**
 * A CSV text (RFC 4180, CRLF). Where a spreadsheet would run a text cell, or what it splits
 * off it, as a formula, an apostrophe stands before it; numbers are written as they are.
 */
export function csvText(
  header: readonly string[],
  rows: readonly (readonly CsvCell[])[],
): string {
  return [header, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n");
}

/** Columns that an export of converted money has behind its own, the same in every row. */
const RATE_COLUMNS = ["currency", "per_usd", "rate_date", "rate_source"] as const;

/** Columns of what a curve from counters rests on, likewise; the first is named as in the API's tables. */
const COUNTERS_COLUMNS = ["evidence of the curve", "speaks of", "gap"] as const;

/**
 * The same table with the rate its money was converted at, and with the class of a curve from
 * counters, so that the file says both wherever it goes; as it is where money is in dollars and the
 * curve another one. Columns, since readers of CSV know no comments.
 */
export function csvWithNotes(
  header: readonly string[],
  rows: readonly (readonly CsvCell[])[],
  rate: ExchangeRate | null,
  counters: CountersNote | null,
): string {
  const names = [
    ...(rate === null ? [] : RATE_COLUMNS),
    ...(counters === null ? [] : COUNTERS_COLUMNS),
  ];
  const cells: CsvCell[] = [
    ...(rate === null
      ? []
      : [rate.currency, Number(rate.per_usd), rate.date, rate.source]),
    ...(counters === null
      ? []
      : [counters.title, counters.range ?? "", counters.gap ?? ""]),
  ];
  return csvText(
    [...header, ...names],
    rows.map((row) => [...row, ...cells]),
  );
}

function csvCell(cell: CsvCell): string {
  if (cell === null) {
    return "";
  }
  if (typeof cell === "number") {
    return Number.isFinite(cell) ? String(cell) : "";
  }
  const inside = cell.replace(FORMULA_INSIDE, "$1'");
  const safe = FORMULA_START.test(inside) ? `'${inside}` : inside;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
