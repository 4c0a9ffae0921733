import { SegmentedControl, Stack, Text } from "@mantine/core";
import { memo, useMemo } from "react";
import type { SchemeMapOut } from "@/api/scheme-map";
import { useChartColors } from "@/charts/chart";
import { ChartCard, type ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { MARGIN_BANDS, schemeMapOption } from "@/charts/map-option";
import { SchemeMark } from "@/charts/scheme-mark";
import { valueColumn } from "@/components/columns";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  counted,
  formatCount,
  formatMicroseconds,
  formatMoney,
  formatPercent,
  microseconds,
  ratio,
  usd,
} from "@/units/quantity";
import {
  AXIS_NAMES,
  COLUMN_NAMES,
  formatCell,
  formatTick,
  isLog,
  isSize,
  nearestIndex,
} from "./axes";
import classes from "./scheme-map.module.css";

const HEIGHT = 470;

interface MapChartProps {
  readonly map: SchemeMapOut;
  readonly here: { readonly x: number; readonly y: number } | null;
  readonly by: "time" | "price";
  readonly workloadName: string;
  readonly onBy: (by: "time" | "price") => void;
  readonly onPick: (x: number, y: number) => void;
}

/** Who wins where, with the lines on which two schemes cost the same. */
export const MapChart = memo(function MapChart(props: MapChartProps) {
  const { map, here, onPick } = props;
  const priced = map.money.best_by_price_times_time;
  const by = priced === null ? "time" : props.by;
  const colors = useChartColors();
  const chart = useMemo(
    () => ({
      x: axisOf(map.x, map.page_bytes),
      y: axisOf(map.y, map.page_bytes),
      schemes: map.schemes.map((scheme) => ({
        scheme,
        title: map.titles[scheme] ?? scheme,
      })),
      best: by === "time" ? map.best : (priced ?? map.best),
      margin: by === "time" ? map.margin : null,
      tooClose: by === "time" ? map.too_close : null,
      lines: by === "time" ? map.crossovers : [],
      here: null,
      colors,
    }),
    [map, by, priced, colors],
  );
  const marker = useMemo(
    () => (inside(map, here) ? { ...here, label: "you are here" } : null),
    [map, here],
  );
  const option = useMemo(() => schemeMapOption(chart), [chart]);
  const axes = `${AXIS_NAMES[map.x.name]} and ${AXIS_NAMES[map.y.name]}`;
  const outside = here !== null && !inside(map, here);
  return (
    <ChartCard
      title={by === "time" ? map.sentence : priceSentence(map, priced ?? [])}
      subtitle={
        by === "time"
          ? `Scheme with the lowest I/O time per access over ${axes}; on a line two schemes cost the same`
          : `Scheme with the lowest price times I/O time [${shownCurrency()}/month x µs/access] over ${axes}`
      }
      label={`Scheme map of ${props.workloadName}`}
      option={option}
      marker={marker}
      pictureOption={() => schemeMapOption({ ...chart, here: marker, legend: true })}
      height={HEIGHT}
      onPick={onPick}
      fileName={`${props.workloadName} scheme map ${map.x.name} ${map.y.name}`}
      table={() => tableOf(map, here)}
      rate={map.money.best_by_price_times_time === null ? null : rateOf(map)}
      legend={<MapLegend map={map} by={by} best={chart.best} />}
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Best in"
          value={by}
          onChange={(value) => props.onBy(value === "price" ? "price" : "time")}
          transitionDuration={0}
          data={[
            { value: "time", label: "I/O time" },
            { value: "price", label: "Price x time", disabled: priced === null },
          ]}
        />
      }
      sentence={
        <>
          {outside &&
            "The current sizes are outside this map. Widen a range to see them. "}
          {priced === null && `Costs are not shown: ${map.money.reason}. `}
          {map.validity}.
        </>
      }
      explanation={<Explanation map={map} />}
    />
  );
});

/** An axis of a map, as it is drawn. */
export const axisOf = (axis: SchemeMapOut["x"], pageBytes: number) => ({
  name: AXIS_NAMES[axis.name],
  values: axis.values,
  log: isLog(axis.name),
  format: (value: number) => formatTick(axis.name, value, pageBytes),
  pageBytes: isSize(axis.name) ? pageBytes : undefined,
});

function inside(
  map: SchemeMapOut,
  here: MapChartProps["here"],
): here is { readonly x: number; readonly y: number } {
  const within = (values: readonly number[], value: number) =>
    value >= (values[0] ?? 0) && value <= (values.at(-1) ?? 0);
  return here !== null && within(map.x.values, here.x) && within(map.y.values, here.y);
}

function sharesOf(map: SchemeMapOut, best: readonly (readonly number[])[]) {
  const cells = best.flat();
  return map.schemes.map((scheme, index) => ({
    scheme,
    title: map.titles[scheme] ?? scheme,
    share: cells.filter((cell) => cell === index).length / Math.max(1, cells.length),
  }));
}

const UNKNOWN_SIZES = "unknown";

/** What a cell without a best scheme says. */
const none = ({ warnings }: SchemeMapOut): string =>
  warnings.some(({ name }) => name === "sizes_unknown")
    ? UNKNOWN_SIZES
    : "no scheme fits";

function priceSentence(map: SchemeMapOut, best: readonly (readonly number[])[]) {
  const won = sharesOf(map, best)
    .filter(({ share }) => share > 0)
    .sort((one, other) => other.share - one.share);
  const parts = won.map(
    ({ title, share }) => `${title} on ${formatPercent(ratio(share))}`,
  );
  return won.length === 0
    ? `${none(map) === UNKNOWN_SIZES ? "What costs least is unknown" : "No scheme fits"} anywhere on this map.`
    : `By price times I/O time: ${parts.join(", ")} of the map.`;
}

