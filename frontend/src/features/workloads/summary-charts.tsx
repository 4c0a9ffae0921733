import { Button, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import {
  profileSummariesQuery,
  readSummaries,
  type SummariesOut,
  type SummaryTables,
  summariesKey,
  summaryTablesQuery,
} from "@/api/analyses";
import { answer } from "@/api/client";
import { createSummaries } from "@/api/gen/sdk.gen";
import { useJob } from "@/api/use-job";
import type { SummaryOut } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { doublingsOption } from "@/charts/doublings-option";
import { type LineSeries, lineOption } from "@/charts/line-option";
import { chartInk } from "@/charts/palette";
import { EmptyState } from "@/components/empty-state";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import {
  bytes,
  bytesOfPages,
  counted,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  pages,
  ratio,
} from "@/units/quantity";
import { DevicePanel } from "./device-panel";
import {
  type Along,
  axisName,
  type Doublings,
  doublings,
  doublingsTable,
  footprintFinding,
  footprintSentence,
  hasIdle,
  hasSizes,
  mixFinding,
  mixSentence,
  popularityFinding,
  popularitySentence,
  popularityTable,
  rangeText,
  requestText,
  reuseBins,
  reuseFinding,
  reuseSentence,
  reuseText,
  runBins,
  sequentialFinding,
  sequentialSentence,
  sizeBins,
  sizeFinding,
  sizeSentence,
  windowLine,
  windowTable,
  windowView,
  workingSetFinding,
  workingSetSentence,
} from "./summaries";
import classes from "./summaries.module.css";

const HEIGHT = 290;
/** Traces up to here are summed up without being asked: it takes seconds. */
const AUTO_ACCESSES = 20_000_000;
const READS = { light: "#364fc7", dark: "#91a7ff" } as const;
const WRITES = { light: "#c4500a", dark: "#f08a3c" } as const;
const CALM = { light: "#00805f", dark: "#2fc79c" } as const;

interface SummariesProps {
  readonly workloadId: string;
  readonly name: string;
  readonly summary: SummaryOut;
  readonly cursor: number;
}

/** What the workload is like beyond its curves. Computed once, on the first look. */
export function Summaries({ workloadId, name, summary, cursor }: SummariesProps) {
  const job = useJob<SummariesOut>({
    asked: workloadId,
    create: () =>
      answer(
        createSummaries({ body: { workload_id: workloadId }, throwOnError: true }),
      ),
    keyOf: summariesKey,
    read: readSummaries,
    auto: summary.accesses <= AUTO_ACCESSES,
  });
  const id = job.done ? (job.subject?.id ?? null) : null;
  const tables = useQuery({ ...summaryTablesQuery(id ?? ""), enabled: id !== null });
  if (tables.data !== undefined) {
    return (
      <SummaryView
        tables={tables.data}
        name={name}
        cursor={cursor}
        tellsWrites={summary.tells_writes}
      />
    );
  }
  const error = job.error ?? tables.error;
  if (error !== null) {
    return (
      <ProblemAlert
        error={error}
        title="The summaries could not be computed"
        onRetry={job.start}
      />
    );
  }
  if (job.running && job.run === undefined) {
    return <Skeleton height={HEIGHT + 150} animate={false} />;
  }
  return (
    <Panel
      title="What is this workload like?"
      subtitle="Working set, popularity, reuse, request sizes, sequentiality, devices"
      actions={
        !job.running && (
          <Button variant="default" onClick={job.start}>
            Summarize
          </Button>
        )
      }
    >
      {job.run === undefined ? (
        <Text size="sm" c="dimmed">
          One more pass over {counted(summary.accesses, "access")}; the result is
          stored.
        </Text>
      ) : (
        <RunProgress run={job.run} />
      )}
    </Panel>
  );
}

/** The same of a profile, which brought them along. */
export function ProfileSummaries({
  workloadId,
  name,
  summary,
  cursor,
}: SummariesProps) {
  const tables = useQuery(profileSummariesQuery(workloadId));
  if (tables.error !== null) {
    return (
      <ProblemAlert
        error={tables.error}
        title="The summaries could not be loaded"
        onRetry={() => void tables.refetch()}
      />
    );
  }
  if (tables.data === undefined) {
    return <Skeleton height={HEIGHT + 150} animate={false} />;
  }
  return (
    <SummaryView
      tables={tables.data}
      name={name}
      cursor={cursor}
      tellsWrites={summary.tells_writes}
      ofProfile={true}
    />
  );
}

interface CardProps {
  readonly tables: SummaryTables;
  readonly name: string;
  readonly along: Along;
  readonly controls: ReactNode;
}

function SummaryView(props: {
  readonly tables: SummaryTables;
  readonly name: string;
  readonly cursor: number;
  readonly tellsWrites: boolean;
  readonly ofProfile?: boolean;
}) {
  const { tables, name, cursor, tellsWrites } = props;
  const timed = tables.time_windows !== null;
  const [along, setAlong] = useState<Along>("accesses");
  const controls = timed ? (
    <SegmentedControl
      size="xs"
      aria-label="Count in accesses or in time"
      value={along}
      onChange={(value) => setAlong(value === "time" ? "time" : "accesses")}
      transitionDuration={0}
      data={[
        { value: "accesses", label: "Accesses" },
        { value: "time", label: "Time" },
      ]}
    />
  ) : null;
  const card = { tables, name, along, controls };
  return (
    <>
      {props.ofProfile === true ? (
        <Missing title="Devices and relations">
          A profile does not name devices and counts them together, so that it reveals
          nothing about the contents of the trace.
        </Missing>
      ) : (
        <DevicePanel tables={tables} name={name} cursor={cursor} />
      )}
      {!timed && (
        <Text size="sm" c="dimmed">
          The format of this trace has no times, so windows and reuse are counted in
          accesses only.
        </Text>
      )}
      <div className={classes["grid"]}>
        <WorkingSetChart {...card} />
        <FootprintChart {...card} />
        <PopularityChart tables={tables} name={name} />
        <ReuseChart {...card} />
        {tellsWrites ? (
          <MixChart {...card} />
        ) : (
          <Missing title="Reads and writes over time">
            The format of this trace does not distinguish writes from reads: every
            access counts as a read. Record the trace with its operations to see them.
          </Missing>
        )}
        <RunChart tables={tables} name={name} />
        {hasSizes(tables) ? (
          <SizeChart tables={tables} name={name} />
        ) : (
          <Missing title="Request sizes">
            Every request of this trace is one page or key: its format has no lengths. A
            block trace has them.
          </Missing>
        )}
      </div>
    </>
  );
}

function Missing(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Panel label={props.title}>
      <EmptyState title={`${props.title}: not in this trace`}>
        {props.children}
      </EmptyState>
    </Panel>
  );
}

