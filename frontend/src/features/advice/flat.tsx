import { Stack, Text } from "@mantine/core";
import type { AdviceOut } from "@/api/advice";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { shownCurrency } from "@/units/currency";
import {
  bytes,
  formatBytes,
  formatMoney,
  formatShort,
  UNKNOWN,
  usd,
} from "@/units/quantity";
import { difference, time } from "./words";

type Size = AdviceOut["flat"][number];
type Dollar = NonNullable<AdviceOut["next_dollar"]>["steps"][number];

const TITLES: Readonly<Record<Size["size"], string>> = {
  ram_bytes: "RAM",
  flash_bytes: "Flash cache",
  machines: "Machines",
  disks: "Devices that hold the data",
};

/** How far each size may be changed at little cost, and what the next dollar buys. */
export function Flat({ found }: { readonly found: AdviceOut }) {
  const { flat, next_dollar: next, continuous } = found;
  if (flat.length === 0 && next === null && continuous === null) {
    return null;
  }
  return (
    <Panel
      title="How flat it is, and the next dollar"
      subtitle="The best option of the same kind and page flow with at least a tenth less or more of a size, all others chosen again."
      label="How flat it is"
    >
      <Stack gap="sm">
        {flat.length > 0 && (
          <DataTable
            stacks
            label="Other sizes"
            columns={sizeColumns()}
            rows={flat}
            rowKey={({ size }) => size}
          />
        )}
        {continuous !== null && <Text size="sm">{continuous.text}</Text>}
        {next !== null && <Text size="sm">{next.text}</Text>}
        {next !== null && next.steps.length > 0 && (
          <DataTable
            stacks
            label="What more money buys"
            columns={dollarColumns()}
            rows={next.steps}
            rowKey={(_, at) => at}
          />
        )}
      </Stack>
    </Panel>
  );
}

const shown = (size: Size["size"], value: number): string =>
  size.endsWith("_bytes") ? formatBytes(bytes(value)) : formatShort(value);

const neighbour = (other: Size["less"], size: Size["size"]) =>
  other === null
    ? "no option"
    : `${shown(size, other.value)}: ${difference(Number(other.usd_per_month_more))}, ${difference(other.io_time_us_more, time)}`;

const sizeColumns = (): readonly Column<Size>[] => [
  { key: "Size", rowHeader: true, cell: ({ size }) => TITLES[size] },
  { key: "Recommended", cell: ({ size, value }) => shown(size, value) },
  {
    key: "Within 5 %",
    align: "text",
    cell: ({ size, low, high }) =>
      low === high ? shown(size, low) : `${shown(size, low)} to ${shown(size, high)}`,
  },
  {
    key: "At least a tenth less",
    unit: `${shownCurrency()} per month, I/O time`,
    align: "text",
    cell: ({ size, less }) => neighbour(less, size),
  },
  {
    key: "At least a tenth more",
    unit: `${shownCurrency()} per month, I/O time`,
    align: "text",
    cell: ({ size, more }) => neighbour(more, size),
  },
];

/** With three digits: what a modelled time is worth is not known to the cent. */
const rateText = (rate: number): string => formatMoney(usd(rate));

const dollarColumns = (): readonly Column<Dollar>[] => [
  { key: "Next", rowHeader: true, cell: ({ name }) => name },
  {
    key: "Costs more",
    unit: `${shownCurrency()} per month`,
    cell: ({ usd_per_month_more: more }) => difference(Number(more)),
  },
  {
    key: "Saves",
    unit: "I/O time per access",
    cell: ({ io_time_us_saved: saved }) => time(saved),
  },
  {
    key: "Rate",
    unit: `${shownCurrency()} per month and µs`,
    cell: ({ usd_per_month_per_us: rate }) =>
      Number(rate) > 0 ? rateText(Number(rate)) : UNKNOWN,
  },
];
