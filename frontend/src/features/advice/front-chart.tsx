import { Button, Text, UnstyledButton } from "@mantine/core";
import { useMemo, useRef } from "react";
import { type AdviceOptionOut, type AdviceOut, adviceSteps } from "@/api/advice";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { chartInk, schemeMark } from "@/charts/palette";
import {
  type DeviceGroup,
  type DevicePoint,
  deviceScatterOption,
  edgeOf,
  onLogAxis,
  type ScatterAxes,
} from "@/charts/scatter-option";
import { AskedSteps } from "@/components/asked-steps";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { WhyButton } from "@/components/why-button";
import { MOST_PINS, pinsText } from "@/questions/advice";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  counted,
  formatBytes,
  formatPercent,
  formatShort,
  listed,
  ratio,
  UNKNOWN,
} from "@/units/quantity";
import classes from "./advice.module.css";
import { Mark } from "./alternatives";
import { exported, OptionInFull, type Titles } from "./option-parts";
import { Pinned } from "./pinned";
import {
  type Looked,
  type Looking,
  lookingAt,
  optionId,
  signOf,
  toggled,
} from "./pins";
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

export interface Shown {
  readonly id: string;
  readonly option: AdviceOptionOut;
}

/** Money over I/O time: the options that no other beats in both, and what there is. */
export function FrontChart(props: {
  readonly found: AdviceOut;
  readonly best: AdviceOptionOut;
  readonly titles: Titles;
  /** What the address selects and pins. */
  readonly looked: Looked;
  readonly patch: (change: Looked) => void;
}) {
  const { found, best, titles, patch } = props;
  const colors = useChartColors();
  const list = useRef<HTMLElement>(null);
  const rows = useMemo<readonly Shown[]>(() => rowsOf(found, best), [found, best]);
  const { selected: id, pins } = props.looked;
  const looking = useMemo(
    () => lookingAt({ selected: id, pins }, rows),
    [id, pins, rows],
  );
  const { selected, pinned, missing } = looking;
  const option = useMemo(() => {
    const groups = groupsOf(rows, looking, best, titles, colors);
    // Axes need a point.
    return groups.length === 0 ? null : deviceScatterOption(groups, colors, axes());
  }, [rows, looking, best, titles, colors]);
  const isRange = rows.some(({ option: one }) => one.ranges["io_time_us_per_access"]);
  if (option === null) {
    return null;
  }
  const ids = pinned.map((row) => row.id);
  const select = (to: string | null) =>
    patch({ selected: to === null || to === selected?.id ? undefined : to });
  const pin = (of: string) => {
    const change = toggled(ids, of);
    if (change !== null) {
      patch(change);
    }
  };
  /** For buttons that vanish with what they take off: keys go on from the list. */
  const fromList = (change: Looked) => {
    patch(change);
    list.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <div className={classes["front"]}>
        <ChartCard
          title={frontFinding(found.pareto)}
          subtitle={`${counted(found.pareto_in_all, "option")} that no other beats in both cost and I/O time, by page flow; down and left is better${isRange ? "; with as many dirty pages as possible" : ""}`}
          label="Cost and I/O time of the best options"
          option={option}
          height={HEIGHT}
          onPick={(x, y) => select(nearest(rows, x, y))}
          fileName="advice front"
          table={() =>
            chartTable(
              rows.map((row) => row.option),
              exported(),
            )
          }
          rate={rateOf(found)}
          sentence={drawnText(found, rows)}
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
        <section
          className="tw-panel"
          aria-label="Options of the front"
          ref={list}
          tabIndex={-1}
        >
          <Text size="sm" c="dimmed" mb="xs">
            Choose an option, here or in the chart, to open its bill and figures below.
            Pin up to {MOST_PINS} to compare them with the recommendation; the address
            keeps them.
          </Text>
          <DataTable
            stacks
            label="Front"
            columns={columnsOf({ best, selected, ids, select, pin })}
            rows={rows}
            rowKey={(row) => row.id}
            style={{ maxHeight: HEIGHT + 120, overflowY: "auto" }}
          />
          {missing.length > 0 && (
            <Missing
              missing={missing}
              forget={() => fromList({ selected: selected?.id, pins: pinsText(ids) })}
            />
          )}
        </section>
      </div>
      {selected !== null && (
        <Panel
          title={nameOf(selected.option)}
          subtitle="The selected option of the front"
          label="Selected option"
          actions={
            <Button
              size="xs"
              variant="default"
              onClick={() => fromList({ selected: undefined })}
            >
              Close
            </Button>
          }
        >
          <OptionInFull found={found} option={selected.option} titles={titles} />
        </Panel>
      )}
      {pinned.length > 0 && (
        <Pinned
          found={found}
          best={{ id: optionId(best), option: best }}
          pinned={pinned}
          titles={titles}
          unpin={(of) => fromList(toggled(ids, of) ?? {})}
          clear={() => fromList({ pins: undefined })}
        />
      )}
    </>
  );
}

