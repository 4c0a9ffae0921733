import { Button, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo, useMemo, useState } from "react";
import { type CourseIn, type CourseOut, courseQuery } from "@/api/course";
import { CourseIn as Bounds } from "@/api/gen/bounds.gen";
import { type SimulatorOut, simulatorQuery } from "@/api/simulator";
import type { ThroughputIn } from "@/api/throughput";
import type { Replays } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { OptionalNumberField } from "@/components/number-field";
import { OptionsField, optionsOf } from "@/components/options-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { useReplay } from "@/components/use-replay";
import { WarningNotes } from "@/components/warning-notes";
import type { CourseArrivals, ThroughputSearch } from "@/questions/throughput";
import { counted, formatShort } from "@/units/quantity";
import {
  COURSE_AXES,
  type CourseMeasure,
  courseMarkers,
  courseSeries,
  courseTable,
} from "./course-findings";
import classes from "./throughput.module.css";

const HEIGHT = 360;
const USUAL_SYSTEM = "face";
const WITHOUT_FLASH = "none";
const PERCENT = 100;
const ARRIVALS: Readonly<Record<CourseArrivals, string>> = {
  clients: "Clients that wait",
  poisson: "Poisson",
  trace: "As recorded",
};
const MEASURES: readonly { readonly value: CourseMeasure; readonly label: string }[] = [
  { value: "shares", label: "Shares" },
  { value: "rate", label: "Rate" },
  { value: "response", label: "Response time" },
];
const SUBTITLES: Readonly<Record<CourseMeasure, string>> = {
  shares:
    "Shares in each window [%]: RAM hits of the accesses, flash hits of the RAM misses, flash pages in use and dirty at its end, busy shares of the devices",
  rate: "Accesses that were answered and that arrived in each window [1/s]",
  response: "Response time of the accesses answered in each window [ms]",
};

interface CoursePanelProps {
  readonly workload: string;
  /** Sizes, devices and clients on the screen. */
  readonly point: ThroughputIn;
  readonly name: string;
  readonly search: ThroughputSearch;
  /** Whether the accesses have arrival times. */
  readonly timed: boolean;
  readonly replays: Replays;
  readonly patch: (change: ThroughputSearch) => void;
}

/** What is asked of the page's point, as the address has it. */
const asked = (
  point: ThroughputIn,
  search: ThroughputSearch,
  system: string,
): CourseIn => ({
  system,
  ram_pages: point.ram_pages,
  flash_pages: point.flash_pages,
  flash_device_id: point.flash_device_id,
  disk_device_id: point.disk_device_id,
  flash_devices: point.flash_devices ?? 1,
  disks: point.disks ?? 1,
  options: optionsOf(search.course_options),
  arrivals: search.course_arrivals ?? "clients",
  clients: Math.min(point.clients ?? Bounds.clients.usual, Bounds.clients.high),
  accesses_per_s: search.rate ?? null,
  window_s: search.window_s ?? null,
  crash_at: search.crash_at ?? null,
  restart: search.restart ?? "warm",
  ...(search.interval === undefined ? {} : { checkpoint_interval_s: search.interval }),
  flash_metadata: point.flash_metadata ?? null,
});

const systemsOf = (simulator: SimulatorOut | undefined) => [
  {
    group: "Flash caches",
    items: (simulator?.flash_caches ?? []).map(({ name, title }) => ({
      value: name,
      label: title,
    })),
  },
  {
    group: "Page-flow schemes",
    items: (simulator?.schemes ?? [])
      .filter(({ name }) => name !== WITHOUT_FLASH)
      .map(({ name, title }) => ({ value: name, label: title })),
  },
];

