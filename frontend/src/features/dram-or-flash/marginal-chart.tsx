import { SegmentedControl, Stack, Text } from "@mantine/core";
import { memo, useMemo, useState } from "react";
import { type BreakEvenOut, breakEvenSteps } from "@/api/dram-or-flash";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { AskedSteps } from "@/components/asked-steps";
import { rateOf, shownCurrency } from "@/units/currency";
import { formatShort } from "@/units/quantity";
import {
  crossingMarkers,
  dollars,
  knownNote,
  marginalTable,
  moneySeries,
  type NextMoney,
  trendNote,
  type View,
} from "./findings";

const HEIGHT = 380;

interface MarginalChartProps {
  readonly found: BreakEvenOut;
  readonly money: NextMoney;
  readonly name: string;
}

/** The axis begins at zero unless a first sum loses time. */
function lowest(money: NextMoney): { readonly min?: number } {
  const first = (money.equal_money[0]?.flash_gain_us ?? 0) / Number(money.usd);
  return first < 0 ? { min: MARGIN * first } : {};
}

const MARGIN = 1.1;

/** The two marginal curves: what the next sum saves in DRAM and in flash. */
export const MarginalChart = memo(function MarginalChart({
  found,
  money,
  name,
}: MarginalChartProps) {
  const colors = useChartColors();
  const [view, setView] = useState<View>("next");
  const total = view === "total";
  const option = useMemo(
    () =>
      lineOption({
        series: moneySeries(money, view, colors),
        x: {
          name: total
            ? `spent at once, on DRAM alone or on flash alone [${shownCurrency()}]`
            : `spent before, on DRAM alone or on flash alone [${shownCurrency()}]`,
          log: true,
          format: (value) => dollars(value),
        },
        y: {
          name: total
            ? "saved [µs per access]"
            : `saved per ${shownCurrency()} by the next ${dollars(money.usd)} [µs per access per ${shownCurrency()}]`,
          ...(total ? { fromData: true } : lowest(money)),
          format: (value) => formatShort(value),
        },
        markers: crossingMarkers(money, view),
        colors,
      }),
    [money, view, total, colors],
  );
  return (
    <ChartCard
      title={found.finding}
      subtitle={
        total
          ? "I/O time saved by an amount spent at once on DRAM alone or on flash alone [µs per access]"
          : `I/O time saved per ${shownCurrency()} by the next ${dollars(money.usd)}, after any amount already spent on the same tier; markers: nothing spent before [µs per access per ${shownCurrency()}]`
      }
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Chart shows"
          transitionDuration={0}
          value={view}
          onChange={(value) => setView(value === "total" ? "total" : "next")}
          data={[
            { value: "next", label: "Next amount" },
            { value: "total", label: "Whole amount" },
          ]}
        />
      }
      label={`Next money in DRAM and in flash for ${name}`}
      option={option}
      height={HEIGHT}
      table={() => marginalTable(money)}
      rate={rateOf(found)}
      fileName={`${name} DRAM or flash next ${money.usd} ${shownCurrency()}`}
      sentence={[found.sentence, knownNote(money), trendNote(money)]
        .filter(Boolean)
        .join(" ")}
      explanation={
        <Stack gap="xs">
          <Text size="sm">
            Each line is [G(m + u) − G(m)] / u: G(m) is the time per access saved by m
            dollars of DRAM, or of flash, added to the existing DRAM, and u is the next
            amount. Where the lines cross, the next money belongs in the other tier. The
            markers show the first amount, which decides: where flash writes count, it
            must also pay for writing every page that leaves DRAM to flash; later
            amounts need not.{" "}
            {found.form === "full"
              ? "Flash writes, dirty pages and old versions are counted, and at each size flash is managed by the scheme that saves most there."
              : "Hits alone are counted: flash writes and dirty pages cost nothing."}
          </Text>
          <Text size="sm">
            Estimator: {found.estimator}. Valid for: {found.validity}.
          </Text>
          <Text size="sm">{found.time_basis}</Text>
          <AskedSteps query={breakEvenSteps(found)} />
        </Stack>
      }
    />
  );
});
