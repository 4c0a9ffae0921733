import { memo, useMemo } from "react";
import type { BreakEvenOut } from "@/api/dram-or-flash";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { rateOf } from "@/units/currency";
import { formatShort } from "@/units/quantity";
import { dollars, flipSeries, flipTable } from "./findings";

const HEIGHT = 300;

/** The price ratio at which the decision flips, over the size of the step. */
export const FlipChart = memo(function FlipChart(props: {
  readonly found: BreakEvenOut;
  readonly name: string;
}) {
  const { found, name } = props;
  const colors = useChartColors();
  const option = useMemo(() => {
    // Counters may speak of no step of DRAM.
    if (found.flips.delta.length === 0) {
      return null;
    }
    const money = found.next_money;
    const step = money === null ? 0 : money.dram_pages / found.ram_pages;
    const last = found.flips.delta.at(-1) ?? 1;
    const first = found.flips.delta[0] ?? 0;
    return lineOption({
      series: flipSeries(found, colors),
      x: {
        name: "DRAM added, in multiples of the existing DRAM",
        log: true,
        format: (value) => `${formatShort(value)} x`,
      },
      y: {
        name: "flash price over DRAM price, per byte [%]",
        format: (value) => `${formatShort(value)} %`,
      },
      markers:
        money !== null && step >= first && step <= last
          ? [{ name: `next ${dollars(money.usd)}`, x: step }]
          : [],
      colors,
    });
  }, [found, colors]);
  if (option === null) {
    return null;
  }
  return (
    <ChartCard
      title={found.flip_finding}
      subtitle="Flash price over DRAM price, per byte, below which flash is the better buy [%]"
      label={`Price ratio at which the decision flips for ${name}`}
      option={option}
      height={HEIGHT}
      table={() => flipTable(found)}
      // Its marker names a sum.
      rate={found.next_money === null ? null : rateOf(found)}
      fileName={`${name} DRAM or flash flip`}
      explanation={
        <p>
          Adding delta times the existing DRAM gains as much as adding flash of theta
          times the existing DRAM. Equal money buys both where the price ratio is delta
          / theta: below a line flash is the better buy, above it DRAM. A line ends
          where no known amount of flash gains as much as the DRAM. The log model
          assumes a hit ratio that is linear in the logarithm of the size; the others
          follow the workload's own curve. Exponent E = C_disk / (C_disk − C_flash) ={" "}
          {formatShort(found.exponent, 6)}.
        </p>
      }
    />
  );
});