function useWindowOption(
  { tables, along }: CardProps,
  series: (colors: "light" | "dark") => readonly LineSeries[],
  y: {
    readonly name: string;
    readonly format: (value: number) => string;
    readonly max?: number;
  },
) {
  const colors = useChartColors();
  const view = windowView(tables, along);
  return lineOption({
    series: series(colors),
    x: {
      name: axisName(view),
      max: view.ends.at(-1) ?? 1,
      format: (value) =>
        view.along === "time"
          ? `${formatShort(value)} s`
          : formatCount(Math.round(value)),
    },
    y,
    colors,
  });
}

const pageText = (tables: SummaryTables) => (value: number) =>
  `${counted(Math.round(value), "page")} (${formatBytes(bytesOfPages(pages(value), bytes(tables.page_bytes)))})`;

function WorkingSetChart(props: CardProps) {
  const { tables, name, along, controls } = props;
  const view = useMemo(() => windowView(tables, along), [tables, along]);
  const option = useWindowOption(
    props,
    (colors) => [
      {
        name: "Working set",
        color: READS[colors],
        points: windowLine(view, (number) => view.working[number] ?? 0),
      },
    ],
    { name: "distinct pages per window", format: pageText(tables) },
  );
  return (
    <ChartCard
      title={workingSetFinding(tables, view)}
      subtitle={`Working set: distinct pages in windows of ${view.length} [pages]`}
      label={`Working set over time of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => windowTable(tables, view)}
      fileName={`${name} working set`}
      sentence={workingSetSentence(tables, view)}
      controls={controls}
      explanation={
        <p>
          The trace is cut into windows of equal, round length; each page counts once in
          every window that touches it. The working set of a longer window is larger,
          but never the sum of those of its parts. A cache smaller than the working set
          of the time between two uses of a page cannot keep it.
        </p>
      }
    />
  );
}

function FootprintChart(props: CardProps) {
  const { tables, name, along, controls } = props;
  const view = useMemo(() => windowView(tables, along), [tables, along]);
  const option = useWindowOption(
    props,
    (colors) => [
      {
        name: "Footprint so far",
        color: CALM[colors],
        points: [
          [0, 0],
          ...view.ends.map(
            (end, number) => [end, view.footprint[number] ?? 0] as const,
          ),
        ],
      },
    ],
    { name: "distinct pages so far", format: pageText(tables) },
  );
  return (
    <ChartCard
      title={footprintFinding(tables)}
      subtitle="Cumulative footprint: distinct pages from the start of the trace [pages]"
      label={`Footprint over time of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => windowTable(tables, view)}
      fileName={`${name} footprint`}
      sentence={footprintSentence(tables)}
      controls={controls}
      explanation={
        <p>
          The number of different pages touched since the start of the trace. Where the
          line is flat, every access is to a page seen before; where it climbs, the
          workload reaches new data, or the recording is still warming up.
        </p>
      }
    />
  );
}

