import { Button, Stack, Text } from "@mantine/core";
import { memo } from "react";
import type { BreakEvenOut } from "@/api/break-evens";
import { type CsvCell, csvText } from "@/charts/csv";
import { downloadText } from "@/charts/download";
import { Panel } from "@/components/panel";
import { ScrollRegion } from "@/components/scroll-region";
import { Unknown } from "@/components/unknown";
import { WhyButton } from "@/components/why-button";
import {
  formatCount,
  formatInterval,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import { dollars, intervalSteps, sizeSteps, winnerText } from "./findings";

interface Column {
  readonly title: string;
  readonly unit?: string;
  readonly text?: boolean;
}

interface PlainTableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly (string | { readonly absent: string })[])[];
  readonly caption?: string;
}

/** A small table; what is absent says why. */
function PlainTable({ label, columns, rows, caption }: PlainTableProps) {
  return (
    <ScrollRegion label={`Table: ${label}`}>
      <table className="tw-table" aria-label={label}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={column.text === true ? undefined : "num"}
              >
                {column.title}{" "}
                {column.unit !== undefined && (
                  <span className="tw-unit">[{column.unit}]</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={JSON.stringify(row)}>
              {row.map((value, index) => (
                <td
                  key={columns[index]?.title ?? index}
                  className={columns[index]?.text === true ? undefined : "num"}
                >
                  {typeof value === "string" ? (
                    value
                  ) : (
                    <Unknown reason={value.absent} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

const exportButton = (
  file: string,
  header: readonly string[],
  rows: readonly (readonly CsvCell[])[],
) => (
  <Button
    size="xs"
    variant="default"
    aria-label={`Export CSV of ${file}`}
    onClick={() =>
      downloadText(`${file}.csv`, "text/csv;charset=utf-8", csvText(header, rows))
    }
  >
    Export CSV
  </Button>
);

type Step = BreakEvenOut["steps"][number];

const theta = (step: Step, form: "log" | "curve" | "full") =>
  orReason(
    step[`theta_${form}`],
    step.reasons[`theta_${form}`],
    (value) => `${formatShort(value, 4)} x`,
  );
const flip = (value: number | null, reason: string | undefined) =>
  orReason(value, reason, (ratio) => `${formatShort(ratio * 100)} %`);

const orReason = (
  value: number | null,
  reason: string | undefined,
  text: (value: number) => string,
) => (value === null ? { absent: reason ?? "not known" } : text(value));

/** Flash that replaces steps of DRAM, by three estimators. */
export const StepTable = memo(function StepTable({
  found,
}: {
  readonly found: BreakEvenOut;
}) {
  const decides = found.form === "full" ? "full" : "curve";
  return (
    <Panel
      title="Flash that gains as much as DRAM"
      subtitle="Least flash that saves as much time as the added DRAM, both in multiples of the DRAM there is."
      actions={exportButton(
        "break-even-theta",
        [
          "delta",
          "dram_pages",
          "theta_full",
          "theta_curve",
          "theta_log",
          "flip_full",
          "flip_curve",
          "flip_log",
        ],
        found.steps.map((step) => [
          step.delta,
          step.dram_pages,
          step.theta_full,
          step.theta_curve,
          step.theta_log,
          step.flip_full,
          step.flip_curve,
          step.flip_log,
        ]),
      )}
    >
      <PlainTable
        label="Flash that gains as much as DRAM"
        columns={[
          { title: "DRAM" },
          { title: "Full form" },
          { title: "Hits alone" },
          { title: "Log model" },
          { title: "Pays below" },
        ]}
        rows={found.steps.map((step) => [
          `${formatShort(step.delta)} x`,
          theta(step, "full"),
          theta(step, "curve"),
          theta(step, "log"),
          flip(step[`flip_${decides}`], step.reasons[`flip_${decides}`]),
        ])}
        caption={`Full form: with flash writes and dirty pages. Pays below: price of flash over price of DRAM, a byte, ${decides === "full" ? "by the full form" : "by hits alone"}.`}
      />
      <Stack gap={4} mt="xs">
        <Text size="sm" c="dimmed">
          Mean access: {formatPercent(ratio(found.times.read_share))} reads,{" "}
          {found.times.read_share_basis}.
        </Text>
        <WhyButton title="sizes that break even" steps={sizeSteps(found)} />
      </Stack>
    </Panel>
  );
});

/** Equal money in both forms of gain. */
export const EqualMoneyTable = memo(function EqualMoneyTable({
  found,
}: {
  readonly found: BreakEvenOut;
}) {
  const money = found.next_money;
  if (money === null) {
    return null;
  }
  return (
    <Panel
      title={`${dollars(money.usd)} in DRAM or in flash`}
      subtitle={`${formatCount(money.dram_pages)} pages of DRAM or ${formatCount(money.flash_pages)} pages of flash. ${found.prices.usd_basis}`}
    >
      <PlainTable
        label="The same money in DRAM and in flash"
        columns={[
          { title: "What is counted", text: true },
          { title: "DRAM saves", unit: "µs/access" },
          { title: "Flash saves", unit: "µs/access" },
          { title: "Flash over DRAM" },
          { title: "Better buy", text: true },
          { title: "Flips at" },
        ]}
        rows={money.equal_money.map((row) => [
          row.form === "full" ? "flash writes, dirty pages" : "hits alone",
          formatShort(row.dram_gain_us),
          row.flash_gain_us === null
            ? { absent: "the metadata of this much flash leave no DRAM" }
            : formatShort(row.flash_gain_us),
          row.flash_to_dram_gain_ratio === null
            ? { absent: "DRAM gains nothing here" }
            : `${formatShort(row.flash_to_dram_gain_ratio)} x`,
          winnerText(row.winner),
          flip(row.flip_price_ratio, row.flip_reason),
        ])}
      />
      <Text size="sm" c="dimmed" mt="xs">
        DRAM: {found.prices.dram_basis ?? "no price"}. Flash:{" "}
        {found.prices.flash_basis ?? "no price"}.
      </Text>
    </Panel>
  );
});

/** The classic break-even interval of each pair of tiers. */
export const IntervalTable = memo(function IntervalTable({
  found,
}: {
  readonly found: BreakEvenOut;
}) {
  return (
    <Panel
      title="Break-even interval"
      subtitle="The five-minute rule: a page that is accessed at least this often belongs in the upper tier."
      actions={exportButton(
        "break-even-intervals",
        ["upper", "lower", "interval_s", "missing"],
        found.intervals.map((row) => [
          row.upper_name,
          row.lower_name,
          row.interval_s,
          row.missing.join("; "),
        ]),
      )}
    >
      <PlainTable
        label="Break-even intervals"
        columns={[
          { title: "Upper tier", text: true },
          { title: "Lower tier", text: true },
          { title: "Interval" },
        ]}
        rows={found.intervals.map((row) => [
          row.upper_name,
          row.lower_name,
          row.interval_s === null
            ? { absent: `missing: ${row.missing.join(", ")}` }
            : formatInterval(row.interval_s),
        ])}
      />
      <Text size="sm" mt="xs">
        {found.interval_sentence}
      </Text>
      <WhyButton title="break-even intervals" steps={intervalSteps(found)} />
      <Text size="sm" c="dimmed" mt={4}>
        {found.intervals
          .flatMap((row) => row.warnings)
          .map((warning) => warning.message.replaceAll("`", ""))
          .filter((message, index, all) => all.indexOf(message) === index)
          .map((message) => `${message.charAt(0).toUpperCase()}${message.slice(1)}. `)}
        Valid for: {found.intervals[0]?.validity}.
      </Text>
    </Panel>
  );
});

const CHOICES = { dram: "DRAM", flash: "flash", neither: "neither gains" } as const;

/** The sum again and again, each time where it gains most. */
export const PlanTable = memo(function PlanTable({
  found,
}: {
  readonly found: BreakEvenOut;
}) {
  const { plan, next_money: money } = found;
  if (plan === null || money === null) {
    return null;
  }
  const saved = (value: number | null | undefined) =>
    value === null || value === undefined
      ? { absent: "the metadata of this much flash leave no DRAM" }
      : formatShort(value);
  return (
    <Panel
      title="A plan: sum after sum where it gains most"
      subtitle={`Each step spends ${dollars(money.usd)} beside what was bought before.`}
      actions={exportButton(
        "break-even-plan",
        [
          "spent_usd",
          "ram_pages",
          "flash_pages",
          "dram_gain_us",
          "flash_gain_us",
          "choice",
        ],
        plan.choice.map((choice, index) => [
          plan.spent_usd[index] ?? null,
          plan.ram_pages[index] ?? null,
          plan.flash_pages[index] ?? null,
          plan.dram_gain_us[index] ?? null,
          plan.flash_gain_us[index] ?? null,
          choice,
        ]),
      )}
    >
      <PlainTable
        label="Plan of spending"
        columns={[
          { title: "Spent" },
          { title: "RAM", unit: "pages" },
          { title: "Flash", unit: "pages" },
          { title: "DRAM saves", unit: "µs/access" },
          { title: "Flash saves", unit: "µs/access" },
          { title: "Next", text: true },
        ]}
        rows={plan.choice.map((choice, index) => [
          index === 0 ? "$0" : dollars(plan.spent_usd[index] ?? "0"),
          formatCount(plan.ram_pages[index] ?? 0),
          formatCount(plan.flash_pages[index] ?? 0),
          saved(plan.dram_gain_us[index]),
          saved(plan.flash_gain_us[index]),
          CHOICES[choice],
        ])}
        caption="Greedy: on a curve with steps a larger sum at once may gain more."
      />
    </Panel>
  );
});
