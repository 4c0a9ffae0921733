import { memo, useMemo } from "react";
import type { PoolSplitGains } from "@/api/analyses";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { formatShort } from "@/units/quantity";
import { gainFinding, gainSeries, gainTable } from "./findings";

const HEIGHT = 300;

interface GainChartProps {
  readonly gains: PoolSplitGains;
  readonly name: string;
  readonly asymmetry: number;
  /** Whether the buffer was counted for one of production. */
  readonly isProduction: boolean;
}

/** What the best split saves, over the asymmetry. */
export const GainChart = memo(function GainChart({
  gains,
  name,
  asymmetry,
  isProduction,
}: GainChartProps) {
  const colors = useChartColors();
  const option = useMemo(() => {
    const last = gains.gains.at(-1)?.asymmetry ?? 1;
    return lineOption({
      series: gainSeries(gains, colors),
      x: {
        name: "asymmetry R [page reads per page write]",
        log: true,
        format: (value) => `R ${formatShort(value)}`,
      },
      y: {
        name: "saved by the best split [%]",
        fromData: true,
        format: (value) => `${formatShort(value)} %`,
      },
      markers:
        asymmetry >= 1 && asymmetry <= last ? [{ name: "chosen R", x: asymmetry }] : [],
      colors,
    });
  }, [gains, colors, asymmetry]);
  return (
    <ChartCard
      title={gainFinding(gains)}
      subtitle="Share of the cost of LRU and of CFLRU that the best replayed split saves, over R [%]"
      label={`Saving over asymmetry of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => gainTable(gains, isProduction)}
      fileName={`${name} pool split saving`}
      explanation={
        <p>
          A replay counts reads and writes regardless of their cost, so each replayed
          split can be priced at every R: (reads + R x writes) / accesses, with one more
          write for each page still dirty at the end. At each R the cheapest split is
          compared with LRU and CFLRU over the whole buffer. Negative values mean that
          no replayed split is as cheap. The circles are the devices of the catalogue at
          their own R.
        </p>
      }
    />
  );
});
