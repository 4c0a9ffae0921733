import { Button, Stack, Text } from "@mantine/core";
import { memo } from "react";
import { type BreakEvenOut, breakEvenSteps } from "@/api/dram-or-flash";
import { type CsvCell, csvWithRate } from "@/charts/csv";
import { downloadText } from "@/charts/download";
import { AskedSteps } from "@/components/asked-steps";
import { Panel } from "@/components/panel";
import { type Names, Prose } from "@/components/prose";
import { ScrollRegion } from "@/components/scroll-region";
import { Unknown } from "@/components/unknown";
import { WhyButton } from "@/components/why-button";
import { type ExchangeRate, rateOf, shownCurrency } from "@/units/currency";
import {
  formatCount,
  formatInterval,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import {
  dollars,
  isInterval,
  orLess,
  schemeTheta,
  surplusText,
  tellingSteps,
  winnerText,
} from "./findings";

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
  /** Of the money in the table. */
  rate: ExchangeRate | null = null,
) => (
  <Button
    size="xs"
    variant="default"
    aria-label={`Export CSV of ${file}`}
    onClick={() =>
      downloadText(
        `${file}.csv`,
        "text/csv;charset=utf-8",
        csvWithRate(header, rows, rate),
      )
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

const stepText = (step: Step) =>
  `${formatShort(step.delta)} x${step.is_trend ? " (trend)" : ""}`;

const TREND =
  " Trend: the recording tells too little about sizes as large as these, and smaller ones are continued.";

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
          "best_scheme",
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
          step.best_scheme,
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
          { title: "Best scheme" },
          { title: "Hits alone" },
          { title: "Log model" },
          { title: "Pays below" },
        ]}
        rows={found.steps.map((step) => [
          stepText(step),
          theta(step, "full"),
          theta(step, "curve"),
          theta(step, "log"),
          flip(step[`flip_${decides}`], step.reasons[`flip_${decides}`]),
        ])}
        caption={`Best scheme: flash writes and dirty pages counted, under the scheme that needs the least flash. Pays below: price of flash over price of DRAM, a byte, ${decides === "full" ? "under that scheme" : "by hits alone"}.${found.steps.some((step) => step.is_trend) ? TREND : ""}`}
      />
      <Stack gap={4} mt="xs">
        <Text size="sm" c="dimmed">
          Mean access: {formatPercent(ratio(found.times.read_share))} reads,{" "}
          {found.times.read_share_basis}.
        </Text>
        <WhyButton title="sizes that break even">
          <AskedSteps
            query={breakEvenSteps(found)}
            only={(step) => !isInterval(step)}
          />
        </WhyButton>
      </Stack>
    </Panel>
  );
});

/** Break-even of every page-flow scheme, the best one named. */
export const SchemeStepTable = memo(function SchemeStepTable({
  found,
}: {
  readonly found: BreakEvenOut;
}) {
  const schemes = found.steps[0]?.schemes ?? [];
  if (schemes.length === 0) {
    return null;
  }
  const titles = new Map(schemes.map((each) => [each.scheme, each.title]));
  return (
    <Panel
      title="Flash that gains as much as DRAM, by page-flow scheme"
      subtitle="Each scheme with its own flash writes and its own effective capacity, in multiples of the DRAM there is; in brackets the stated error."
      actions={exportButton(
        "break-even-schemes",
        [
          "delta",
          "scheme",
          "theta",
          "theta_least",
          "theta_most",
          "is_exact",
          "is_trend",
          "is_best",
        ],
        found.steps.flatMap((step) =>
          step.schemes.map((each): CsvCell[] => [
            step.delta,
            each.scheme,
            each.theta,
            each.theta_least,
            each.theta_most,
            String(each.is_exact),
            String(each.is_trend),
            String(each.scheme === step.best_scheme),
          ]),
        ),
      )}
    >
      <PlainTable
        label="Flash that gains as much as DRAM, by scheme"
        columns={[
          { title: "DRAM" },
          ...schemes.map((each) => ({ title: each.title })),
          { title: "Least flash", text: true },
        ]}
        rows={found.steps.map((step) => [
          stepText(step),
          ...step.schemes.map((each) =>
            schemeTheta(each, "no amount of flash gains as much under this scheme"),
          ),
          step.best_scheme === null
            ? { absent: step.reasons["best_scheme"] ?? "not known" }
            : (titles.get(step.best_scheme) ?? step.best_scheme),
        ])}
        caption={`${found.start === "cold" ? "Stated error: of hits and writes; without brackets the counts are those of a replay." : "Stated error: of hits, of writes, and of the cost in the steady state, which grows with the share of the pages that RAM and flash hold; “at least” where flash of more pages than the recording tells about may be needed."}${found.steps.some((step) => step.is_trend) ? TREND : ""}`}
      />
    </Panel>
  );
});