function MixChart(props: CardProps) {
  const { tables, name, along, controls } = props;
  const view = useMemo(() => windowView(tables, along), [tables, along]);
  const option = useWindowOption(
    props,
    (colors) => [
      {
        name: "Writes",
        color: WRITES[colors],
        // A window alone between two without accesses is a point, no line.
        ...(hasIdle(view) ? { symbol: "circle" as const, symbolSize: 4 } : {}),
        points: windowLine(
          view,
          (number) => (100 * (view.writes[number] ?? 0)) / (view.accesses[number] ?? 0),
        ),
      },
    ],
    {
      name: "writes [% of accesses]",
      format: (value) =>
        Number.isNaN(value) ? "no accesses" : `${formatShort(value)} %`,
      max: 100,
    },
  );
  return (
    <ChartCard
      title={mixFinding(tables, view)}
      subtitle={`Share of the accesses that write, in windows of ${view.length} [%]`}
      label={`Reads and writes over time of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => windowTable(tables, view)}
      fileName={`${name} read-write mix`}
      sentence={mixSentence(tables)}
      controls={controls}
      explanation={
        <p>
          Page accesses that write, as a share of all page accesses of each window. In
          the title, windows with less than a tenth of the mean number of accesses are
          left out, because shares of a few accesses are unreliable.
        </p>
      }
    />
  );
}

interface PlainProps {
  readonly tables: SummaryTables;
  readonly name: string;
}

function PopularityChart({ tables, name }: PlainProps) {
  const colors = useChartColors();
  const option = useMemo(() => {
    const { rank, accesses, fitted, zipf } = tables.popularity;
    const line = (values: readonly number[]) =>
      rank.map((one, number) => [one, values[number] ?? 0] as const);
    // The law may promise the last pages less than one access: the axis ends at half of one.
    const law = (fitted ?? []).map((value) => Math.max(value, 0.5));
    return lineOption({
      series: [
        {
          name: "Pages",
          color: READS[colors],
          points: line(accesses),
        },
        ...(zipf === null
          ? []
          : [
              {
                name: `Zipf law, α = ${formatShort(zipf.exponent)}`,
                color: WRITES[colors],
                dash: "dashed" as const,
                points: line(law),
              },
            ]),
      ],
      x: {
        name: "rank of the page",
        log: true,
        min: 1,
        max: Math.max(2, tables.distinct_pages),
        format: (value) => formatCount(Math.round(value)),
      },
      y: {
        name: "accesses of the page",
        log: true,
        min: 0.5,
        format: (value) => counted(formatShort(value), "access"),
      },
      colors,
    });
  }, [tables, colors]);
  const zipf = tables.popularity.zipf;
  return (
    <ChartCard
      title={popularityFinding(tables)}
      subtitle="Popularity: accesses by rank of the page, both axes logarithmic"
      label={`Popularity of pages of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => popularityTable(tables)}
      fileName={`${name} popularity`}
      sentence={popularitySentence(tables)}
      explanation={
        <>
          <p>
            Pages in order of their accesses; the line is exact. A Zipf law would give
            the page of rank r a share of the accesses proportional to 1/r^α.
          </p>
          {zipf !== null && (
            <p>
              Estimator: {zipf.estimator}. Quality: {zipf.quality}; up to 0.05 is called
              close, up to 0.1 rough. Standard error of α if accesses were independent:{" "}
              {formatShort(zipf.standard_error, 2)}. On short traces α comes out too
              high, because pages are ranked by the counts that are fitted.
            </p>
          )}
        </>
      }
    />
  );
}

