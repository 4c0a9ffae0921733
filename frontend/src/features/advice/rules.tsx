import type { AdviceOut, RuleOfThumbOut } from "@/api/advice";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { shownCurrency } from "@/units/currency";
import { bytes, formatAmount, formatBytes, UNKNOWN, usd } from "@/units/quantity";
import { difference, time } from "./words";

const CENT = 0.01;

/** What common rules would have bought here, and what each costs more. */
export function RulesOfThumb({ found }: { readonly found: AdviceOut }) {
  return found.rules_of_thumb.length === 0 ? null : (
    <Panel
      title={rulesFinding(found)}
      subtitle="For each the best option that is at least as large as the rule asks for and keeps every limit."
      label="Rules of thumb"
    >
      <DataTable
        stacks
        label="Rules of thumb"
        columns={columns(found)}
        rows={found.rules_of_thumb}
        rowKey={({ name }) => name}
      />
    </Panel>
  );
}

/** How many of the rules that have an option cost more, and how much at most. */
export function rulesFinding({ rules_of_thumb: rules }: AdviceOut): string {
  const title = "What rules of thumb would have bought";
  const regrets = rules.flatMap(({ regret_usd_per_month: more }) =>
    more === null ? [] : [Number(more)],
  );
  const costlier = regrets.filter((more) => more >= CENT);
  if (regrets.length === 0) {
    return title;
  }
  return costlier.length === 0
    ? `${title}: none costs more`
    : `${title}: ${costlier.length} of ${regrets.length} ${costlier.length === 1 ? "costs more," : "cost more, up to"} ${formatAmount(usd(Math.max(...costlier)))} per month`;
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

const columns = (found: AdviceOut): readonly Column<RuleOfThumbOut>[] => [
  { key: "Rule", rowHeader: true, cell: ({ title }) => title },
  { key: "Asks for at least", align: "text", cell: sizes },
  {
    key: "Would have bought",
    align: "text",
    cell: ({ option, reason, regret_usd_per_month: more }) =>
      option === null ? (
        reason
      ) : option.name === found.recommendation?.name && Number(more) === 0 ? (
        <>{option.name}, as recommended</>
      ) : (
        option.name
      ),
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
