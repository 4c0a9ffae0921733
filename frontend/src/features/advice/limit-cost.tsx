import { Button, Select, Text } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import type { AdviceOut } from "@/api/advice";
import { type ChartMarker, useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { lineOption } from "@/charts/line-option";
import type { ChartOption } from "@/charts/option";
import { type ColorScheme, chartInk } from "@/charts/palette";
import { type Column, valueColumn } from "@/components/columns";
import { EmptyState } from "@/components/empty-state";
import { Panel } from "@/components/panel";
import { StopSlider } from "@/components/stop-slider";
import type { AdviceSearch } from "@/questions/advice";
import { rateOf, shownCurrency } from "@/units/currency";
import { cents, formatShort } from "@/units/quantity";
import classes from "./advice.module.css";
import type { Titles } from "./option-parts";
import {
  boughtAt,
  isLeast,
  limitFinding,
  offered,
  type Staircase,
  type Step,
  staircaseFinding,
  startOf,
  stopsOf,
  usual,
  withFlow,
} from "./staircase";
import { LIMIT_FIELDS } from "./template";
import { limitTitle, limitValue, perMonth, time } from "./words";

const HEIGHT = 280;
/** From this ratio of its ends on an axis is logarithmic. */
const WIDE = 20;
const LABEL = "What a limit costs";
const METHOD =
  "Under a limit the best option is the first in the order of the goal that keeps it, so the choice changes at the values of those options alone that are tighter than all that are better. They are part of the answer: moving the slider needs no further answer. All other limits are as asked, and the choices are those of the model, not replayed.";

interface Chosen {
  readonly advice: string;
  readonly limit: number;
}

/** A slider over one limit: what each value of it buys, and what that costs. */
export function LimitCost(props: {
  readonly found: AdviceOut;
  readonly titles: Titles;
  readonly patch: (change: AdviceSearch) => void;
}) {
  const { found, titles, patch } = props;
  const [named, setNamed] = useState<string | null>(null);
  const [moved, setMoved] = useState<Chosen | null>(null);
  const all = offered(found);
  const staircase =
    all.find(({ constraint }) => constraint === (named ?? usual(found))) ?? all[0];
  if (staircase === undefined) {
    return (
      <Panel title={LABEL} label={LABEL}>
        <Text size="sm">
          {found.status === "checked"
            ? "A replay decided against the model, and what other limits would buy is known of the model alone."
            : "The curve does not say which evicted pages are dirty; what other limits would buy needs their share."}
        </Text>
      </Panel>
    );
  }
  const controls = (
    <Select
      size="xs"
      aria-label="Limit"
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
      w={320}
      maw="100%"
      value={staircase.constraint}
      onChange={(value) => {
        setNamed(value);
        setMoved(null);
      }}
      data={all.map(({ constraint }) => ({
        value: constraint,
        label: limitTitle(constraint),
      }))}
    />
  );
  if (staircase.steps.every(({ value }) => value === null)) {
    const only = staircase.steps[0];
    const reason = `${staircase.reason.slice(0, 1).toUpperCase()}${staircase.reason.slice(1)}.`;
    return (
      <Panel title={LABEL} label={LABEL} actions={controls}>
        <EmptyState title={staircaseFinding(found, staircase)}>
          {only === undefined ? reason : `${withFlow(only, titles)} keeps every limit.`}
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Stairs
      found={found}
      staircase={staircase}
      titles={titles}
      controls={controls}
      chosen={moved?.advice === found.advice_id ? moved.limit : null}
      choose={(limit) => setMoved({ advice: found.advice_id, limit })}
      patch={patch}
    />
  );
}

function Stairs(props: {
  readonly found: AdviceOut;
  readonly staircase: Staircase;
  readonly titles: Titles;
  readonly controls: ReactNode;
  /** Where the slider was moved to; null where it was not. */
  readonly chosen: number | null;
  readonly choose: (limit: number) => void;
  readonly patch: (change: AdviceSearch) => void;
}) {
  const { found, staircase, titles, choose, patch } = props;
  const colors = useChartColors();
  const stops = useMemo(() => stopsOf(staircase), [staircase]);
  const limit =
    props.chosen !== null && stops.includes(props.chosen)
      ? props.chosen
      : startOf(staircase, stops);
  const step = boughtAt(staircase, limit);
  const isAsked = staircase.limit === limit;
  const name = isAsked
    ? "with the slider"
    : step === null
      ? "top"
      : nameAt(found, staircase, step);
  const option = useMemo(
    () => chartOf(found, staircase, stops, colors, name),
    [found, staircase, stops, colors, name],
  );
  const marker: ChartMarker | null =
    step === null
      ? null
      : {
          x: limit,
          y: heightOf(found, step),
          label: `${isAsked ? "asked: " : ""}${shown(found, staircase, limit)}`,
        };
  const field = LIMIT_FIELDS.get(staircase.constraint);
  return (
    <ChartCard
      title={staircaseFinding(found, staircase)}
      subtitle={`${LABEL}: what each value of it buys, all other limits as asked, by the model`}
      label={LABEL}
      option={option}
      height={HEIGHT}
      marker={marker}
      onPick={(x) => choose(nearest(stops, x))}
      fileName={`advice ${staircase.constraint.replaceAll("_", " ")}`}
      table={() => chartTable(staircase.steps, columnsOf(found, staircase, titles))}
      rate={rateOf(found)}
      controls={props.controls}
      sentence={
        <>
          <div className={classes["limit"]}>
            {/* Its own section: what stands outside of it follows the slider. */}
            <section aria-label="Value of the limit">
              <StopSlider
                label={limitTitle(staircase.constraint)}
                stops={stops}
                value={limit}
                valueText={`${isLeast(staircase) ? "at least" : "at most"} ${shown(found, staircase, limit)}`}
                onChange={choose}
              />
            </section>
            <Button
              size="xs"
              variant="default"
              disabled={isAsked || field === undefined}
              onClick={() => field && patch({ [field[0]]: limit / field[1] })}
            >
              Ask again with this limit
            </Button>
          </div>
          <Text size="sm" mih="3em" aria-live="polite">
            {limitFinding(found, staircase, limit, titles)}
          </Text>
          <KnownEnds found={found} staircase={staircase} />
        </>
      }
      explanation={METHOD}
    />
  );
}

/** Beyond which limits it is not known what is bought. */
function KnownEnds({
  found,
  staircase,
}: {
  readonly found: AdviceOut;
  readonly staircase: Staircase;
}) {
  const { tightest_known: tightest, loosest_known: loosest } = staircase;
  const ends = [
    ...(tightest === null ? [] : [`tighter than ${shown(found, staircase, tightest)}`]),
    ...(loosest === null ? [] : [`looser than ${shown(found, staircase, loosest)}`]),
  ];
  return ends.length === 0 ? null : (
    <Text size="sm" c="dimmed">
      What limits {ends.join(" or ")} buy is not computed here; ask again with such a
      limit.
    </Text>
  );
}

const shown = (found: AdviceOut, { constraint }: Staircase, limit: number): string =>
  limitValue(found, constraint, limit);

/** The stop next to a place of the drawing, by ratios. */
const nearest = (stops: readonly number[], x: number): number => {
  const away = (stop: number) =>
    stop > 0 && x > 0 ? Math.abs(Math.log(stop / x)) : Number.MAX_VALUE;
  return stops.reduce(
    (best, each) => (away(each) < away(best) ? each : best),
    stops[0] ?? x,
  );
};

const byTime = ({ objective }: AdviceOut): boolean => objective === "io_time";

/** What the goal makes least. */
const heightOf = (found: AdviceOut, step: Step): number =>
  byTime(found) ? step.io_time_us_per_access : Number(step.usd_per_month);

type Point = readonly [limit: number, height: number];

/** The stairs by rising limits, up to the ends of the slider: each step holds up to the next one. */
function pointsOf(
  found: AdviceOut,
  staircase: Staircase,
  stops: readonly number[],
): readonly Point[] {
  const [low, high] = [stops[0] ?? 0, stops.at(-1) ?? 1];
  const least = isLeast(staircase);
  // What keeps any limit begins where the slider does: of least values that is its large end.
  const points = staircase.steps
    .map((step): Point => [step.value ?? (least ? high : low), heightOf(found, step)])
    .toSorted(([one], [other]) => one - other);
  const [first, last] = [points[0], points.at(-1)];
  if (least) {
    return first === undefined || first[0] <= low
      ? points
      : [[low, first[1]], ...points];
  }
  return last === undefined || last[0] >= high ? points : [...points, [high, last[1]]];
}

const isWide = (values: readonly number[]): boolean =>
  Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > WIDE;

/** Where the line of the limit that is asked has its name: the marker of the slider says it where it stands there. */
type NameAt = "top" | "foot" | "with the slider";

/** The name of the line of the limit that is asked is at the other end than the marker, whose words may be as wide as that is far. */
export function nameAt(found: AdviceOut, staircase: Staircase, step: Step): NameAt {
  const heights = staircase.steps.map((each) => heightOf(found, each));
  const [least, most] = [Math.min(...heights), Math.max(...heights)];
  const scale = isWide(heights)
    ? (height: number) => Math.log(height / least) / Math.log(most / least)
    : (height: number) => (most > 0 ? height / most : 0);
  return scale(heightOf(found, step)) > 0.5 ? "foot" : "top";
}

/** The line of the limit that is asked; none where the marker stands on it and says so. */
export const askedLine = (
  asked: number,
  name: NameAt,
): readonly {
  readonly name: string;
  readonly x: number;
  readonly isLow?: boolean;
}[] =>
  name === "with the slider"
    ? []
    : [{ name: "asked", x: asked, ...(name === "foot" ? { isLow: true } : {}) }];

function chartOf(
  found: AdviceOut,
  staircase: Staircase,
  stops: readonly number[],
  colors: ColorScheme,
  name: NameAt,
): ChartOption {
  const points = pointsOf(found, staircase, stops);
  const across = [...stops, ...points.map(([x]) => x)];
  const [min, max] = [Math.min(...across), Math.max(...across)];
  const asked = staircase.limit;
  const isShown = asked !== null && asked >= min && asked <= max;
  return lineOption({
    series: [
      {
        name: byTime(found) ? "I/O time of the best option" : "cost of the best option",
        color: chartInk(colors).text,
        step: isLeast(staircase) ? "up to it" : "onwards",
        points,
      },
    ],
    x: {
      name: limitTitle(staircase.constraint),
      log: isWide(across),
      min,
      max,
      format: (value) => shown(found, staircase, value),
    },
    y: {
      ...(byTime(found)
        ? { name: "I/O time per access", format: time }
        : {
            name: `cost [${perMonth()}]`,
            format: (value: number) => formatShort(value),
          }),
      log: isWide(points.map(([, height]) => height)),
    },
    markers: isShown ? askedLine(asked, name) : [],
    colors,
  });
}

const columnsOf = (
  found: AdviceOut,
  staircase: Staircase,
  titles: Titles,
): readonly Column<Step, string>[] => [
  {
    key: isLeast(staircase) ? "limit up to" : "limit from",
    csv: ({ value }) => value,
    cell: ({ value }) => (value === null ? "any" : shown(found, staircase, value)),
  },
  valueColumn("option", ({ name }) => name),
  valueColumn("page flow", ({ scheme }) => titles.get(scheme) ?? scheme),
  valueColumn(
    `per month [${shownCurrency()}]`,
    ({ usd_per_month: cost }) => Number(cost),
    cents,
  ),
  valueColumn("I/O time [µs per access]", (step) => step.io_time_us_per_access),
];