/** The front, with the recommendation and what there is, where they are not on it. */
function rowsOf(found: AdviceOut, best: AdviceOptionOut): readonly Shown[] {
  const options = [
    ...found.pareto,
    best,
    ...(found.option_zero === null ? [] : [found.option_zero]),
  ];
  const byId = new Map<string, AdviceOptionOut>();
  for (const option of options) {
    const id = optionId(option);
    byId.set(id, byId.get(id) ?? option);
  }
  return [...byId].map(([id, option]) => ({ id, option }));
}

const nameOf = ({ kind, name }: AdviceOptionOut): string =>
  kind === "have" ? `${TODAY}: ${name}` : name;

/** What the address names and this answer does not have on its front. */
const Missing = (props: {
  readonly missing: readonly string[];
  readonly forget: () => void;
}) => (
  <Text size="sm" mt="xs" component="div">
    Not on the front of this answer, so not shown: {listed(props.missing)}.{" "}
    <UnstyledButton className={classes["open"] ?? ""} onClick={props.forget}>
      Take out of the address
    </UnstyledButton>
  </Text>
);

function pointOf({ id, option }: Shown): Omit<DevicePoint, "selected"> | null {
  const [x, y] = [costOf(option), mostTimeOf(option)];
  return x === null || y === null
    ? null
    : {
        id,
        name: option.name,
        x,
        y,
        priceDate: null,
        assumed: false,
        notes: notesOf(option),
      };
}

/** What hovering over an option says beside its cost and time. */
function notesOf(option: AdviceOptionOut): readonly string[] {
  const { ram_bytes: ram, flash_bytes: flash } = option;
  const busy = figureOf(option, "peak_busy", (share) => formatPercent(ratio(share)));
  return [
    `RAM ${formatBytes(bytes(ram))}, ${flash === 0 ? "no flash cache" : `flash cache ${formatBytes(bytes(flash))}`}`,
    ...(busy === null ? [] : [`${busy} busy in the busiest hour`]),
  ];
}

/** How the point of an option stands out. Names are too long for the chart: the panel below has it. */
function markOf(
  row: Shown,
  { selected, pinned }: Looking<Shown>,
  best: AdviceOptionOut,
): Pick<DevicePoint, "selected" | "label" | "labelBelow"> {
  const at = pinned.indexOf(row);
  const marks = [
    ...(row.id === optionId(best) ? ["recommended"] : []),
    ...(row.option.kind === "have" ? ["today"] : []),
    ...(at < 0 ? [] : [signOf(at)]),
    ...(row === selected ? ["selected"] : []),
  ];
  return {
    selected: row === selected,
    // So that it does not cover that of the recommendation.
    ...(row.option.kind === "have" && row.id !== optionId(best)
      ? { labelBelow: true }
      : {}),
    ...(marks.length === 0 ? {} : { label: marks.join(", ") }),
  };
}

