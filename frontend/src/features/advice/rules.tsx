import type { AdviceOut, RuleOfThumbOut } from "@/api/advice";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { shownCurrency } from "@/units/currency";
import { bytes, formatBytes, UNKNOWN } from "@/units/quantity";
import { difference, time } from "./words";

/** What common rules would have bought here, and what each costs more. */
export function RulesOfThumb({ found }: { readonly found: AdviceOut }) {
  return found.rules_of_thumb.length === 0 ? null : (
    <Panel
      title="What rules of thumb would have bought"
      subtitle="For each the best option that is at least as large as the rule asks for and keeps every limit."
      label="Rules of thumb"
    >
      <DataTable
        label="Rules of thumb"
        columns={columns()}
        rows={found.rules_of_thumb}
        rowKey={({ name }) => name}
      />
    </Panel>
  );
}

const sizes = ({ ram_bytes: ram, flash_bytes: flash }: RuleOfThumbOut): string => {
  if (ram === null) {
    return UNKNOWN;
  }
  const text = `${formatBytes(bytes(ram))} RAM`;
  return flash === null || flash === 0
    ? text
    : `${text}, ${formatBytes(bytes(flash))} flash`;
};

const columns = (): readonly Column<RuleOfThumbOut>[] => [
  { key: "Rule", rowHeader: true, cell: ({ title }) => title },
  { key: "Asks for at least", align: "text", cell: sizes },
  {
    key: "Would have bought",
    align: "text",
    cell: ({ option, reason }) => option?.name ?? reason,
  },
  {
    key: "Costs more",
    unit: `${shownCurrency()} per month`,
    cell: ({ regret_usd_per_month: more }) =>
      more === null ? UNKNOWN : difference(Number(more)),
  },
  {
    key: "I/O time",
    unit: "per access",
    cell: ({ regret_io_time_us: more }) =>
      more === null ? UNKNOWN : difference(more, time),
  },
];
