import { Text, Title } from "@mantine/core";
import type { EvaluationOut } from "@/api/compare";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Unknown } from "@/components/unknown";
import { shownCurrency } from "@/units/currency";
import { formatCount, formatMoney, formatNumber, usd } from "@/units/quantity";
import classes from "./compare.module.css";
import { ends, micros } from "./ends";

type Outer = EvaluationOut["outer"];
type Bar = Outer["bars"][number];

/** No flash, everything in RAM and everything on flash, in figures. */
export function OuterTable(props: {
  readonly outer: Outer;
  readonly onExplain: (name: string) => void;
}) {
  const { outer } = props;
  return (
    <>
      <Title order={3} size="h5" mt="md">
        For comparison, not to choose
      </Title>
      <DataTable
        label="Configurations for comparison"
        className={classes["table"]}
        columns={columnsOf(props.onExplain)}
        rows={outer.bars}
        rowKey={({ name }) => name}
      />
      <Text size="sm" c="dimmed" mt="xs">
        {outer.reason ??
          outer.bars.map(({ title, note }) => `${title}: ${note}`).join(" ")}
      </Text>
    </>
  );
}

const columnsOf = (onExplain: (name: string) => void): readonly Column<Bar>[] => [
  {
    key: "Configuration",
    rowHeader: true,
    cell: ({ title }) => <i>{title}</i>,
  },
  { key: "RAM", unit: "pages", cell: (bar) => formatCount(bar.ram_pages) },
  { key: "Flash", unit: "pages", cell: (bar) => formatCount(bar.flash_pages) },
  {
    key: "I/O time",
    unit: "µs/access",
    cell: (bar) => {
      const time = ends(
        bar.least?.io_time_us_per_access,
        bar.io_time_us_per_access,
        micros,
      );
      return (
        <button
          type="button"
          className={classes["time"]}
          onClick={() => onExplain(bar.name)}
          aria-label={`Why this number: ${bar.title}, ${time} µs per access`}
        >
          {time}
        </button>
      );
    },
  },
  {
    key: "Flash writes",
    unit: "1/access",
    cell: (bar) =>
      ends(
        bar.least?.flash_writes_per_access,
        bar.flash_writes_per_access,
        formatNumber,
      ),
  },
  {
    key: "Cost",
    unit: `${shownCurrency()}/month`,
    cell: ({ money }) =>
      money.usd_per_month === null ? (
        <Unknown reason={money.reason ?? "no prices are known for this point"} />
      ) : (
        formatMoney(usd(Number(money.usd_per_month)))
      ),
  },
];