/** One group of points a page flow, each with its colour and marker. */
function groupsOf(
  rows: readonly Shown[],
  looking: Looking<Shown>,
  best: AdviceOptionOut,
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
    group.points.push({ ...point, ...markOf(row, looking, best) });
    groups.set(name, group);
  }
  return [...groups.values()];
}

/** The option whose point is drawn nearest, on logarithmic axes; on one where all is nothing they stand alike. */
function nearest(rows: readonly Shown[], x: number, y: number): string | null {
  const points = rows.flatMap((row) => pointOf(row) ?? []);
  const left = edgeOf(points.map((point) => point.x));
  const bottom = edgeOf(points.map((point) => point.y));
  const gap = (value: number, edge: number, pressed: number) =>
    edge === 0 ? 0 : Math.log(onLogAxis(value, edge) / pressed);
  let found: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const point of points) {
    const away = Math.hypot(gap(point.x, left, x), gap(point.y, bottom, y));
    if (away < least) {
      [least, found] = [away, point.id];
    }
  }
  return found;
}

/** Whether some values stand at the edge of their axis: where all are nothing it is linear, and says 0 itself. */
const isAtEdge = (values: readonly number[]): boolean =>
  values.some((value) => value <= 0) && values.some((value) => value > 0);

/** What stands below the chart: which options are drawn, and where those of no cost or time are. */
function drawnText(found: AdviceOut, rows: readonly Shown[]): string | undefined {
  const points = rows.flatMap((row) => pointOf(row) ?? []);
  const texts = [
    ...(found.pareto_in_all > found.pareto.length
      ? [
          `${found.pareto.length} of them are drawn, the cheapest and the fastest among them.`,
        ]
      : []),
    ...(isAtEdge(points.map(({ y }) => y))
      ? ["What takes no I/O time is drawn at the lower edge."]
      : []),
    ...(isAtEdge(points.map(({ x }) => x))
      ? ["What costs nothing is drawn at the left edge."]
      : []),
  ];
  return texts.length === 0 ? undefined : texts.join(" ");
}

interface ColumnParts {
  readonly best: AdviceOptionOut;
  readonly selected: Shown | null;
  /** What is pinned. */
  readonly ids: readonly string[];
  readonly select: (id: string) => void;
  readonly pin: (id: string) => void;
}

const columnsOf = ({
  best,
  selected,
  ids,
  select,
  pin,
}: ColumnParts): readonly Column<Shown>[] => [
  {
    key: "Option",
    rowHeader: true,
    cell: ({ id, option }) => (
      <>
        <UnstyledButton
          className={classes["open"] ?? ""}
          aria-pressed={id === selected?.id}
          onClick={() => select(id)}
        >
          {nameOf(option)}
        </UnstyledButton>{" "}
        {id === optionId(best) && <Mark text="recommended" />}
        <Pin
          name={nameOf(option)}
          at={ids.indexOf(id)}
          isFull={ids.length >= MOST_PINS}
          toggle={() => pin(id)}
        />
      </>
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

/** Pins an option or takes its pin off. */
function Pin(props: {
  readonly name: string;
  /** Its place among the pins; negative where it is not pinned. */
  readonly at: number;
  readonly isFull: boolean;
  readonly toggle: () => void;
}) {
  const { name, at, isFull, toggle } = props;
  const isPinned = at >= 0;
  const isBarred = isFull && !isPinned;
  return (
    <div className={classes["pin"]}>
      <Button
        size="compact-xs"
        variant={isPinned ? "filled" : "default"}
        aria-pressed={isPinned}
        aria-label={`Pin ${name}`}
        disabled={isBarred}
        title={isBarred ? `${MOST_PINS} are pinned; unpin one first` : undefined}
        onClick={toggle}
      >
        Pin
      </Button>
      {isPinned && <span>{signOf(at)}</span>}
    </div>
  );
}
