import { UnstyledButton } from "@mantine/core";
import { useMemo, useState } from "react";
import { type AdviceOptionOut, type AdviceOut, adviceSteps } from "@/api/advice";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { chartInk, schemeMark } from "@/charts/palette";
import {
  type DeviceGroup,
  type DevicePoint,
  deviceScatterOption,
  type ScatterAxes,
} from "@/charts/scatter-option";
import { AskedSteps } from "@/components/asked-steps";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { WhyButton } from "@/components/why-button";
import { rateOf, shownCurrency } from "@/units/currency";
import { cents, counted, formatShort, UNKNOWN } from "@/units/quantity";
import classes from "./advice.module.css";
import { exported, type Titles } from "./option-parts";
import { costOf, figureOf, frontFinding, mostTimeOf, perMonth, time } from "./words";

const HEIGHT = 380;
const TODAY = "What you have";

const axes = (): ScatterAxes => ({
  x: {
    name: `cost [${perMonth()}]`,
    format: (value) => formatShort(value),
    say: (point) => `${cents(point.x)} ${perMonth()}`,
  },
  y: {
    name: "I/O time per access",
    format: time,
    say: (point) => `${time(point.y)} per access`,
  },
});

interface Shown {
  readonly id: string;
  readonly option: AdviceOptionOut;
}

/** Money over I/O time: the options that no other beats in both, and what there is. */
export function FrontChart(props: {
  readonly found: AdviceOut;
  readonly titles: Titles;
}) {
  const { found, titles } = props;
  const colors = useChartColors();
  const [selected, setSelected] = useState<string | null>(null);
  const rows = useMemo<readonly Shown[]>(() => {
    const zero = found.option_zero;
    const options = [
      ...found.pareto,
      ...(zero === null || found.pareto.some(({ kind }) => kind === "have")
        ? []
        : [zero]),
    ];
    return options.map((option, at) => ({ id: String(at), option }));
  }, [found]);
  const option = useMemo(() => {
    const groups = groupsOf(rows, selected, titles, colors);
    // Axes need a point.
    return groups.length === 0 ? null : deviceScatterOption(groups, colors, axes());
  }, [rows, selected, titles, colors]);
  const isRange = rows.some(({ option: one }) => one.ranges["io_time_us_per_access"]);
  if (option === null) {
    return null;
  }
  const pick = (x: number, y: number) => setSelected(nearest(rows, x, y));
  return (
    <div className={classes["front"]}>
      <ChartCard
        title={frontFinding(found.pareto)}
        subtitle={`${counted(found.pareto_in_all, "option")} that no other beats in both cost and I/O time, by page flow; down and left is better${isRange ? "; with as many dirty pages as possible" : ""}`}
        label="Cost and I/O time of the best options"
        option={option}
        height={HEIGHT}
        onPick={pick}
        fileName="advice front"
        table={() =>
          chartTable(
            rows.map((row) => row.option),
            exported(),
          )
        }
        rate={rateOf(found)}
        sentence={
          found.pareto_in_all > found.pareto.length
            ? `${found.pareto.length} of them are drawn, the cheapest and the fastest among them.`
            : undefined
        }
        explanation={
          <>
            {found.estimator}. Valid for: {found.validity}.
            <div style={{ marginTop: 8 }}>
              <WhyButton title="cost and I/O time of the recommendation">
                <AskedSteps query={adviceSteps(found)} />
              </WhyButton>
            </div>
          </>
        }
      />
      <section className="tw-panel" aria-label="Options of the front">
        <DataTable
          label="Front"
          columns={columnsOf(selected, setSelected)}
          rows={rows}
          rowKey={({ id }) => id}
          style={{ maxHeight: HEIGHT + 120, overflowY: "auto" }}
          caption="Choose an option to mark it in the chart; choose a point of the chart to mark its row."
        />
      </section>
    </div>
  );
}

function pointOf({ id, option }: Shown): Omit<DevicePoint, "selected"> | null {
  const [x, y] = [costOf(option), mostTimeOf(option)];
  return x === null || y === null || x <= 0 || y <= 0
    ? null
    : { id, name: option.name, x, y, priceDate: null, assumed: false };
}

/** One group of points a page flow, each with its colour and marker. */
function groupsOf(
  rows: readonly Shown[],
  selected: string | null,
  titles: Titles,
  colors: "light" | "dark",
): readonly DeviceGroup[] {
  const groups = new Map<string, DeviceGroup & { points: DevicePoint[] }>();
  for (const row of rows) {
    const point = pointOf(row);
    if (point === null) {
      continue;
    }
    const isToday = row.option.kind === "have";
    const name = isToday ? TODAY : (titles.get(row.option.scheme) ?? row.option.scheme);
    const mark = isToday
      ? { color: chartInk(colors).text, shape: "pin" as const }
      : schemeMark(row.option.scheme, colors);
    const group = groups.get(name) ?? { name, ...mark, points: [] };
    group.points.push({ ...point, selected: row.id === selected });
    groups.set(name, group);
  }
  return [...groups.values()];
}

/** The option whose point is nearest, on logarithmic axes. */
function nearest(rows: readonly Shown[], x: number, y: number): string | null {
  let found: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const point = pointOf(row);
    if (point !== null) {
      const away = Math.hypot(Math.log(point.x / x), Math.log(point.y / y));
      if (away < least) {
        [least, found] = [away, row.id];
      }
    }
  }
  return found;
}

const columnsOf = (
  selected: string | null,
  setSelected: (id: string | null) => void,
): readonly Column<Shown>[] => [
  {
    key: "Option",
    rowHeader: true,
    cell: ({ id, option }) => (
      <UnstyledButton
        className={classes["open"] ?? ""}
        aria-pressed={id === selected}
        onClick={() => setSelected(id === selected ? null : id)}
      >
        {option.kind === "have" ? `${TODAY}: ${option.name}` : option.name}
      </UnstyledButton>
    ),
  },
  {
    key: "Per month",
    unit: shownCurrency(),
    cell: ({ option }) => cents(option.usd_per_month),
  },
  {
    key: "I/O time",
    cell: ({ option }) => figureOf(option, "io_time_us_per_access", time) ?? UNKNOWN,
  },
];
