import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo, useMemo } from "react";
import {
  type ResponseQuestion,
  type ResponseTimes,
  responseQuery,
  responseSteps,
} from "@/api/response";
import type { Replays } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { SchemeMark } from "@/charts/scheme-mark";
import { AskedSteps } from "@/components/asked-steps";
import { CautionNotes } from "@/components/caution-notes";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { EmptyState } from "@/components/empty-state";
import { ExportCsv } from "@/components/export-csv";
import type { Clock } from "@/components/flash-caches-field";
import { NumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Unknown } from "@/components/unknown";
import type { ThroughputSearch } from "@/questions/throughput";
import { formatPercent, formatShort, ratio } from "@/units/quantity";
import { type ArrivalSearch, ResponseCheckPanel } from "./response-check";
import {
  rateMarkers,
  responseSeries,
  responseTable,
  type SchemeRow,
  shownScheme,
  timeText,
} from "./response-findings";
import classes from "./throughput.module.css";

const HEIGHT = 300;
const MOST_RATE = 1e12;
const UNBOUNDED = "a device cannot keep up at this rate: its queue has no bound";

interface ResponsePanelProps {
  readonly question: ResponseQuestion;
  readonly name: string;
  readonly names: ReadonlyMap<string, string>;
  readonly patch: (change: ThroughputSearch) => void;
  /** Whether the workload has a rate of its own. */
  readonly timed: boolean;
  readonly clock: Clock;
  readonly replays: Replays;
  readonly arrivals: ArrivalSearch;
}

/** How long a page access takes at a rate: chart over rates, every scheme at those in question. */
export function ResponsePanel(props: ResponsePanelProps) {
  const { question, name, names, patch } = props;
  const { body } = question;
  const isAsked = props.timed || typeof body.accesses_per_s === "number";
  const found = useQuery({ ...responseQuery(question), enabled: isAsked });
  return (
    <Stack gap="lg" aria-busy={found.isPlaceholderData}>
      <Panel
        title="Response at this rate"
        subtitle="How long one page access takes while so many arrive per second, whoever sends them. Without a rate, production or the recording gives it."
      >
        <div className={classes["options"]}>
          <NumberField
            label="Page accesses"
            unit="1/s"
            value={body.accesses_per_s ?? rateOf(found.data, 0)}
            min={0}
            max={MOST_RATE}
            onChange={(rate) =>
              patch({ rate: rate > 0 ? rate : undefined, peak_rate: undefined })
            }
          />
          <NumberField
            label="In the busiest hour"
            unit="1/s"
            value={body.peak_accesses_per_s ?? rateOf(found.data, 1)}
            min={0}
            max={MOST_RATE}
            onChange={(peak_rate) => {
              const rate = body.accesses_per_s ?? rateOf(found.data, 0);
              patch(
                peak_rate > 0 && rate > 0
                  ? { rate, peak_rate }
                  : { peak_rate: undefined },
              );
            }}
          />
        </div>
      </Panel>
      {!isAsked && (
        <EmptyState title="Enter the page accesses per second">
          This workload has no times, so its rate is unknown.
        </EmptyState>
      )}
      {isAsked && found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="Response times could not be predicted"
          onRetry={() => void found.refetch()}
        />
      )}
      {!isAsked || found.data === undefined ? (
        isAsked && found.isPending && <Skeleton height={HEIGHT} animate={false} />
      ) : (
        <>
          <CautionNotes
            of="the response times"
            cautions={found.data.cautions}
            names={names}
          />
          <ResponseChart found={found.data} name={name} />
          <RateTable found={found.data} />
          <ResponseCheckPanel
            question={question}
            replays={props.replays}
            timed={props.timed}
            clock={props.clock}
            asked={props.arrivals}
            shown={shownScheme(found.data)}
            patch={patch}
          />
        </>
      )}
    </Stack>
  );
}

const rateOf = (found: ResponseTimes | undefined, at: number) =>
  found?.rates[at]?.accesses_per_s ?? 0;

