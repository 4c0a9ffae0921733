import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { MapCheckIn as Bounds } from "@/api/gen/bounds.gen";
import { type CheckedMap, type MapCheckIn, schemeMapCheck } from "@/api/replay-checks";
import type { SchemeMapIn, SchemeMapOut } from "@/api/scheme-map";
import { simulatorQuery } from "@/api/simulator";
import type { Replays } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { schemeMapOption } from "@/charts/map-option";
import { SchemeMark } from "@/charts/scheme-mark";
import { cachesOf } from "@/components/caches";
import { type Clock, FlashCachesField } from "@/components/flash-caches-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { useReplay } from "@/components/use-replay";
import { counted, listed } from "@/units/quantity";
import { AXIS_NAMES } from "./axes";
import { axisOf } from "./map-chart";
import {
  marksOf,
  type PointsSearch,
  pointColumns,
  pointsRequest,
  USUAL_POINTS,
  whyNoPoints,
  winnersOf,
} from "./replayed-words";
import classes from "./scheme-map.module.css";

const HEIGHT = 470;

interface ReplayedPointsProps {
  readonly map: SchemeMapOut;
  /** The request of the map. */
  readonly question: SchemeMapIn;
  readonly search: PointsSearch;
  readonly patch: (change: PointsSearch) => void;
  readonly replays: Replays;
  readonly clock: Clock;
  /** Of the workload. */
  readonly name: string;
  /** Whether the flash caches are chosen here; else a panel above has their choice. */
  readonly choosesCaches: boolean;
  readonly onPick: (x: number, y: number) => void;
}

/** Points of a coarse grid over the map, replayed through every scheme and flash caches. */
export function ReplayedPoints(props: ReplayedPointsProps) {
  const { map, question, search, patch, replays } = props;
  const body = pointsRequest(question, search);
  const asked = JSON.stringify(body);
  const [pressed, setPressed] = useState<string | null>(null);
  const check = useReplay<CheckedMap, (string | MapCheckIn)[]>(
    schemeMapCheck(body),
    pressed === asked,
  );
  const why = whyNoPoints(question, replays !== null);
  return (
    <>
      <Panel
        title="Replay points all over the map"
        subtitle={
          replays === "recording"
            ? "Replays the recording through every page-flow scheme and the flash caches you choose, at points of a coarse grid over the map and the sizes that correspond: who wins there, and whether the model says so."
            : "Replays the whole trace through every page-flow scheme and the flash caches you choose, at points of a coarse grid over the map: who wins there, and whether the model says so."
        }
        actions={
          why === null && (
            <Button
              loading={check.isRunning}
              onClick={() => {
                setPressed(asked);
                if (check.run !== undefined) {
                  check.again();
                }
              }}
            >
              Replay points
            </Button>
          )
        }
      >
        <Stack gap="sm">
          {why === null ? (
            <>
              <Group gap="xs" align="flex-end">
                <PointsField
                  label="Points across"
                  bounds={Bounds.x_points}
                  value={search.x_points}
                  onChange={(x_points) => patch({ x_points })}
                />
                <PointsField
                  label="Points upwards"
                  bounds={Bounds.y_points}
                  value={search.y_points}
                  onChange={(y_points) => patch({ y_points })}
                />
              </Group>
              {props.choosesCaches ? (
                <FlashCachesField search={search} patch={patch} clock={props.clock} />
              ) : (
                <ChosenCaches chosen={cachesOf(search)} />
              )}
            </>
          ) : (
            <Text size="sm" c="dimmed">
              {why}
            </Text>
          )}
          {check.error !== null && (
            <ProblemAlert
              error={check.error}
              title="The points could not be replayed"
            />
          )}
          {check.run !== undefined && <RunProgress run={check.run} />}
        </Stack>
      </Panel>
      {check.checked !== undefined && (
        <PointsChart
          found={check.checked}
          map={map}
          caches={cachesOf(search)}
          name={props.name}
          onPick={props.onPick}
        />
      )}
    </>
  );
}

