import { type Column, csvLists } from "@/components/columns";
import type { ChartTable } from "./chart-card";

/** The table of a chart, from its columns; `shown` are the rows to show, if not all. */
export function chartTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row, string>[],
  options: { readonly shown?: readonly Row[]; readonly caption?: string } = {},
): ChartTable {
  const { shown = rows, caption } = options;
  return {
    ...csvLists(columns, rows),
    shown: shown.map((row, index) =>
      columns.map(({ cell }) => cell?.(row, index) ?? ""),
    ),
    ...(caption === undefined ? {} : { caption }),
  };
}
