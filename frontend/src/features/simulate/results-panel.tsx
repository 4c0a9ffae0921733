import { SegmentedControl, Select, Text } from "@mantine/core";
import { useMemo } from "react";
import type { SimulatorOut } from "@/api/simulator";
import type { SweepOut } from "@/api/sweeps";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { curveOption } from "@/charts/curve-option";
import { schemeMark } from "@/charts/palette";
import { SeriesMark } from "@/charts/scheme-mark";
import { DataTable } from "@/components/data-table";
import { DerivationTable } from "@/components/derivation-table";
import { Panel } from "@/components/panel";
import { WarningNotes } from "@/components/warning-notes";
import { WhyButton } from "@/components/why-button";
import type { SweepSearch } from "@/questions/simulate";
import {
  bytes,
  bytesOfPages,
  counted,
  formatBytes,
  formatCount,
  formatPagesAndBytes,
  formatPercent,
  formatShort,
  pages,
  ratio,
} from "@/units/quantity";
import { aboutLives, type Lives } from "./flash-lives";
import {
  countedIn,
  findingOf,
  labelOf,
  MEASURES,
  type Measure,
  measureOf,
  ownCountersOf,
  type ResultSeries,
  sentenceOf,
  seriesOf,
  tableOf,
  type View,
  viewOf,
} from "./results";
import classes from "./simulate.module.css";

const HEIGHT = 400;

interface ResultsProps {
  readonly sweep: SweepOut;
  readonly simulator: SimulatorOut;
  readonly name: string;
  readonly search: SweepSearch;
  readonly patch: (change: SweepSearch) => void;
  readonly devices: string;
}

/** The sweep as a chart and a table, as far as it is. */
export function Results(props: ResultsProps) {
  const { sweep, search, simulator, name } = props;
  const colors = useChartColors();
  const measure = measureOf(search.measure);
  const view = viewOf(sweep, search.over, search.held);
  const series = useMemo(() => seriesOf(sweep, measure, view), [sweep, measure, view]);
  const drawn = series.filter((one) => one.points.length > 0);
  const bounds = useMemo(
    () =>
      new Set(
        simulator.policies
          .filter((item) => item.needs.includes("future"))
          .map((item) => `policy:${item.name}`),
      ),
    [simulator],
  );
  const chart = useMemo(() => {
    const base = {
      series: drawn.map((one) => {
        const mark = schemeMark(one.name, colors);
        return {
          name: one.label,
          color: mark.color,
          symbol: mark.shape,
          dash: one.dash,
          points: one.points,
        };
      }),
      pageBytes: bytes(sweep.page_bytes),
      valueName: measure.axis,
      formatValue: measure.format,
      sizeName:
        view.axis === "ram"
          ? "cache or RAM size [bytes, pages]"
          : "flash size [bytes, pages]",
      colors,
    };
    return drawn.length === 0
      ? null
      : {
          option: curveOption({ ...base, legend: false }),
          picture: curveOption({ ...base, legend: true }),
        };
  }, [drawn, colors, sweep.page_bytes, measure, view.axis]);
  if (chart === null) {
    return <NothingDrawn sweep={sweep} measure={measure} />;
  }
  const middle = middleSize(drawn);
  return (
    <ChartCard
      title={findingOf(series, sweep, measure, bounds)}
      subtitle={subtitleOf(sweep, measure.axis, view, props.devices)}
      label={`${measure.title} by size of ${name}`}
      option={chart.option}
      pictureOption={() => chart.picture}
      legend={<Legend series={drawn} />}
      height={HEIGHT}
      table={() => tableOf(sweep, ownCountersOf(sweep, simulator))}
      fileName={`${name} sweep ${measure.title}`}
      sentence={
        middle === null
          ? undefined
          : sentenceOf(
              drawn,
              measure,
              middle,
              formatPagesAndBytes(pages(middle), bytes(sweep.page_bytes)),
            )
      }
      controls={<Controls {...props} view={view} measureId={measure.id} />}
      explanation={<Explanation />}
    />
  );
}