/** The flash caches that were chosen above, in words. */
function ChosenCaches({ chosen }: { readonly chosen: readonly string[] }) {
  const simulator = useQuery(simulatorQuery()).data;
  const titles = chosen.map(
    (name) =>
      simulator?.flash_caches.find((cache) => cache.name === name)?.title ?? name,
  );
  return (
    <Text size="sm" c="dimmed">
      {titles.length === 0
        ? "No flash cache is chosen; those chosen for your point above are replayed here too."
        : `Flash caches, as chosen for your point above: ${listed(titles)}.`}
    </Text>
  );
}

function PointsField(props: {
  readonly label: string;
  readonly bounds: { readonly low: number; readonly high: number };
  readonly value: number | undefined;
  readonly onChange: (points: number | undefined) => void;
}) {
  const { low, high } = props.bounds;
  const choices = Array.from({ length: high - low + 1 }, (_, index) => low + index);
  return (
    <NativeSelect
      size="sm"
      label={props.label}
      value={String(props.value ?? USUAL_POINTS)}
      data={choices.map(String)}
      onChange={({ currentTarget }) => {
        const points = Number(currentTarget.value);
        props.onChange(points === USUAL_POINTS ? undefined : points);
      }}
    />
  );
}

function PointsChart(props: {
  readonly found: CheckedMap;
  readonly map: SchemeMapOut;
  readonly caches: readonly string[];
  readonly name: string;
  readonly onPick: (x: number, y: number) => void;
}) {
  const { found, map, caches, name } = props;
  const colors = useChartColors();
  const chart = useMemo(
    () => ({
      x: axisOf(map.x, map.page_bytes),
      y: axisOf(map.y, map.page_bytes),
      schemes: map.schemes.map((scheme) => ({
        scheme,
        title: map.titles[scheme] ?? scheme,
      })),
      best: map.best,
      margin: map.margin,
      tooClose: map.too_close,
      lines: map.crossovers,
      here: null,
      marks: marksOf(found, map),
      colors,
    }),
    [found, map, colors],
  );
  const option = useMemo(() => schemeMapOption(chart), [chart]);
  const axes = `${AXIS_NAMES[map.x.name]} and ${AXIS_NAMES[map.y.name]}`;
  return (
    <ChartCard
      title={found.sentence}
      subtitle={`Fastest by replay at ${counted(found.points.length, "point")}, over the map of the model: ${axes}`}
      label={`Points of the scheme map of ${name} by replay`}
      option={option}
      pictureOption={() => schemeMapOption({ ...chart, legend: true })}
      height={HEIGHT}
      onPick={props.onPick}
      fileName={`${name} scheme map replayed ${map.x.name} ${map.y.name}`}
      legend={<PointsLegend found={found} map={map} />}
      table={() => chartTable(found.points, pointColumns(found, map, caches))}
      explanation={
        <Text size="sm">
          {found.basis} The cells are those of the model, as above; every mark is the
          fastest of all by replay at its point.
        </Text>
      }
    />
  );
}

function PointsLegend(props: {
  readonly found: CheckedMap;
  readonly map: SchemeMapOut;
}) {
  const { found, map } = props;
  const differing = found.compared - found.agreeing;
  const unknown = found.points.filter(({ best }) => best === null).length;
  return (
    <div className={classes["legend"]}>
      <ul className={classes["keys"]} aria-label="Fastest by replay">
        {winnersOf(found).map(({ of, title, count }) => (
          <li key={of}>
            <SchemeMark scheme={of} /> {title}{" "}
            <span className={classes["faint"]}>at {counted(count, "point")}</span>
          </li>
        ))}
        {differing > 0 && (
          <li>
            <b>≠</b> the model names another scheme{" "}
            <span className={classes["faint"]}>at {counted(differing, "point")}</span>
          </li>
        )}
        {unknown > 0 && (
          <li>
            <b>?</b> not replayed{" "}
            <span className={classes["faint"]}>{counted(unknown, "point")}</span>
          </li>
        )}
      </ul>
      <ul className={classes["keys"]} aria-label="Choice of the model">
        <li>Cells, by the model:</li>
        {map.schemes.map((scheme) => (
          <li key={scheme}>
            <SchemeMark scheme={scheme} /> {map.titles[scheme] ?? scheme}
          </li>
        ))}
      </ul>
    </div>
  );
}
