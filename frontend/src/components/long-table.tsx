import { Button } from "@mantine/core";
import { useState } from "react";
import { counted } from "@/units/quantity";
import { DataTable, type DataTableProps } from "./data-table";

/** Rows beyond which a table scrolls within a bound. */
const FEW = 6;

interface LongTableProps<Row> extends Omit<DataTableProps<Row>, "style"> {
  /** What the rows are, with which the button counts them; regular plural unless given. */
  readonly of: readonly [one: string, many?: string];
}

/** A table that takes no more than half a screen until all of it is wanted; on paper it is whole. */
export function LongTable<Row>(props: LongTableProps<Row>) {
  const { of, ...table } = props;
  const [all, setAll] = useState(false);
  const isLong = props.rows.length > FEW;
  return (
    <div className={isLong && !all ? "tw-bounded" : undefined}>
      <DataTable {...table} />
      {isLong && (
        <Button
          size="xs"
          variant="default"
          mt="xs"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? "Show fewer" : `Show all ${counted(props.rows.length, of[0], of[1])}`}
        </Button>
      )}
    </div>
  );
}