function Legend({ series }: { readonly series: readonly ResultSeries[] }) {
  return (
    <ul className={classes["legend"]} aria-label="Legend">
      {series.map((one) => (
        <li key={one.contender}>
          <SeriesMark scheme={one.name} dash={one.dash} /> {one.label}
        </li>
      ))}
    </ul>
  );
}

function middleSize(series: readonly ResultSeries[]): number | null {
  const longest = [...series].sort(
    (one, other) => other.points.length - one.points.length,
  )[0];
  return longest?.points[Math.floor(longest.points.length / 2)]?.[0] ?? null;
}

function subtitleOf(
  sweep: SweepOut,
  axis: string,
  { axis: over, held }: View,
  devices: string,
) {
  const twoTier = sweep.contenders.some((contender) => contender.tiers > 1);
  const size = (count: number) =>
    formatBytes(bytesOfPages(pages(count), bytes(sweep.page_bytes)));
  const other =
    held === null || (over === "ram" && !twoTier)
      ? ""
      : over === "ram"
        ? `; two-tier contenders with ${size(held)} of flash`
        : `; RAM held at ${size(held)}`;
  const priced = axis.startsWith("I/O") ? `; ${devices}` : "";
  return `Replays that count ${countedIn(sweep)}: ${axis} over ${over === "ram" ? "cache or RAM" : "flash"} size${other}${priced}`;
}

function Controls(
  props: ResultsProps & { readonly view: View; readonly measureId: string },
) {
  const { sweep, patch, view } = props;
  const offered = MEASURES.filter((measure) =>
    sweep.rows.some((row) => measure.of(row) !== null),
  );
  const both = sweep.ram_pages.length > 1 && sweep.flash_pages.length > 1;
  const held = view.axis === "ram" ? sweep.flash_pages : sweep.ram_pages;
  return (
    <>
      <Select
        size="xs"
        w={130}
        aria-label="Chart shows"
        data={offered.map((measure) => ({ value: measure.id, label: measure.title }))}
        value={props.measureId}
        onChange={(measure) => measure !== null && patch({ measure })}
        allowDeselect={false}
      />
      {both && (
        <SegmentedControl
          size="xs"
          aria-label="Size on the axis"
          value={view.axis}
          onChange={(over) => patch({ over: over as View["axis"], held: undefined })}
          transitionDuration={0}
          data={[
            { value: "ram", label: "Over RAM" },
            { value: "flash", label: "Over flash" },
          ]}
        />
      )}
      {held.length > 1 && view.held !== null && (
        <Select
          size="xs"
          w={150}
          aria-label={view.axis === "ram" ? "Flash fixed at" : "RAM fixed at"}
          data={held.map((size) => ({
            value: String(size),
            label: `${view.axis === "ram" ? "flash" : "RAM"} ${formatBytes(
              bytesOfPages(pages(size), bytes(sweep.page_bytes)),
            )}`,
          }))}
          value={String(view.held)}
          onChange={(value) => value !== null && patch({ held: Number(value) })}
          allowDeselect={false}
        />
      )}
    </>
  );
}

function NothingDrawn(props: { readonly sweep: SweepOut; readonly measure: Measure }) {
  const { sweep, measure } = props;
  const isKnown = sweep.rows.some((row) => measure.of(row) !== null);
  const reason = sweep.rows.find((row) => row.io_time_reason !== null)?.io_time_reason;
  const text =
    sweep.rows.length === 0
      ? "No replay has finished yet. Results appear here while the sweep runs, and stay when it is cancelled."
      : isKnown
        ? "No replay at the sizes of this view has finished yet."
        : `${measure.title} is not known for these replays${reason ? `: ${reason}` : ""}.`;
  return (
    <section className="tw-panel" aria-label="Results">
      <Text c="dimmed" role="status">
        {text}
      </Text>
    </section>
  );
}

