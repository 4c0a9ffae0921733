import { Button } from "@mantine/core";
import { csvWithNotes } from "@/charts/csv";
import { downloadText } from "@/charts/download";
import type { ExchangeRate } from "@/units/currency";
import { type Column, csvLists } from "./columns";
import { useCountersNote } from "./counters-note";

interface ExportCsvProps<Row> {
  /** Name of the file, without its ending. */
  readonly file: string;
  readonly columns: readonly Column<Row>[];
  /** All rows, also those that the table does not show. */
  readonly rows: readonly Row[];
  /** Of the money in the table, which the file states; null in dollars. */
  readonly rate?: ExchangeRate | null;
  /** Accessible name, where several exports are on one page. */
  readonly label?: string;
}

/** Saves the columns of a table as CSV. */
export function ExportCsv<Row>(props: ExportCsvProps<Row>) {
  const { file, columns, rows, rate = null, label } = props;
  const counters = useCountersNote();
  const save = () => {
    const table = csvLists(columns, rows);
    downloadText(
      `${file}.csv`,
      "text/csv;charset=utf-8",
      csvWithNotes(table.header, table.rows, rate, counters),
    );
  };
  return (
    <Button size="xs" variant="default" aria-label={label} onClick={save}>
      Export CSV
    </Button>
  );
}
