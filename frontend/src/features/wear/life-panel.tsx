import { Stack, Text, UnstyledButton } from "@mantine/core";
import { memo, useMemo, useState } from "react";
import { type WearOut, wearSteps } from "@/api/wear";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { rangeBarsOption, rangeText } from "@/charts/range-bars-option";
import { SchemeMark } from "@/charts/scheme-mark";
import { AskedSteps } from "@/components/asked-steps";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Dialog } from "@/components/dialog";
import { Panel } from "@/components/panel";
import { Prose } from "@/components/prose";
import { Unknown } from "@/components/unknown";
import { WhyButton } from "@/components/why-button";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  formatAmount,
  formatMoney,
  formatNumber,
  formatShort,
  usd,
} from "@/units/quantity";
import {
  lifeBars,
  lifeOf,
  paidOffText,
  wearTable,
  writeBars,
  writesOf,
} from "./question";
import classes from "./wear.module.css";

const HEIGHT = 270;

/** Years of life by scheme, with what is not known as a range. */
export const LifeChart = memo(function LifeChart(props: {
  readonly wear: WearOut;
  readonly name: string;
}) {
  const { wear, name } = props;
  const colors = useChartColors();
  const lives = useMemo(() => lifeBars(wear), [wear]);
  const bars = useMemo(() => lives ?? writeBars(wear), [lives, wear]);
  const option = useMemo(
    () =>
      rangeBarsOption({
        bars,
        name: lives === null ? "writes [TB/day]" : "life [years]",
        lowText: lives === null ? "fewest writes" : "in place, most writes",
        highText: lives === null ? "most writes" : "appended, fewest writes",
        colors,
      }),
    [bars, lives, colors],
  );
  const budget = wear.budget;
  return (
    <ChartCard
      title={wear.sentence}
      subtitle={subtitleOf(budget, lives !== null)}
      label={`Life of the flash for ${name}`}
      option={option}
      height={HEIGHT}
      fileName={`${name} flash wear`}
      table={() => wearTable(wear)}
      rate={rateOf(wear)}
      sentence={budgetText(budget)}
      explanation={
        <Stack gap="xs">
          <Text size="sm">
            {wear.estimator}. {wear.validity}.
          </Text>
          <Text size="sm">
            Page-flow schemes write single pages in place; a cache that appends, as FaCE
            does, wears flash less. Growth compounds: the flash lasts until all writes
            together reach the budget. A year has 365 days, a TB 10^12 bytes.
          </Text>
          <AskedSteps query={wearSteps(wear)} only={(step) => step.scheme === null} />
        </Stack>
      }
    />
  );
});

/** What the bars and their lines are. */
function subtitleOf(budget: WearOut["budget"], inYears: boolean): string {
  if (inYears) {
    return budget.appended_tb === null
      ? "Life of the flash by scheme [years]; the line runs from most to fewest small writes in place"
      : "Life of the flash by scheme [years]; the line runs from small writes in place to large appended writes";
  }
  return budget.reason === ""
    ? "Flash writes by scheme [TB/day]; the line spans the formula and the count from a cold start"
    : "Flash writes by scheme [TB/day]; the line spans the formula and the count from a cold start. The life in years is unknown: see the notes";
}

/** What the device endures, where that is known. */
function budgetText(budget: WearOut["budget"]): string | null {
  if (budget.reason !== "") {
    return null;
  }
  const inPlace = formatNumber(budget.in_place_tb ?? 0);
  return budget.appended_tb === null
    ? `The device endures ${inPlace} TB of writes: ${budget.basis}.`
    : `The device endures ${inPlace} TB of writes, or ${formatNumber(budget.appended_tb)} TB if they are appended: ${budget.basis}.`;
}

/** Every figure of the wear; each opens its derivation. */
export const WearTable = memo(function WearTable({ wear }: { readonly wear: WearOut }) {
  const [opened, setOpened] = useState<string | null>(null);
  const shown = wear.schemes.find(({ scheme }) => scheme === opened);
  const why = wear.budget.reason || "the write budget is unknown";
  return (
    <Panel title="In figures" subtitle={figuresSubtitle(wear)}>
      <DataTable
        label="Flash wear in figures"
        className={classes["table"]}
        columns={columnsOf(why, wear.money_reason || why, setOpened)}
        rows={wear.schemes}
        rowKey={({ scheme }) => scheme}
      />
      <MoneyText wear={wear} />
      <Dialog
        opened={shown !== undefined}
        onClose={() => setOpened(null)}
        size="min(1180px, 95vw)"
        title={`Why this number: ${shown?.title ?? ""}`}
      >
        <AskedSteps
          query={wearSteps(wear)}
          only={(step) => step.scheme === null || step.scheme === opened}
        />
      </Dialog>
    </Panel>
  );
});

