export type CsvCell = string | number | null;

const FORMULA_START = /^[=+\-@\t\r]/;

/**
 * A CSV text (RFC 4180, CRLF). Text cells that a spreadsheet would run as a formula
 * get a leading apostrophe; numbers are written as they are.
 */
export function csvText(
  header: readonly string[],
  rows: readonly (readonly CsvCell[])[],
): string {
  return [header, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n");
}

function csvCell(cell: CsvCell): string {
  if (cell === null) {
    return "";
  }
  if (typeof cell === "number") {
    return Number.isFinite(cell) ? String(cell) : "";
  }
  const safe = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
