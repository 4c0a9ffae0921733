import type { ReactNode } from "react";
import type { CsvCell } from "@/charts/csv";
import { formatShort, UNKNOWN } from "@/units/quantity";

/** One column, for the page and for the CSV export. */
export interface Column<Row, Cell extends ReactNode = ReactNode> {
  /** Name of the column in the export, and on the page where it has no `head`. */
  readonly key: string;
  readonly head?: ReactNode;
  readonly unit?: string | undefined;
  /** Without it, the column is in the export only. */
  readonly cell?: (row: Row, index: number) => Cell;
  /** Without it, the column is on the page only. */
  readonly csv?: (row: Row, index: number) => CsvCell;
  /** Numbers, the default, are set to the right; the header of a row is text. */
  readonly align?: "text" | "number";
  /** Its cells are the headers of their rows. */
  readonly rowHeader?: boolean;
  /** Rows that its cell covers: 0 where the cell of a row above covers this one. */
  readonly span?: (row: Row, index: number) => number;
  /** Shown on hover over the head. */
  readonly title?: string | undefined;
  readonly sort?: "ascending" | "descending" | "none";
  readonly cellProps?: (row: Row) => CellProps;
}

export interface CellProps {
  readonly id?: string;
  readonly className?: string | undefined;
  readonly title?: string | undefined;
  readonly [data: `data-${string}`]: string;
}

/** A column of one value in each row: exported with every digit, shown formatted. */
export const valueColumn = <Row>(
  key: string,
  value: (row: Row, index: number) => CsvCell,
  format: (value: number) => string = (number) => formatShort(number),
): Column<Row, string> => ({
  key,
  csv: value,
  cell: (row, index) => cellText(value(row, index), format),
});

const cellText = (value: CsvCell, format: (value: number) => string): string =>
  value === null ? UNKNOWN : typeof value === "number" ? format(value) : value;

/** What an export of these columns holds. */
export function csvLists<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): { readonly header: string[]; readonly rows: CsvCell[][] } {
  const exported = columns.flatMap(({ key, csv }) =>
    csv === undefined ? [] : [{ key, csv }],
  );
  return {
    header: exported.map(({ key }) => key),
    rows: rows.map((row, index) => exported.map(({ csv }) => csv(row, index))),
  };
}
