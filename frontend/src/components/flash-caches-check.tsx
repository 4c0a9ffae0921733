import { Button, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import type { EvaluationIn } from "@/api/compare";
import type { EvaluationCheckIn } from "@/api/gen/types.gen";
import {
  type CheckedAnswer,
  type CheckedFigure,
  evaluationCheck,
} from "@/api/replay-checks";
import type { Replays } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { TERM_COLORS } from "@/charts/palette";
import { type BarPart, stackedBarsOption } from "@/charts/stacked-bars-option";
import {
  formatDuration,
  formatMicroseconds,
  formatPercent,
  formatShort,
  microseconds,
  ratio,
} from "@/units/quantity";
import { type CachesSearch, cachesAsked, cachesOf } from "./caches";
import { valueColumn } from "./columns";
import { type Clock, FlashCachesField } from "./flash-caches-field";
import { Panel } from "./panel";
import { ProblemAlert } from "./problem-alert";
import { RunProgress } from "./run-progress";
import { useReplay } from "./use-replay";

interface FlashCachesCheckProps {
  /** Where they are replayed: sizes and devices. */
  readonly point: EvaluationIn;
  readonly search: CachesSearch;
  readonly patch: (change: CachesSearch) => void;
  readonly replays: Replays;
  readonly clock: Clock;
  /** Of the workload. */
  readonly name: string;
  readonly title?: string;
  /** What the same is compared with, by replay: in words, and its I/O time an access. */
  readonly against?: { readonly title: string; readonly us: number } | null;
}

/** Flash caches at one point, replayed beside the page-flow schemes: there is no formula for them. */
export function FlashCachesCheck(props: FlashCachesCheckProps) {
  const { point, search, patch, replays } = props;
  const chosen = cachesAsked(search);
  const caches = chosen.flash_caches;
  const body = { ...point, ...chosen, ...rateAsked(search, props.clock) };
  const asked = JSON.stringify(body);
  const [pressed, setPressed] = useState<string | null>(null);
  const isAsked = pressed === asked && caches.length > 0;
  const check = useReplay<CheckedAnswer, (string | EvaluationCheckIn)[]>(
    evaluationCheck(body),
    isAsked,
  );
  const why = notReplayed(point, replays);
  return (
    <>
      <Panel
        title={props.title ?? "Flash caches at this point"}
        subtitle={
          replays === "recording"
            ? "Replays the recording through the flash caches you choose and through every page-flow scheme, at the sizes that correspond to this point."
            : "Replays the whole trace at this point through the flash caches you choose and through every page-flow scheme."
        }
        actions={
          why === null && (
            <Button
              loading={check.isRunning}
              disabled={caches.length === 0}
              onClick={() => {
                setPressed(asked);
                if (check.run !== undefined) {
                  check.again();
                }
              }}
            >
              Replay flash caches
            </Button>
          )
        }
      >
        <Stack gap="sm">
          {why === null ? (
            <FlashCachesField
              search={search}
              patch={patch}
              clock={props.clock}
              hasRate
            />
          ) : (
            <Text size="sm" c="dimmed">
              {why}
            </Text>
          )}
          {check.error !== null && (
            <ProblemAlert
              error={check.error}
              title="The flash caches could not be replayed"
            />
          )}
          {check.run !== undefined && <RunProgress run={check.run} />}
        </Stack>
      </Panel>
      {check.checked !== undefined && (
        <CachesChart
          found={check.checked}
          caches={caches}
          name={props.name}
          against={props.against ?? null}
        />
      )}
    </>
  );
}

/** The rate as a check takes it; of a trace with times, or of production, one that another workload left is none. */
export function rateAsked(
  search: CachesSearch,
  clock: Clock,
): { readonly accesses_per_s?: number } {
  const { access_rate: rate } = search;
  return clock !== "no rate" || rate === undefined || cachesOf(search).length === 0
    ? {}
    : { accesses_per_s: rate };
}

function notReplayed(point: EvaluationIn, replays: Replays): string | null {
  if (replays === null) {
    return "This workload has no accesses to replay.";
  }
  return point.flash_pages === 0
    ? "There is no flash at this point. Choose a flash size to replay flash caches."
    : null;
}

const IO_TIME = "I/O time";
const PART = `${IO_TIME}: `;
/** Of the cost terms: violets for flash, golds for the disk, then those of further operations. */
const COLORS = [0, 1, 3, 4, 5, 2, 6].map((at) => TERM_COLORS[at]);
/** Those that nearly all have, in the order in which they are stacked. */
const FIRST = ["flash reads", "flash writes", "disk reads", "disk writes"];

export interface ReplayedBar {
  readonly of: string;
  readonly title: string;
  readonly isCache: boolean;
  readonly us: number;
  readonly modelUs: number | null;
  readonly parts: Readonly<Record<string, number>>;
  readonly ramHits: number | null;
  readonly flashHits: number | null;
  readonly flashWrites: number | null;
  readonly waf: number | null;
  readonly years: number | null;
}

/** One bar a scheme and flash cache, the fastest first. */
export function replayedBars(
  rows: readonly CheckedFigure[],
  caches: readonly string[],
): ReplayedBar[] {
  const figureOf = (of: string, figure: string) =>
    rows.find((row) => row.of === of && row.figure === figure);
  return rows
    .flatMap((row) =>
      row.figure === IO_TIME && row.simulated !== null
        ? [
            {
              of: row.of,
              title: row.title,
              isCache: caches.includes(row.of),
              us: row.simulated,
              modelUs: row.model,
              parts: Object.fromEntries(
                rows
                  .filter((each) => each.of === row.of && each.figure.startsWith(PART))
                  .map((each) => [each.figure.slice(PART.length), each.simulated ?? 0]),
              ),
              ramHits: figureOf(row.of, "RAM hits")?.simulated ?? null,
              flashHits: figureOf(row.of, "flash hits")?.simulated ?? null,
              flashWrites: figureOf(row.of, "flash writes")?.simulated ?? null,
              waf: figureOf(row.of, "write amplification")?.simulated ?? null,
              years: figureOf(row.of, "life")?.simulated ?? null,
            },
          ]
        : [],
    )
    .sort((one, other) => one.us - other.us);
}

/** What becomes of the flash, where it is known. */
const WORN: readonly {
  readonly title: string;
  readonly of: (bar: ReplayedBar) => number | null;
}[] = [
  { title: "Write amplification", of: (bar) => bar.waf },
  { title: "Life of flash [years]", of: (bar) => bar.years },
];

function partsOf(bars: readonly ReplayedBar[]): BarPart[] {
  const names = new Set(bars.flatMap((bar) => Object.keys(bar.parts)));
  const ordered = [
    ...FIRST.filter((name) => names.has(name)),
    ...[...names].filter((name) => !FIRST.includes(name)).sort(),
  ];
  return ordered.map((name, index) => ({
    name,
    title: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    light: COLORS[index % COLORS.length]?.light ?? "#5c6470",
    dark: COLORS[index % COLORS.length]?.dark ?? "#a9b1bd",
  }));
}

const time = (us: number) => formatDuration(microseconds(us));

/** How the fastest stands beside what the same money or point is compared with. */
export function besideText(
  bars: readonly ReplayedBar[],
  against: { readonly title: string; readonly us: number } | null,
): string | null {
  const first = bars[0];
  if (against === null || first === undefined || against.us <= 0) {
    return null;
  }
  const share = first.us / against.us - 1;
  const by = formatPercent(ratio(Math.abs(share)));
  const how =
    Math.abs(share) < 0.0005
      ? "as much as"
      : share < 0
        ? `${by} less than`
        : `${by} more than`;
  return `${first.title} takes ${how} ${against.title} (${time(against.us)}).`;
}

const ROW_HEIGHT = 34;
const FRAME_HEIGHT = 110;

function CachesChart(props: {
  readonly found: CheckedAnswer;
  readonly caches: readonly string[];
  readonly name: string;
  readonly against: FlashCachesCheckProps["against"];
}) {
  const { found, caches, name } = props;
  const colors = useChartColors();
  const bars = useMemo(() => replayedBars(found.rows, caches), [found.rows, caches]);
  const option = useMemo(
    () =>
      stackedBarsOption({
        bars: bars.map((bar, index) => ({
          title: bar.title,
          parts: bar.parts,
          best: index === 0,
        })),
        parts: partsOf(bars),
        axis: "I/O time per access [µs]",
        format: (value) => formatMicroseconds(microseconds(value)),
        colors,
      }),
    [bars, colors],
  );
  if (bars.length === 0) {
    return <Text size="sm">{found.sentence}</Text>;
  }
  const beside = besideText(bars, props.against ?? null);
  return (
    <ChartCard
      title={found.finding ?? found.sentence}
      subtitle="I/O time per access by operation, replayed [µs]; page-flow schemes and flash caches, the fastest first"
      label={`I/O time per access by replay: ${bars.map((bar) => `${bar.title} ${time(bar.us)}`).join(", ")}`}
      option={option}
      height={FRAME_HEIGHT + ROW_HEIGHT * bars.length}
      fileName={`${name} flash caches`}
      sentence={
        <Text size="sm">
          {found.sentence} {beside}
        </Text>
      }
      table={() =>
        chartTable(bars, [
          valueColumn("Scheme or cache", (bar: ReplayedBar) => bar.title),
          valueColumn("Kind", (bar) => (bar.isCache ? "flash cache" : "page flow")),
          valueColumn("Replayed [µs]", (bar) => bar.us),
          valueColumn("Model [µs]", (bar) => bar.modelUs),
          valueColumn("RAM hits", (bar) => bar.ramHits, share),
          valueColumn("Flash hits", (bar) => bar.flashHits, share),
          valueColumn(
            "Flash writes [pages per access]",
            (bar) => bar.flashWrites,
            (value) => formatShort(value, 3),
          ),
          ...WORN.filter(({ of }) => bars.some((bar) => of(bar) !== null)).map(
            ({ title, of }) => valueColumn(title, of, (value) => formatShort(value, 3)),
          ),
        ])
      }
      explanation={<Text size="sm">{found.basis}</Text>}
    />
  );
}

const share = (value: number) => formatPercent(ratio(value));
