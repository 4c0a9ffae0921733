import { Text } from "@mantine/core";
import type { AdviceOut } from "@/api/advice";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { Prose } from "@/components/prose";
import { shownCurrency } from "@/units/currency";
import { cents, formatShort, UNKNOWN } from "@/units/quantity";
import { Scheme, type Titles } from "./option-parts";
import { firstSentence, time } from "./words";

type Step = NonNullable<AdviceOut["when"]>["steps"][number];

/** When another choice is the best as data and load grow, and whether to wait for other prices. */
export function Later(props: { readonly found: AdviceOut; readonly titles: Titles }) {
  const { when, waiting } = props.found;
  const steps = when?.steps ?? [];
  // The first sentence stands in the answer above.
  const rest = when === null ? "" : firstSentence(when.text)[1];
  if (steps.length === 0 && waiting === null && rest === "") {
    return null;
  }
  return (
    <Panel
      title={laterFinding(steps)}
      subtitle={
        when !== null && (
          <>
            <Prose text={when.basis} />.
          </>
        )
      }
      label="When it changes"
    >
      {rest !== "" && <Text size="sm">{rest}</Text>}
      {waiting !== null && <Text size="sm">{waiting.text}</Text>}
      {steps.length > 0 && (
        <DataTable
          stacks
          label="When another choice is the best"
          columns={columns(props.titles)}
          rows={steps}
          rowKey={({ month }) => month}
        />
      )}
    </Panel>
  );
}

/** From which month on another choice is the best, where one was found. */
export const laterFinding = ([first]: readonly Step[]): string =>
  first === undefined
    ? "When it changes, and whether to wait"
    : `When it changes: from month ${since(first)} on ${first.name === null ? "no option keeps every limit" : "another choice is the best"}`;

/** "17", or "13 to 24" where the months between were not asked. */
const since = ({ month, month_before: before }: Step): string =>
  before === month - 1
    ? formatShort(month)
    : `${formatShort(before + 1)} to ${formatShort(month)}`;

const columns = (titles: Titles): readonly Column<Step>[] => [
  { key: "From", rowHeader: true, cell: (step) => `month ${since(step)}` },
  {
    key: "Choice",
    align: "text",
    cell: ({ name }) => name ?? "no option keeps every limit",
  },
  {
    key: "Page flow",
    align: "text",
    cell: ({ scheme }) =>
      scheme === null ? UNKNOWN : <Scheme name={scheme} titles={titles} />,
  },
  {
    key: "Cost",
    unit: `${shownCurrency()} per month`,
    cell: ({ usd_per_month: cost }) => cents(cost),
  },
  {
    key: "I/O time",
    unit: "per access",
    cell: ({ io_time_us_per_access: us }) => (us === null ? UNKNOWN : time(us)),
  },
];
