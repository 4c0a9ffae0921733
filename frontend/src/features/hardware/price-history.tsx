import { Select } from "@mantine/core";
import { useMemo, useState } from "react";
import type { PriceSeriesOut } from "@/api/purchasable";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { lineOption } from "@/charts/line-option";
import { type Column, valueColumn } from "@/components/columns";
import { formatShort } from "@/units/quantity";
import { PRICE_KINDS, priceFinding, priceLines, yearOf } from "./price-series";

const HEIGHT = 380;

type Row = PriceSeriesOut["points"][number] & { readonly series: string };

const COLUMNS: readonly Column<Row, string>[] = [
  valueColumn("series", ({ series }) => series),
  valueColumn("date", ({ date }) => date),
  valueColumn("USD per GB", ({ usd_per_gb }) =>
    usd_per_gb === null ? null : Number(usd_per_gb),
  ),
  valueColumn("change, low [%]", ({ change_percent_low }) => change_percent_low),
  valueColumn("change, high [%]", ({ change_percent_high }) => change_percent_high),
  valueColumn("what", ({ what }) => what),
  valueColumn("market", ({ price_kind }) => price_kind),
  valueColumn("source", ({ source }) => source),
  valueColumn("note", ({ note }) => note),
];

/** Prices of one kind over time: lines only where prices are of one product and market. */
export function PriceHistory({ all }: { readonly all: readonly PriceSeriesOut[] }) {
  const [kind, setKind] = useState("dram");
  const colors = useChartColors();
  const option = useMemo(() => {
    const series = priceLines(all, kind, colors);
    const years = series.flatMap(({ points }) => points.map(([year]) => year));
    return lineOption({
      series,
      x: {
        name: "year",
        min: Math.floor(Math.min(...years)),
        max: Math.ceil(Math.max(...years)),
        format: (year) => String(year),
      },
      y: {
        name: "price [USD per GB]",
        log: true,
        format: (value) => `${formatShort(value)} USD per GB`,
      },
      colors,
    });
  }, [all, kind, colors]);
  const title = PRICE_KINDS[kind] ?? kind;
  return (
    <ChartCard
      title={priceFinding(all, kind) ?? `${title}: prices over time`}
      subtitle="Price [USD per GB, 10⁹ bytes] by date, logarithmic; hollow markers are single prices"
      label="Prices over time"
      option={option}
      height={HEIGHT}
      fileName={`prices of ${title}`}
      controls={
        <Select
          aria-label="Kind of price"
          size="xs"
          value={kind}
          allowDeselect={false}
          data={Object.entries(PRICE_KINDS).map(([value, label]) => ({ value, label }))}
          onChange={(value) => setKind(value ?? "dram")}
        />
      }
      table={() =>
        chartTable(
          all
            .filter((series) => series.kind === kind)
            .flatMap((series) =>
              series.points.map((point) => ({ ...point, series: series.name })),
            )
            .toSorted((one, other) => yearOf(one.date) - yearOf(other.date)),
          COLUMNS,
        )
      }
      sentence="A line joins prices of one product on one market. Contract, spot and retail prices, and modules or drives of different size, are not comparable."
      explanation="Each price is quoted with its date and source, which the table lists. Forecasts are drawn, and marked in the column of the market; withdrawn figures stand among the single prices. Prices of DRAM per GiB are converted to 10⁹ bytes."
    />
  );
}
