import { useMemo } from "react";
import type { RatesOut } from "@/api/scaling";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { counted, formatShort } from "@/units/quantity";
import { hasParts, rateSeries, rateTable, timeAxis } from "./rates";

const HEIGHT = 220;

/** When production is busy, and how much busier than on average. */
export function RatesChart(props: { readonly rates: RatesOut; readonly name: string }) {
  const { rates, name } = props;
  const colors = useChartColors();
  const option = useMemo(
    () =>
      lineOption({
        series: rateSeries(rates, colors),
        x: { name: timeAxis(rates), min: 0, format: (value) => formatShort(value) },
        y: {
          name: "page accesses per second",
          min: 0,
          format: (value) => formatShort(value),
        },
        colors,
      }),
    [rates, colors],
  );
  return (
    <ChartCard
      title={rates.sentence}
      subtitle={
        hasParts(rates)
          ? `Page accesses per second, in parts of ${counted(rates.steps_per_part, "step")} [1/s]`
          : "Page accesses per second, step by step [1/s]"
      }
      label={`Rates of production over time of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => rateTable(rates)}
      fileName={`${name} rates`}
      explanation={
        <p>
          Mean and peak are those of all {counted(rates.steps, "step")}, as stated.
          Rates in answers follow the mean; whether the devices can carry the load is
          judged by the peak.
        </p>
      }
    />
  );
}
