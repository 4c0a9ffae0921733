import { Stack, Text } from "@mantine/core";
import type { AdviceOut } from "@/api/advice";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { LongTable } from "@/components/long-table";
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import { shownCurrency } from "@/units/currency";
import { cents, counted, UNKNOWN } from "@/units/quantity";
import { capital, limitTitle, time } from "./words";

type Found = NonNullable<AdviceOut["scenarios"]>;
type Row = Found["rows"][number];
type Cell = Row["regret"][number];

const ROLES: Readonly<Record<Row["role"], string>> = {
  recommended: "recommended",
  close: "close",
  today: "today",
  scenario: "best of a scenario",
};

/** What each choice costs more than the best in each scenario, and which is robust. */
export function ScenarioRegret({ found }: { readonly found: AdviceOut }) {
  const { scenarios, objective } = found;
  if (scenarios === null) {
    return null;
  }
  const byTime = objective === "io_time";
  return (
    <Panel
      title={scenarioFinding(scenarios)}
      subtitle={caption(byTime)}
      label="Scenarios"
    >
      <Stack gap="sm">
        <Text size="sm">{scenarios.text}</Text>
        <Disclosure label="How regret is counted">
          <Text size="sm">{`${capital(scenarios.basis)}.`}</Text>
        </Disclosure>
        <LongTable
          stacks
          of={["choice"]}
          label="Regret in each scenario"
          columns={regretColumns(scenarios, byTime)}
          rows={scenarios.rows}
          rowKey={(_, at) => at}
          caption={`What each choice needs more than the best there${found.status === "checked" ? ", by the model" : ""}.`}
        />
        <DataTable
          stacks
          label="Scenarios"
          columns={scenarioColumns(scenarios)}
          rows={scenarios.columns}
          rowKey={({ name }) => name}
        />
      </Stack>
    </Panel>
  );
}

/** What a regret is, in short; all of it is folded below. */
const caption = (byTime: boolean): string =>
  byTime
    ? "A choice stays as it was bought. Its regret is how much longer an access takes than with the best there; a broken limit has none."
    : "A choice stays as it was bought. Its regret is what it costs more than the best there or, where it breaks a limit, what an exchange for that loses at most.";

/** In how many scenarios the recommendation breaks a limit. */
export function scenarioFinding({ rows, columns }: Found): string {
  const own = rows.find(({ role }) => role === "recommended");
  if (own === undefined) {
    return "If it turns out otherwise";
  }
  const broken = own.regret.filter(({ breaks }) => breaks.length > 0).length;
  return `If it turns out otherwise: the recommendation breaks a limit in ${broken === 0 ? "none" : broken} of ${counted(columns.length, "scenario")}`;
}

/** Money or time by which a choice falls behind; null where neither is known. */
function behind(
  { regret_usd_per_month: money, regret_io_time_us: us, breaks }: Cell,
  isRented: boolean,
): string | null {
  const isBroken = breaks.length > 0;
  if (money === null) {
    return us === null ? null : time(us);
  }
  if (isRented && isBroken) {
    return "exchanged";
  }
  // Adding to what was bought may do, and lose less.
  return isBroken && Number(money) > 0 ? `≤ ${cents(money)}` : cents(money);
}

function regret(cell: Cell, isRented: boolean) {
  const value =
    behind(cell, isRented) ??
    (cell.reason === "" ? UNKNOWN : <Unknown reason={cell.reason} />);
  return cell.breaks.length === 0 ? (
    value
  ) : (
    <>
      {value}
      <br />
      <Text span size="xs" c="dimmed" title={cell.breaks.map(limitTitle).join(", ")}>
        breaks a limit
      </Text>
    </>
  );
}

const regretColumns = (scenarios: Found, byTime: boolean): readonly Column<Row>[] => [
  {
    key: "Choice",
    rowHeader: true,
    cell: ({ title, role, is_robust: robust }) =>
      `${title} (${ROLES[role]}${robust ? ", robust" : ""})`,
  },
  ...scenarios.columns.map(
    ({ title }, at): Column<Row> => ({
      key: `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`,
      unit: byTime ? "per access" : shownCurrency(),
      cell: (row) => {
        const cell = row.regret[at];
        return cell === undefined ? UNKNOWN : regret(cell, row.is_rented);
      },
    }),
  ),
  {
    key: "Breaks a limit in",
    unit: "scenarios",
    cell: ({ regret: cells }) =>
      `${cells.filter(({ breaks }) => breaks.length > 0).length}`,
  },
];

const scenarioColumns = (
  scenarios: Found,
): readonly Column<Found["columns"][number]>[] => [
  { key: "Scenario", rowHeader: true, cell: ({ title }) => title },
  { key: "What is different", align: "text", cell: ({ definition }) => definition },
  {
    key: "The best there",
    align: "text",
    cell: ({ best }) => best ?? "no option keeps every limit",
  },
  {
    key: "Costs",
    unit: `${shownCurrency()} per month`,
    cell: ({ best_usd_per_month: cost }) => cents(cost),
  },
  {
    key: "The recommendation breaks",
    align: "text",
    cell: (column) => {
      const at = scenarios.columns.indexOf(column);
      const own = scenarios.rows.find(({ role }) => role === "recommended");
      const breaks = own?.regret[at]?.breaks ?? [];
      return breaks.length === 0 ? "no limit" : breaks.map(limitTitle).join(", ");
    },
  },
];