const ResponseChart = memo(function ResponseChart({
  found,
  name,
}: {
  readonly found: ResponseTimes;
  readonly name: string;
}) {
  const colors = useChartColors();
  const option = useMemo(
    () =>
      lineOption({
        series: responseSeries(found, colors),
        x: {
          name: "page accesses [1/s]",
          min: 0,
          format: (value) => `${formatShort(value)}/s`,
        },
        y: {
          name: "response time [ms]",
          log: true,
          format: (value) => `${formatShort(value)} ms`,
        },
        markers: rateMarkers(found),
        colors,
      }),
    [found, colors],
  );
  return (
    <ChartCard
      title={found.finding}
      subtitle="99th percentile of the response time of a page access over the rate, to the rate at which a device is busy all the time [ms]; of the fastest scheme also its mean (dashed) and its median (dotted), unless that is a RAM hit, which takes no time"
      label={`Response time of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => responseTable(found)}
      fileName={`${name} response time over rate`}
      sentence={found.sentence}
      explanation={
        <Stack gap="xs">
          <Text size="sm">{found.time_basis}</Text>
          <Text size="sm">
            Estimator: {found.estimator}. Valid for: {found.validity}.
          </Text>
          <AskedSteps query={responseSteps(found)} />
        </Stack>
      }
    />
  );
});

const RateTable = memo(function RateTable({
  found,
}: {
  readonly found: ResponseTimes;
}) {
  return (
    <Panel
      title="All schemes at the rates in question"
      subtitle="A percentile is read from the mixture of RAM hits, flash reads and disk reads, so it can jump from one to the other. The largest rate is that at which the first device is busy all the time."
      actions={<ExportCsv file="response-times" columns={COLUMNS} rows={found.rows} />}
    >
      <DataTable
        label="Response time of every scheme"
        columns={COLUMNS}
        rows={found.rows}
        rowKey={({ scheme, rate }) => `${scheme} ${rate}`}
      />
    </Panel>
  );
});

const time = (key: Time, head: string): Column<SchemeRow> => ({
  key,
  head,
  unit: "µs",
  cell: (row) =>
    row[key] === null ? <Unknown reason={UNBOUNDED} /> : timeText(row, row[key]),
  csv: (row) => row[key],
});

type Time = "mean_us" | "p50_us" | "p99_us" | "p999_us";

const busy = (at: number, key: string, head: string): Column<SchemeRow> => ({
  key,
  head,
  cell: ({ stations }) => formatPercent(ratio(stations[at]?.utilisation ?? 0)),
  csv: ({ stations }) => stations[at]?.utilisation ?? null,
});

const COLUMNS: readonly Column<SchemeRow>[] = [
  {
    key: "scheme",
    head: "Scheme",
    rowHeader: true,
    cellProps: () => ({ className: classes["scheme"] }),
    cell: ({ scheme, title }) => (
      <>
        <SchemeMark scheme={scheme} /> {title}
      </>
    ),
    csv: ({ title }) => title,
  },
  {
    key: "rate",
    head: "Rate",
    align: "text",
    cell: ({ rate }) => rate,
    csv: ({ rate }) => rate,
  },
  {
    key: "accesses_per_s",
    head: "Accesses",
    unit: "1/s",
    cell: ({ accesses_per_s }) => formatShort(accesses_per_s),
    csv: ({ accesses_per_s }) => accesses_per_s,
  },
  time("mean_us", "Mean"),
  time("p50_us", "Median"),
  time("p99_us", "99 %"),
  time("p999_us", "99.9 %"),
  {
    key: "lower_bounds_without_latency_of",
    csv: ({ without_latency }) => without_latency.join(" and "),
  },
  busy(0, "utilisation_flash", "Flash busy"),
  busy(1, "utilisation_disk", "Disk busy"),
  {
    key: "largest_accesses_per_s",
    head: "Largest rate",
    unit: "1/s",
    cell: ({ largest_accesses_per_s }) =>
      largest_accesses_per_s === null ? (
        <Unknown reason="no access needs a device" />
      ) : (
        formatShort(largest_accesses_per_s)
      ),
    csv: ({ largest_accesses_per_s }) => largest_accesses_per_s,
  },
];
