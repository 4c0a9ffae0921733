import { Stack, Text, UnstyledButton } from "@mantine/core";
import { memo, useMemo, useState } from "react";
import { type WearOut, wearSteps } from "@/api/wear";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { rangeBarsOption, rangeText } from "@/charts/range-bars-option";
import { SchemeMark } from "@/charts/scheme-mark";
import { AskedSteps } from "@/components/asked-steps";
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
        name: lives === null ? "writes [TB a day]" : "life [years]",
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
      subtitle={
        lives === null
          ? `Flash writes by scheme [TB a day]; line: formula and count from a cold start${budget.reason === "" ? "" : ". Years are not known: see the notes"}`
          : `Life of the flash by scheme [years]; line: from small writes in place${budget.appended_tb === null ? ", most and fewest" : " to large appended ones"}`
      }
      label={`Life of the flash for ${name}`}
      option={option}
      height={HEIGHT}
      fileName={`${name} flash wear`}
      table={() => wearTable(wear)}
      rate={rateOf(wear)}
      sentence={
        budget.reason === ""
          ? `The device endures ${formatNumber(budget.in_place_tb ?? 0)} TB of writes${budget.appended_tb === null ? "" : `, ${formatNumber(budget.appended_tb)} TB if they are appended`}: ${budget.basis}.`
          : null
      }
      explanation={
        <Stack gap="xs">
          <Text size="sm">
            {wear.estimator}. {wear.validity}.
          </Text>
          <Text size="sm">
            Page-flow schemes write single pages in place; a cache that appends, as FaCE
            does, wears flash less. Growth compounds: what is written until the end of
            the life is the budget. A year has 365 days, a TB 10^12 bytes.
          </Text>
          <AskedSteps query={wearSteps(wear)} only={(step) => step.scheme === null} />
        </Stack>
      }
    />
  );
});

/** Every figure of the wear; each opens its derivation. */
export const WearTable = memo(function WearTable({ wear }: { readonly wear: WearOut }) {
  const [opened, setOpened] = useState<string | null>(null);
  const shown = wear.schemes.find(({ scheme }) => scheme === opened);
  const rated = wear.rated_dwpd;
  const why = wear.budget.reason || "the budget of writes is not known";
  return (
    <Panel
      title="In figures"
      subtitle={`${wear.dirty_share.state === "unknown" ? "Ranges go from as many dirty evicted pages as possible to none. " : ""}Press a figure to see why it is this number.${rated === null ? "" : ` ${wear.budget.assumed === "" ? "The device is rated for" : "Computed with"} ${formatShort(rated)} drive writes a day${wear.budget.assumed === "" ? "" : ` (${wear.budget.assumed} assumed)`}.`}`}
    >
      <div className="tw-scroll">
        <table className={`tw-table ${classes["table"]}`}>
          <thead>
            <tr>
              <th scope="col">Scheme</th>
              <th scope="col" className="num">
                Life
              </th>
              <th scope="col" className="num">
                Range
                <br />
                <span className="tw-unit">[years]</span>
              </th>
              <th scope="col" className="num">
                Writes
                <br />
                <span className="tw-unit">[TB/day]</span>
              </th>
              <th scope="col" className="num">
                Drive writes
                <br />
                <span className="tw-unit">[1/day]</span>
              </th>
              <th scope="col" className="num">
                Wear
                <br />
                <span className="tw-unit">[{shownCurrency()}/month]</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {wear.schemes.map((row) => (
              <WearRow
                key={row.scheme}
                row={row}
                noLife={why}
                noMoney={wear.money_reason || why}
                onExplain={() => setOpened(row.scheme)}
              />
            ))}
          </tbody>
        </table>
      </div>
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

interface WearRowProps {
  readonly row: WearOut["schemes"][number];
  readonly noLife: string;
  readonly noMoney: string;
  readonly onExplain: () => void;
}

function WearRow({ row, noLife, noMoney, onExplain }: WearRowProps) {
  const figure = (text: string, what: string) => (
    <UnstyledButton
      className={classes["figure"]}
      aria-label={`${text}: why ${what} under ${row.title}`}
      onClick={onExplain}
    >
      {text}
    </UnstyledButton>
  );
  return (
    <tr>
      <th scope="row">
        <SchemeMark scheme={row.scheme} /> {row.title}
      </th>
      <td className="num">{figure(lifeOf(row), "this is the life")}</td>
      <td className="num">
        {row.years_from === null ? (
          <Unknown reason={row.never_worn_out ? "it never wears out" : noLife} />
        ) : (
          figure(
            rangeText(row.years_from, row.years_to ?? Number.POSITIVE_INFINITY),
            "this is its range",
          )
        )}
      </td>
      <td className="num">{figure(writesOf(row), "this is written")}</td>
      <td className="num">
        {row.drive_writes_per_day === null ? (
          <Unknown reason="the device states no capacity" />
        ) : (
          figure(driveWritesOf(row), "these are the drive writes")
        )}
      </td>
      <td className="num">
        {row.money === null ? (
          <Unknown reason={noMoney} />
        ) : (
          figure(
            `${row.least === null ? "" : "up to "}${formatMoney(usd(Number(row.money.usd_per_month_written)))}`,
            "this is its cost",
          )
        )}
      </td>
    </tr>
  );
}

function driveWritesOf(row: WearRowProps["row"]): string {
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
        No money: <Prose text={wear.money_reason} />.
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
        A TB written uses up {formatAmount(usd(Number(money.usd_per_tb_written)))} of
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