type EqualRow = NonNullable<BreakEvenOut["next_money"]>["equal_money"][number];

/** What flash gains, with the ends of the stated error where they are apart. */
function flashGain(row: EqualRow) {
  if (row.flash_gain_us === null) {
    return { absent: "the metadata of this much flash leave no DRAM" };
  }
  const { flash_gain_least_us: least, flash_gain_most_us: most } = row;
  const middle = formatShort(row.flash_gain_us);
  return least === null || most === null || least === most
    ? middle
    : `${middle} (${formatShort(least)} to ${formatShort(most)})`;
}

/** What the same flash saves under every scheme. */
function SchemeGains({ row }: { readonly row: EqualRow | undefined }) {
  if (row === undefined || row.flash_gains.length === 0) {
    return null;
  }
  const known = row.flash_gains.filter((each) => each.gain_us !== null);
  return known.length === 0 ? null : (
    <Text size="sm" mt="xs">
      Flash saves by scheme [µs/access]:{" "}
      {known
        .map((each) => `${each.title} ${formatShort(each.gain_us ?? 0)}`)
        .join("; ")}
      .
    </Text>
  );
}

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
  const titles = new Map(
    money.equal_money.flatMap((row) =>
      row.flash_gains.map((each) => [each.scheme, each.title] as const),
    ),
  );
  const counted = (row: EqualRow) =>
    row.flash_scheme === null
      ? row.form === "full"
        ? "flash writes, dirty pages"
        : "hits alone"
      : `flash writes, dirty pages: ${titles.get(row.flash_scheme) ?? row.flash_scheme}`;
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
          counted(row),
          formatShort(row.dram_gain_us),
          flashGain(row),
          row.flash_to_dram_gain_ratio === null
            ? { absent: "DRAM gains nothing here" }
            : `${formatShort(row.flash_to_dram_gain_ratio)} x`,
          winnerText(row.winner),
          flip(row.flip_price_ratio, row.flip_reason),
        ])}
      />
      <SchemeGains row={money.equal_money.find((row) => row.form === "full")} />
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
  names,
}: {
  readonly found: BreakEvenOut;
  /** Names of the devices that messages mention by their ids. */
  readonly names: Names;
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
      <WhyButton title="break-even intervals">
        <AskedSteps query={breakEvenSteps(found)} only={isInterval} />
      </WhyButton>
      <Text size="sm" c="dimmed" mt={4}>
        {found.intervals
          .flatMap((row) => row.warnings)
          .map((warning) => warning.message)
          .filter((message, index, all) => all.indexOf(message) === index)
          .map((message) => (
            <span key={message}>
              <Prose text={message} names={names} />.{" "}
            </span>
          ))}
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
  const telling = tellingSteps(plan);
  // A plan that gains nothing at all still says so.
  const rows = telling === 0 ? plan.choice.length : telling;
  const left = plan.choice.length - rows;
  const saved = (value: number | null | undefined) =>
    value === null || value === undefined
      ? { absent: "the metadata of this much flash leave no DRAM" }
      : orLess(value);
  return (
    <Panel
      title="A plan: sum after sum where it gains most"
      subtitle={`Each step spends ${dollars(money.usd)} beside what was bought before.`}
      actions={exportButton(
        "break-even-plan",
        [
          `spent_${shownCurrency().toLowerCase()}`,
          "ram_pages",
          "flash_pages",
          "dram_gain_us",
          "flash_gain_us",
          "choice",
          "is_trend",
        ],
        plan.choice.map((choice, index) => [
          plan.spent_usd[index] ?? null,
          plan.ram_pages[index] ?? null,
          plan.flash_pages[index] ?? null,
          plan.dram_gain_us[index] ?? null,
          plan.flash_gain_us[index] ?? null,
          choice,
          String(plan.is_trend[index] ?? false),
        ]),
        rateOf(found),
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
        rows={plan.choice
          .slice(0, rows)
          .map((choice, index) => [
            index === 0 ? dollars("0") : dollars(plan.spent_usd[index] ?? "0"),
            formatCount(plan.ram_pages[index] ?? 0),
            formatCount(plan.flash_pages[index] ?? 0),
            saved(plan.dram_gain_us[index]),
            saved(plan.flash_gain_us[index]),
            `${CHOICES[choice]}${plan.is_trend[index] === true ? " (trend)" : ""}`,
          ])}
        caption={`Greedy: on a curve with steps a larger sum at once may gain more.${surplusText(plan, money)}${left === 0 ? "" : ` ${left === 1 ? "One more step saves" : `${left} more steps save`} less than 0.1 % of what the best one does; the CSV export holds ${left === 1 ? "it" : "them"}.`}${plan.is_trend.includes(true) ? TREND : ""}`}
      />
    </Panel>
  );
});