function figuresSubtitle(wear: WearOut): string {
  const { assumed } = wear.budget;
  const rated = wear.rated_dwpd === null ? null : formatShort(wear.rated_dwpd);
  return [
    wear.dirty_share.state === "unknown"
      ? "Ranges run from the maximum possible dirty share of evicted pages to none."
      : null,
    "Press a figure to see how it is computed.",
    rated === null
      ? null
      : assumed === ""
        ? `The device is rated for ${rated} drive writes per day.`
        : `Computed with ${rated} drive writes per day (${assumed} assumed).`,
  ]
    .filter((sentence) => sentence !== null)
    .join(" ");
}

type Row = WearOut["schemes"][number];

function columnsOf(
  noLife: string,
  noMoney: string,
  onExplain: (scheme: string) => void,
): readonly Column<Row>[] {
  const figure = (row: Row, name: string, text: string) => (
    <UnstyledButton
      className={classes["figure"]}
      aria-label={`${name} of ${row.title}, ${text}: why this number`}
      onClick={() => onExplain(row.scheme)}
    >
      {text}
    </UnstyledButton>
  );
  return [
    {
      key: "Scheme",
      rowHeader: true,
      cell: ({ scheme, title }) => (
        <>
          <SchemeMark scheme={scheme} /> {title}
        </>
      ),
    },
    { key: "Life", cell: (row) => figure(row, "Life", lifeOf(row)) },
    {
      key: "Range",
      unit: "years",
      cell: (row) =>
        row.years_from === null ? (
          <Unknown reason={row.never_worn_out ? "it never wears out" : noLife} />
        ) : (
          figure(
            row,
            "Range",
            rangeText(row.years_from, row.years_to ?? Number.POSITIVE_INFINITY),
          )
        ),
    },
    {
      key: "Writes",
      unit: "TB/day",
      cell: (row) => figure(row, "Writes", writesOf(row)),
    },
    {
      key: "Drive writes",
      unit: "1/day",
      cell: (row) =>
        row.drive_writes_per_day === null ? (
          <Unknown reason="the device states no capacity" />
        ) : (
          figure(row, "Drive writes", driveWritesOf(row))
        ),
    },
    {
      key: "Wear",
      unit: `${shownCurrency()}/month`,
      cell: (row) =>
        row.money === null ? (
          <Unknown reason={noMoney} />
        ) : (
          figure(row, "Wear", wearOf(row, row.money.usd_per_month_written))
        ),
    },
  ];
}

function wearOf(row: Row, usdPerMonth: string): string {
  const most = formatMoney(usd(Number(usdPerMonth)));
  return row.least === null ? most : `up to ${most}`;
}

function driveWritesOf(row: Row): string {
  const most = formatShort(row.drive_writes_per_day ?? 0);
  const least = row.least?.drive_writes_per_day;
  return least == null || least === row.drive_writes_per_day
    ? most
    : `${formatShort(least)} to ${most}`;
}

function MoneyText({ wear }: { readonly wear: WearOut }) {
  const priced = wear.schemes.find((row) => row.money !== null);
  const money = priced?.money;
  if (money == null) {
    return wear.money_reason === "" ? null : (
      <Text size="sm" c="dimmed" mt={6}>
        Cost unknown: <Prose text={wear.money_reason} />.
      </Text>
    );
  }
  return (
    <>
      {wear.drives !== null && (
        <Text size="sm" mt={6}>
          {wear.drives.sentence}
        </Text>
      )}
      <Text size="sm" my={6}>
        Each TB written uses up {formatAmount(usd(Number(money.usd_per_tb_written)))} of
        the price. {paidOffText(wear)}
      </Text>
      <WhyButton title={`cost of a TB written, under ${priced?.title ?? ""}`}>
        <AskedSteps
          query={wearSteps(wear)}
          only={(step) => step.scheme === priced?.scheme && step.unit.startsWith("USD")}
        />
      </WhyButton>
    </>
  );
}