/** One system over time: filling, steady state, crash and recovery, by a replay on simulated time. */
export function CoursePanel(props: CoursePanelProps) {
  const { workload, point, name, search, timed, replays, patch } = props;
  const simulator = useQuery(simulatorQuery()).data;
  const system = search.system ?? USUAL_SYSTEM;
  const survives = simulator?.flash_caches.some((each) => each.name === system) ?? true;
  // The directory of a page-flow scheme is in RAM: a crash loses what is on flash.
  const body = asked(point, survives ? search : { ...search, restart: "cold" }, system);
  const text = JSON.stringify(body);
  const [pressed, setPressed] = useState<string | null>(null);
  const replay = useReplay<CourseOut, (string | CourseIn)[]>(
    courseQuery(workload, body),
    replays !== null && pressed === text,
  );
  return (
    <Panel
      title="Course over time"
      subtitle="Replays the trace through one scheme or flash cache on simulated time: how it fills, how it goes from then on, and what a crash does. A background run makes the replay."
      actions={
        replays !== null && (
          <Button
            loading={replay.isRunning}
            onClick={() => {
              setPressed(text);
              if (replay.run !== undefined) {
                replay.again();
              }
            }}
          >
            Replay over time
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {replays === null ? (
          <Text size="sm" c="dimmed">
            This workload has no accesses to replay.
          </Text>
        ) : (
          <CourseFields
            body={body}
            options={search.course_options}
            survives={survives}
            timed={timed}
            simulator={simulator}
            patch={patch}
          />
        )}
        {replay.error !== null && (
          <ProblemAlert error={replay.error} title="The course could not be replayed" />
        )}
        {replay.run !== undefined && replay.checked === undefined && (
          <RunProgress run={replay.run} />
        )}
        {replay.checked !== undefined && (
          <WarningNotes notes={replay.checked.warnings} />
        )}
        {replay.checked !== undefined && (
          <CourseChart
            found={replay.checked}
            name={name}
            measure={search.course_show ?? "shares"}
            onMeasure={(measure) =>
              patch({ course_show: measure === "shares" ? undefined : measure })
            }
          />
        )}
      </Stack>
    </Panel>
  );
}

interface CourseFieldsProps {
  readonly body: CourseIn;
  /** Of the system, as the address has them. */
  readonly options: string | undefined;
  /** Whether what the system has on flash can survive a crash. */
  readonly survives: boolean;
  readonly timed: boolean;
  readonly simulator: SimulatorOut | undefined;
  readonly patch: (change: ThroughputSearch) => void;
}

function CourseFields(props: CourseFieldsProps) {
  const { body, options, survives, timed, simulator, patch } = props;
  const crashAt = body.crash_at ?? undefined;
  return (
    <>
      <div className={classes["options"]}>
        <Select
          label="Scheme or flash cache"
          data={systemsOf(simulator)}
          value={body.system}
          allowDeselect={false}
          // Options of one are not those of another.
          onChange={(system) =>
            patch({ system: system ?? undefined, course_options: undefined })
          }
        />
        <OptionalNumberField
          label="Window"
          unit="s"
          value={body.window_s ?? undefined}
          min={1e-6}
          max={Bounds.window_s.high}
          placeholder="120 windows at most"
          onChange={(window_s) => patch({ window_s })}
        />
        <OptionalNumberField
          label="Crash after this share of the accesses"
          unit="%"
          value={crashAt === undefined ? undefined : crashAt * PERCENT}
          min={0}
          max={PERCENT}
          placeholder="No crash"
          onChange={(share) =>
            patch({ crash_at: share === undefined ? undefined : share / PERCENT })
          }
        />
        {crashAt !== undefined && (
          <OptionalNumberField
            label="Checkpoint interval"
            unit="s"
            value={body.checkpoint_interval_s}
            min={0}
            max={Bounds.checkpoint_interval_s.high}
            placeholder={`${formatShort(Bounds.checkpoint_interval_s.usual)}; 0 for no redo`}
            onChange={(interval) => patch({ interval })}
          />
        )}
      </div>
      <OptionsField
        label="Options of the scheme or flash cache"
        description="NAME=VALUE, separated by spaces: admission=cachesack with assignment=second_miss lets pages enter flash at their second miss."
        of="one"
        shown={options}
        onChange={(course_options) => patch({ course_options })}
      />
      <div className={classes["options"]}>
        <div className={classes["axis"]}>
          <SegmentedControl
            size="sm"
            aria-label="Arrivals over time"
            transitionDuration={0}
            value={body.arrivals ?? "clients"}
            onChange={(value) =>
              patch({
                course_arrivals:
                  value === "poisson" || value === "trace" ? value : undefined,
              })
            }
            data={Bounds.arrivals.values.map((value) => ({
              value,
              label: ARRIVALS[value],
              disabled: value === "trace" && !timed,
            }))}
          />
        </div>
        {survives && crashAt !== undefined && (
          <SegmentedControl
            size="sm"
            aria-label="Flash after the crash"
            transitionDuration={0}
            value={body.restart ?? "warm"}
            onChange={(value) =>
              patch({ restart: value === "cold" ? "cold" : undefined })
            }
            data={[
              { value: "warm", label: "Flash survives" },
              { value: "cold", label: "Flash is lost" },
            ]}
          />
        )}
      </div>
      <Text size="sm" c="dimmed">
        {arrivalText(body)}
      </Text>
    </>
  );
}

/** How accesses arrive, in words. */
const arrivalText = ({ arrivals, clients, accesses_per_s }: CourseIn): string => {
  if (arrivals === "clients" || arrivals === undefined) {
    return `${counted(formatShort(clients ?? 1), "client asks", "clients ask")} for one page after the other, waiting for each and thinking no time between.`;
  }
  const rate =
    typeof accesses_per_s === "number"
      ? `${formatShort(accesses_per_s)} accesses per second`
      : "the rate of the recording";
  return arrivals === "poisson"
    ? `Accesses arrive independently of each other, at ${rate}.`
    : `Accesses arrive as recorded, at ${rate}.`;
};

interface CourseChartProps {
  readonly found: CourseOut;
  readonly name: string;
  readonly measure: CourseMeasure;
  readonly onMeasure: (measure: CourseMeasure) => void;
}

const CourseChart = memo(function CourseChart(props: CourseChartProps) {
  const { found, name, measure, onMeasure } = props;
  const colors = useChartColors();
  const option = useMemo(
    () =>
      lineOption({
        series: courseSeries(found, measure, colors),
        x: {
          name: "time [s]",
          min: 0,
          max: found.duration_s,
          format: (value) => `${formatShort(value)} s`,
        },
        y: {
          name: COURSE_AXES[measure],
          min: 0,
          format: (value) =>
            measure === "shares"
              ? `${formatShort(value)} %`
              : measure === "rate"
                ? `${formatShort(value)}/s`
                : `${formatShort(value)} ms`,
        },
        markers: courseMarkers(found),
        colors,
      }),
    [found, measure, colors],
  );
  return (
    <ChartCard
      title={`${found.title} over time`}
      sentence={`${found.finding} ${found.ram_tax}`.trimEnd()}
      subtitle={`${SUBTITLES[measure]}; windows of ${formatShort(found.window_s)} s`}
      label={`Course of ${name} over time`}
      option={option}
      height={HEIGHT}
      table={() => courseTable(found)}
      fileName={`${name} ${found.system} over time`}
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Measure over time"
          transitionDuration={0}
          value={measure}
          onChange={(value) =>
            onMeasure(value === "rate" || value === "response" ? value : "shares")
          }
          data={[...MEASURES]}
        />
      }
      explanation={
        <Text size="sm">
          Estimator: {found.estimator}. Valid for: {found.validity}.
        </Text>
      }
    />
  );
});
