import { Stack, Text } from "@mantine/core";
import { memo } from "react";
import { type BreakEvenOut, breakEvenSteps } from "@/api/dram-or-flash";
import { AskedSteps } from "@/components/asked-steps";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { EmptyState } from "@/components/empty-state";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { type Names, Prose } from "@/components/prose";
import { Unknown } from "@/components/unknown";
import { WhyButton } from "@/components/why-button";
import { type ExchangeRate, rateOf, shownCurrency } from "@/units/currency";
import {
  counted,
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
  unknownText,
  winnerText,
} from "./findings";

type Shown = string | { readonly absent: string };

/** What is absent says why. */
const shown = (value: Shown) =>
  typeof value === "string" ? value : <Unknown reason={value.absent} />;

/** A table of this page names its export after the file. */
export const exportOf = <Row,>(
  file: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  rate: ExchangeRate | null = null,
) => (
  <ExportCsv
    file={file}
    label={`Export CSV of ${file}`}
    columns={columns}
    rows={rows}
    rate={rate}
  />
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
) => shown(value === null ? { absent: reason ?? "not known" } : text(value));

const stepText = (step: Step) =>
  `${formatShort(step.delta)} x${step.is_trend ? " (trend)" : ""}`;

const TREND =
  "Trend: the recording is too short for sizes this large; the values are extrapolated from smaller ones.";

const stepColumns = (decides: "full" | "curve"): readonly Column<Step>[] => [
  { key: "delta", head: "DRAM", cell: stepText, csv: (step) => step.delta },
  { key: "dram_pages", csv: (step) => step.dram_pages },
  { key: "best_scheme", csv: (step) => step.best_scheme },
  {
    key: "theta_full",
    head: "Best scheme",
    cell: (step) => theta(step, "full"),
    csv: (step) => step.theta_full,
  },
  {
    key: "theta_curve",
    head: "Hits alone",
    cell: (step) => theta(step, "curve"),
    csv: (step) => step.theta_curve,
  },
  {
    key: "theta_log",
    head: "Log model",
    cell: (step) => theta(step, "log"),
    csv: (step) => step.theta_log,
  },
  ...(["full", "curve", "log"] as const).map(
    (form): Column<Step> => ({
      key: `flip_${form}`,
      head: "Pays below",
      csv: (step) => step[`flip_${form}`],
      ...(form === decides
        ? { cell: (step) => flip(step[`flip_${form}`], step.reasons[`flip_${form}`]) }
        : {}),
    }),
  ),
];