function Explanation() {
  return (
    <p>
      Each point is a replay of the whole trace: the cache starts empty, every access is
      looked up, nothing is flushed at the end, and every page operation is counted. The
      miss ratio is the share of accesses that reach the disk. I/O time is counters x
      service times of the devices above, divided by the accesses; pages that a flash
      cache moves in batches cost their transfer at the sequential rate. A policy that
      reads the future is a bound, not a choice, and is left out of the headline. Lines
      between points only guide the eye.
    </p>
  );
}

/** Formulas whose counts only a replay gives, beside that replay. */
export function FormulaBeside({ sweep }: { readonly sweep: SweepOut }) {
  const rows = sweep.rows.flatMap(({ formula, ...row }) =>
    formula === null ? [] : [{ row, formula }],
  );
  if (rows.length === 0) {
    return null;
  }
  return (
    <section className="tw-panel" aria-label="Formula compared with the replay">
      <Text size="sm" mb={6}>
        No curve gives the counts for clean-only admission, so its formula uses the
        counts of the replay. It approximates the share of clean RAM victims still on
        flash by flash hits over RAM misses, which puts it above or below the replay.
        With the measured share, the remaining gap is the RAM misses that filled an
        empty frame.
      </Text>
      <DataTable
        label="Formula and replay of clean-only admission"
        columns={[
          {
            key: "RAM, flash [pages]",
            rowHeader: true,
            cell: ({ row }) =>
              `${formatCount(row.ram_pages)}, ${formatCount(row.flash_pages ?? 0)}`,
          },
          {
            key: "Formula",
            unit: "µs/access",
            cell: ({ formula }) => formatShort(formula.io_time_us_per_access, 4),
          },
          {
            key: "Replay",
            unit: "µs/access",
            cell: ({ row }) => formatShort(row.io_time_us_per_access ?? 0, 4),
          },
          { key: "Gap", cell: ({ formula }) => formatPercent(ratio(formula.gap)) },
          {
            key: "Clean victims on flash, assumed",
            cell: ({ formula }) => formatPercent(ratio(formula.q)),
          },
          {
            key: "Measured",
            cell: ({ formula }) => formatPercent(ratio(formula.measured_q)),
          },
          {
            key: "Formula with it",
            unit: "µs/access",
            cell: ({ formula }) => formatShort(formula.measured_us_per_access, 4),
          },
          {
            key: "Remaining gap",
            cell: ({ formula }) => formatPercent(ratio(formula.measured_gap)),
          },
          {
            key: "Why",
            align: "text",
            cell: ({ row, formula }) => (
              <WhyButton
                title={`formula at ${formatCount(row.ram_pages)} and ${counted(row.flash_pages ?? 0, "page")}`}
              >
                <DerivationTable
                  steps={[formula.derivation, formula.measured_derivation]}
                />
              </WhyButton>
            ),
          },
        ]}
        rows={rows}
        rowKey={({ row }) => `${row.contender} ${row.ram_pages} ${row.flash_pages}`}
      />
    </section>
  );
}

/** What the lives of flash in the table rest on, or how to get them. */
export function LifeNotes({ about }: { readonly about: Lives }) {
  const said = aboutLives(about);
  if (said.length === 0) {
    return null;
  }
  return (
    <Panel title="How long flash lasts">
      {said.map((each) => (
        <Text key={each} size="sm">
          {each}
        </Text>
      ))}
    </Panel>
  );
}

/** Warnings of the trace and of single replays, and failures, each named once. */
export function ReplayNotes({ sweep }: { readonly sweep: SweepOut }) {
  const notes = new Map<
    string,
    { name: string; message: string; hint: string | null }
  >();
  for (const row of sweep.rows) {
    const contender = sweep.contenders[row.contender];
    const who = contender === undefined ? "" : labelOf(contender);
    const found = [
      ...row.warnings,
      ...(row.error === null
        ? []
        : [{ name: "failed", message: row.error, hint: row.hint }]),
    ];
    for (const note of found) {
      const key = `${who} ${note.name}`;
      if (!notes.has(key)) {
        notes.set(key, { ...note, name: key, message: `${who}: ${note.message}` });
      }
    }
  }
  return <WarningNotes notes={[...sweep.warnings, ...notes.values()]} />;
}
