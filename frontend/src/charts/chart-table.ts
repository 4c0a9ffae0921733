import { type Column, csvLists } from "@/components/columns";
import type { ChartTable } from "./chart-card";

/** The table of a chart, from its columns; `shown` chooses the rows to show, if not all. */
export function chartTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row, string>[],
  options: {
    readonly shown?: (row: Row, index: number) => boolean;
    readonly caption?: string;
  } = {},
): ChartTable {
  const { shown = () => true, caption } = options;
  return {
    ...csvLists(columns, rows),
    shown: rows.flatMap((row, index) =>
      shown(row, index) ? [columns.map(({ cell }) => cell?.(row, index) ?? "")] : [],
    ),
    ...(caption === undefined ? {} : { caption }),
  };
}