function useDoublings(
  found: Doublings,
  names: readonly string[],
  text: {
    readonly axis: string;
    readonly value: string;
    readonly cumulative: string;
    readonly show: (value: number) => string;
    readonly whole: boolean;
  },
) {
  const colors = useChartColors();
  const ink = chartInk(colors);
  const hues = [READS[colors], WRITES[colors]];
  return doublingsOption({
    labels: found.from.map(text.show),
    ranges: found.from.map((from) => rangeText(from, text.show, text.whole)),
    bars: found.counts.map((column, number) => ({
      name: names[number] ?? "",
      color: hues[number] ?? ink.text,
      shares: column.map((count) => count / Math.max(1, found.total)),
    })),
    axisName: text.axis,
    valueName: text.value,
    cumulativeName: text.cumulative,
    colors,
  });
}

function ReuseChart({ tables, name, along, controls }: CardProps) {
  const show = reuseText(along);
  const found = useMemo(() => doublings(reuseBins(tables, along)), [tables, along]);
  const names = ["Reads", "Writes"];
  const option = useDoublings(found, names, {
    axis:
      along === "time"
        ? "time since the previous access, from here to twice that"
        : "accesses since the previous access, from here to twice that",
    value: "re-accesses [%]",
    cumulative: "Up to here",
    show,
    whole: along === "accesses",
  });
  if (found.total === 0) {
    return (
      <Missing title="Reuse times">
        No page is accessed twice in this trace, so nothing is ever reused.
      </Missing>
    );
  }
  return (
    <ChartCard
      title={reuseFinding(tables, along)}
      subtitle="Reuse times: re-accesses by doublings of the time since the previous access [%]"
      label={`Reuse times of ${name}`}
      option={option}
      height={HEIGHT}
      table={() =>
        doublingsTable(found, names, along === "time" ? "[ns]" : "[accesses]", show)
      }
      fileName={`${name} reuse ${along}`}
      sentence={reuseSentence(tables, along)}
      controls={controls}
      explanation={
        <p>
          For each access to a page that was accessed before: how many accesses, or how
          much time, ago. Two accesses in a row are 1 access apart. This is not the
          stack distance of the hit-ratio curve, which counts different pages only: the
          reuse time is an upper bound on it. The dark line is the share of the
          re-accesses up to the end of each bar. “At most” values in the title are ends
          of quarter doublings.
        </p>
      }
    />
  );
}

function SizeChart({ tables, name }: PlainProps) {
  const show = requestText(tables);
  const found = useMemo(() => doublings(sizeBins(tables)), [tables]);
  const names = ["Reads", "Writes"];
  const option = useDoublings(found, names, {
    axis: `length of the request, from here to twice that${tables.requests.unit === "pages" ? " [pages]" : ""}`,
    value: "requests [%]",
    cumulative: "Up to here",
    show,
    whole: true,
  });
  return (
    <ChartCard
      title={sizeFinding(tables)}
      subtitle="Request sizes: requests by doublings of their length [%]"
      label={`Request sizes of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => doublingsTable(found, names, `[${tables.requests.unit}]`, show)}
      fileName={`${name} request sizes`}
      sentence={sizeSentence(tables)}
      explanation={
        <p>
          Lengths of the requests as recorded, before they are split into pages;
          requests of length 0 are left out. Traces imported before lengths were stored,
          and formats addressed in pages, are counted in pages. Workloads of the same
          accesses are stored once, with the lengths of the file that was read first.
        </p>
      }
    />
  );
}

function RunChart({ tables, name }: PlainProps) {
  const found = useMemo(() => doublings(runBins(tables)), [tables]);
  const names = ["Requests"];
  const show = (value: number) => formatCount(value);
  const option = useDoublings(found, names, {
    axis: "requests in a run, from here to twice that",
    value: "requests [%]",
    cumulative: "Up to here",
    show,
    whole: true,
  });
  return (
    <ChartCard
      title={sequentialFinding(tables)}
      subtitle="Sequentiality: requests by doublings of the length of their run [%]"
      label={`Sequentiality of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => doublingsTable(found, names, "[requests per run]", show)}
      fileName={`${name} sequential runs`}
      sentence={sequentialSentence(tables)}
      explanation={
        <p>
          A run is a maximal chain of requests to one device, each beginning where the
          previous one ended; a run of 1 is a single request. Requests to other devices
          in between do not break a run. From {formatPercent(ratio(0.5))} of requests
          that continue the previous one, the workload is called mostly sequential,
          below {formatPercent(ratio(0.1))} mostly random; these limits are Tierwright's
          choice. Hashed keys follow no order.
        </p>
      }
    />
  );
}