function MapLegend(props: {
  readonly map: SchemeMapOut;
  readonly by: "time" | "price";
  readonly best: readonly (readonly number[])[];
}) {
  const { map, by, best } = props;
  const close = map.too_close_share;
  return (
    <div className={classes["legend"]}>
      <ul className={classes["keys"]} aria-label="Winners">
        {sharesOf(map, best).map(({ scheme, title, share }) => (
          <li key={scheme}>
            <SchemeMark scheme={scheme} /> {title}{" "}
            <span className={classes["faint"]}>{formatPercent(ratio(share))}</span>
          </li>
        ))}
      </ul>
      {by === "time" && (
        <ul className={classes["keys"]} aria-label="Colour strength">
          {MARGIN_BANDS.map((band) => (
            <li key={band.from}>
              <span
                aria-hidden="true"
                className={classes["band"]}
                style={{ opacity: band.opacity }}
              />
              {band.text}
            </li>
          ))}
          {close > 0 && (
            <li>
              <span aria-hidden="true" className={classes["hatched"]} />
              lead within the model's error
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

function Explanation({ map }: { readonly map: SchemeMapOut }) {
  return (
    <Stack gap="xs">
      <Text size="sm">{map.estimator}.</Text>
      <Text size="sm">
        Every cell holds the I/O time of each scheme by its formula, with hits from the
        curve of the workload. The colour shows the best scheme, its strength the lead.
        On a line two schemes cost the same and no other costs less; its points do not
        depend on the grid. In hatched cells the lead is within the known error of the
        model: move there, and a replay of the trace decides. Price times time
        multiplies the monthly cost of the sizes by the I/O time of an access: the price
        of a unit of throughput.
      </Text>
      <ul className={classes["formulas"]}>
        {map.schemes.map((scheme) => (
          <li key={scheme}>
            <SchemeMark scheme={scheme} /> {map.titles[scheme]}:{" "}
            <code>{map.formulas[scheme]}</code>
          </li>
        ))}
      </ul>
      <Text size="sm">Source: {map.source}.</Text>
    </Stack>
  );
}

/** All cells for the CSV; on the page those of the row through where you are. */
function tableOf(map: SchemeMapOut, here: MapChartProps["here"]): ChartTable {
  const { money, page_bytes: pageBytes } = map;
  const cells = map.y.values.flatMap((y, row) =>
    map.x.values.map((x, column) => ({ x, y, row, column })),
  );
  type Cell = (typeof cells)[number];
  const at = here?.y ?? map.y.values[Math.floor(map.y.values.length / 2)] ?? 0;
  const line = nearestIndex(map.y.values, at, isLog(map.y.name));
  const place = `${AXIS_NAMES[map.y.name]} ${formatTick(map.y.name, map.y.values[line] ?? 0, pageBytes)}`;
  const all = formatCount(cells.length);
  const winner = (index: number | undefined) =>
    map.titles[map.schemes[index ?? -1] ?? ""] ?? none(map);
  return chartTable(
    cells,
    [
      valueColumn(
        COLUMN_NAMES[map.x.name],
        ({ x }) => x,
        (x) => formatCell(map.x.name, x),
      ),
      valueColumn(
        COLUMN_NAMES[map.y.name],
        ({ y }) => y,
        (y) => formatCell(map.y.name, y),
      ),
      valueColumn("Winner", ({ row, column }) => winner(map.best[row]?.[column])),
      valueColumn(
        "Saved over the runner-up",
        ({ row, column }) => map.margin[row]?.[column] ?? null,
        (saved) => formatPercent(ratio(saved)),
      ),
      valueColumn("Lead within the error", ({ row, column }) =>
        map.too_close[row]?.[column] === true ? "yes" : "no",
      ),
      ...map.schemes.map((scheme) =>
        valueColumn(
          `${map.titles[scheme] ?? scheme} [µs/access]`,
          ({ row, column }: Cell) =>
            map.io_time_us_per_access[scheme]?.[row]?.[column] ?? null,
          (time) => formatMicroseconds(microseconds(time)),
        ),
      ),
      ...(money.best_by_price_times_time === null
        ? []
        : [
            valueColumn("Winner by price x time", ({ row, column }: Cell) =>
              winner(money.best_by_price_times_time?.[row]?.[column]),
            ),
            valueColumn(
              `With flash [${shownCurrency()}/month]`,
              ({ row, column }: Cell) =>
                amount(money.usd_per_month_with_flash?.[row]?.[column]),
              (cost) => formatMoney(usd(cost)),
            ),
            valueColumn(
              `No flash [${shownCurrency()}/month]`,
              ({ row, column }: Cell) =>
                amount(money.usd_per_month_no_flash?.[row]?.[column]),
              (cost) => formatMoney(usd(cost)),
            ),
          ]),
    ],
    {
      shown: ({ row }) => row === line,
      caption:
        here === null
          ? `The middle row of the map, at ${place}; the CSV export has all ${counted(all, "cell")} with every digit.`
          : `The row of the map at your point, at ${place}; the CSV export has all ${counted(all, "cell")} with every digit.`,
    },
  );
}

/** Money comes as a decimal string. */
const amount = (text: string | null | undefined): number | null =>
  text == null ? null : Number(text);