/** Flash that replaces steps of DRAM, by three estimators. */
export const StepTable = memo(function StepTable({
  found,
}: {
  readonly found: BreakEvenOut;
}) {
  const decides = found.form === "full" ? "full" : "curve";
  const columns = stepColumns(decides);
  if (found.steps.length === 0) {
    return (
      <Panel title="Flash that gains as much as DRAM">
        <EmptyState title="No step of DRAM is known">{unknownText(found)}</EmptyState>
      </Panel>
    );
  }
  return (
    <Panel
      title="Flash that gains as much as DRAM"
      subtitle="Smallest flash that saves as much time as the added DRAM, both in multiples of the existing DRAM."
      actions={exportOf("break-even-theta", columns, found.steps)}
    >
      <DataTable
        label="Flash that gains as much as DRAM"
        columns={columns}
        rows={found.steps}
        rowKey={(step) => step.delta}
        caption={[
          decides === "full"
            ? "Best scheme: flash writes and dirty pages counted, under the scheme that needs the least flash. Pays below: flash price over DRAM price, per byte, under that scheme."
            : "Best scheme: flash writes and dirty pages counted, under the scheme that needs the least flash. Pays below: flash price over DRAM price, per byte, by hits alone.",
          ...(found.steps.some((step) => step.is_trend) ? [TREND] : []),
          unknownText(found),
        ]
          .filter(Boolean)
          .join(" ")}
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

type SchemeRow = Step["schemes"][number] & { readonly step: Step };

const SCHEME_EXPORT: readonly Column<SchemeRow>[] = [
  { key: "delta", csv: (row) => row.step.delta },
  { key: "scheme", csv: (row) => row.scheme },
  { key: "theta", csv: (row) => row.theta },
  { key: "theta_least", csv: (row) => row.theta_least },
  { key: "theta_most", csv: (row) => row.theta_most },
  { key: "is_exact", csv: (row) => String(row.is_exact) },
  { key: "is_trend", csv: (row) => String(row.is_trend) },
  { key: "is_best", csv: (row) => String(row.scheme === row.step.best_scheme) },
];

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
  const unknown = unknownText(found);
  return (
    <Panel
      title="Flash that gains as much as DRAM, by page-flow scheme"
      subtitle="Each scheme with its flash writes and effective capacity, in multiples of the existing DRAM; stated errors are in parentheses."
      actions={exportOf(
        "break-even-schemes",
        SCHEME_EXPORT,
        found.steps.flatMap((step) => step.schemes.map((each) => ({ ...each, step }))),
      )}
    >
      <DataTable
        label="Flash that gains as much as DRAM, by scheme"
        columns={[
          { key: "DRAM", cell: stepText },
          ...schemes.map(
            ({ title }, index): Column<Step> => ({
              key: title,
              cell: ({ schemes: found }) => {
                const each = found[index];
                return (
                  each &&
                  shown(
                    schemeTheta(
                      each,
                      unknown === ""
                        ? "no amount of flash gains as much under this scheme"
                        : "unknown: no flash within what the counters speak of gains as much under this scheme",
                    ),
                  )
                );
              },
            }),
          ),
          {
            key: "Least flash",
            align: "text",
            cell: (step) =>
              shown(
                step.best_scheme === null
                  ? { absent: step.reasons["best_scheme"] ?? "not known" }
                  : (titles.get(step.best_scheme) ?? step.best_scheme),
              ),
          },
        ]}
        rows={found.steps}
        rowKey={(step) => step.delta}
        caption={[
          found.start === "cold"
            ? "Stated error: hits and writes. Without parentheses, the counts equal those of a replay."
            : "Stated error: hits, writes and the steady-state cost, which grows with the share of the pages that RAM and flash hold. “At least” marks sizes where more flash than the recording covers may be needed.",
          ...(found.steps.some((step) => step.is_trend) ? [TREND] : []),
        ].join(" ")}
      />
    </Panel>
  );
});

type EqualRow = NonNullable<BreakEvenOut["next_money"]>["equal_money"][number];

/** What flash gains, with the ends of the stated error where they are apart. */
function flashGain(row: EqualRow) {
  if (row.flash_gain_us === null) {
    return { absent: "the metadata for this much flash would take all DRAM" };
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
  const charged = (row: EqualRow) =>
    row.flash_scheme === null
      ? row.form === "full"
        ? "flash writes, dirty pages"
        : "hits alone"
      : `flash writes, dirty pages: ${titles.get(row.flash_scheme) ?? row.flash_scheme}`;
  return (
    <Panel
      title={`${dollars(money.usd)} in DRAM or in flash`}
      subtitle={`${counted(money.dram_pages, "page")} of DRAM or ${counted(money.flash_pages, "page")} of flash. ${found.prices.usd_basis}`}
    >
      <DataTable
        label="The same money in DRAM and in flash"
        columns={[
          { key: "Costs counted", align: "text", cell: charged },
          {
            key: "DRAM saves",
            unit: "µs/access",
            cell: (row) => formatShort(row.dram_gain_us),
          },
          {
            key: "Flash saves",
            unit: "µs/access",
            cell: (row) => shown(flashGain(row)),
          },
          {
            key: "Flash over DRAM",
            cell: (row) =>
              shown(
                row.flash_to_dram_gain_ratio === null
                  ? { absent: "DRAM gains nothing here" }
                  : `${formatShort(row.flash_to_dram_gain_ratio)} x`,
              ),
          },
          { key: "Better buy", align: "text", cell: (row) => winnerText(row.winner) },
          {
            key: "Flips at",
            cell: (row) => flip(row.flip_price_ratio, row.flip_reason),
          },
        ]}
        rows={money.equal_money}
        rowKey={(row) => row.form}
      />
      <SchemeGains row={money.equal_money.find((row) => row.form === "full")} />
      <Text size="sm" c="dimmed" mt="xs">
        DRAM: {found.prices.dram_basis ?? "no price"}. Flash:{" "}
        {found.prices.flash_basis ?? "no price"}.
      </Text>
    </Panel>
  );
});

type Interval = BreakEvenOut["intervals"][number];

const INTERVAL_COLUMNS: readonly Column<Interval>[] = [
  {
    key: "upper",
    head: "Upper tier",
    align: "text",
    cell: (row) => row.upper_name,
    csv: (row) => row.upper_name,
  },
  {
    key: "lower",
    head: "Lower tier",
    align: "text",
    cell: (row) => row.lower_name,
    csv: (row) => row.lower_name,
  },
  {
    key: "interval_s",
    head: "Interval",
    cell: (row) =>
      shown(
        row.interval_s === null
          ? { absent: `missing: ${row.missing.join(", ")}` }
          : formatInterval(row.interval_s),
      ),
    csv: (row) => row.interval_s,
  },
  { key: "host_s", csv: (row) => row.terms?.host_s ?? null },
  { key: "bandwidth_s", csv: (row) => row.terms?.bandwidth_s ?? null },
  { key: "device_s", csv: (row) => row.terms?.device_s ?? null },
  { key: "missing", csv: (row) => row.missing.join("; ") },
];

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
      actions={exportOf("break-even-intervals", INTERVAL_COLUMNS, found.intervals)}
    >
      <DataTable
        label="Break-even intervals"
        columns={INTERVAL_COLUMNS}
        rows={found.intervals}
        rowKey={(row) => `${row.upper_name} ${row.lower_name}`}
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

type Plan = NonNullable<BreakEvenOut["plan"]>;

const saved = (value: number | null | undefined) =>
  shown(
    value === null || value === undefined
      ? { absent: "the metadata for this much flash would take all DRAM" }
      : orLess(value),
  );

/** A plan is lists side by side: its rows are its choices. */
const planColumns = (plan: Plan): readonly Column<Plan["choice"][number]>[] => [
  {
    key: `spent_${shownCurrency().toLowerCase()}`,
    head: "Spent",
    cell: (_, index) => dollars(index === 0 ? "0" : (plan.spent_usd[index] ?? "0")),
    csv: (_, index) => plan.spent_usd[index] ?? null,
  },
  {
    key: "ram_pages",
    head: "RAM",
    unit: "pages",
    cell: (_, index) => formatCount(plan.ram_pages[index] ?? 0),
    csv: (_, index) => plan.ram_pages[index] ?? null,
  },
  {
    key: "flash_pages",
    head: "Flash",
    unit: "pages",
    cell: (_, index) => formatCount(plan.flash_pages[index] ?? 0),
    csv: (_, index) => plan.flash_pages[index] ?? null,
  },
  {
    key: "dram_gain_us",
    head: "DRAM saves",
    unit: "µs/access",
    cell: (_, index) => saved(plan.dram_gain_us[index]),
    csv: (_, index) => plan.dram_gain_us[index] ?? null,
  },
  {
    key: "flash_gain_us",
    head: "Flash saves",
    unit: "µs/access",
    cell: (_, index) => saved(plan.flash_gain_us[index]),
    csv: (_, index) => plan.flash_gain_us[index] ?? null,
  },
  {
    key: "choice",
    head: "Next",
    align: "text",
    cell: (choice, index) =>
      plan.is_trend[index] === true ? `${CHOICES[choice]} (trend)` : CHOICES[choice],
    csv: (choice) => choice,
  },
  { key: "is_trend", csv: (_, index) => String(plan.is_trend[index] ?? false) },
];

/** What the steps are worth that the table leaves out. */
function laterSteps(left: number): string {
  if (left === 0) {
    return "";
  }
  return counted(
    left,
    "more step saves less than 0.1 % of the best step; see the CSV export.",
    "more steps save less than 0.1 % of the best step each; see the CSV export.",
  );
}

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
  const columns = planColumns(plan);
  return (
    <Panel
      title="Spending plan: each step where it gains most"
      subtitle={`Each step spends ${dollars(money.usd)} on top of earlier purchases.`}
      actions={exportOf("break-even-plan", columns, plan.choice, rateOf(found))}
    >
      <DataTable
        label="Spending plan"
        columns={columns}
        rows={plan.choice.slice(0, rows)}
        rowKey={(_, index) => index}
        caption={[
          "Greedy: on a curve with steps, one larger purchase may gain more.",
          surplusText(plan, money),
          laterSteps(left),
          plan.is_trend.includes(true) ? TREND : "",
        ]
          .filter((sentence) => sentence !== "")
          .join(" ")}
      />
    </Panel>
  );
});
