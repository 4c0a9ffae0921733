import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  type WindowCurves,
  type WindowsOut,
  windowCurvesQuery,
  windowsKey,
} from "@/api/analyses";
import { answer } from "@/api/client";
import { createWindows, getWindows } from "@/api/gen/sdk.gen";
import { useJob } from "@/api/use-job";
import type { SummaryOut } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { counted, formatCount, formatShort } from "@/units/quantity";
import { driftFinding, driftSentence, driftSeries, driftTable } from "./drift";

const HEIGHT = 340;
/** Traces up to here are cut into windows without being asked: it takes seconds. */
const AUTO_ACCESSES = 5_000_000;

interface DriftProps {
  readonly workloadId: string;
  readonly name: string;
  readonly summary: SummaryOut;
}

const readWindows = (id: string): Promise<WindowsOut> =>
  answer(getWindows({ path: { windows_id: id }, throwOnError: true }));

/** Does the workload change while it runs? Computed once, on the first look. */
export function Drift({ workloadId, name, summary }: DriftProps) {
  const job = useJob<WindowsOut>({
    asked: workloadId,
    create: () =>
      answer(createWindows({ body: { workload_id: workloadId }, throwOnError: true })),
    keyOf: windowsKey,
    read: readWindows,
    auto: summary.accesses <= AUTO_ACCESSES,
  });
  const id = job.done ? (job.subject?.id ?? null) : null;
  const curves = useQuery({ ...windowCurvesQuery(id ?? ""), enabled: id !== null });
  if (curves.data !== undefined) {
    return <DriftChart curves={curves.data} name={name} />;
  }
  const error = job.error ?? curves.error;
  if (error !== null) {
    return (
      <ProblemAlert
        error={error}
        title="The windows could not be computed"
        onRetry={job.start}
      />
    );
  }
  if (job.running && job.run === undefined) {
    return <Skeleton height={HEIGHT + 150} animate={false} />;
  }
  return (
    <Panel
      title="Does this workload change over time?"
      subtitle="The miss ratio per window shows drift that a single curve hides."
      actions={
        !job.running && (
          <Button variant="default" onClick={job.start}>
            Split into windows
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

function DriftChart(props: { readonly curves: WindowCurves; readonly name: string }) {
  const { curves, name } = props;
  const colors = useChartColors();
  const option = useMemo(
    () =>
      lineOption({
        series: driftSeries(curves, colors),
        x: {
          name: "position in the trace [accesses]",
          max: (curves.first_access.at(-1) ?? 0) + (curves.accesses.at(-1) ?? 0),
          format: (value) => formatCount(value),
        },
        y: {
          name: "miss ratio [%]",
          format: (value) => `${formatShort(value, 4)} %`,
        },
        colors,
      }),
    [curves, colors],
  );
  return (
    <ChartCard
      title={driftFinding(curves)}
      subtitle={`Miss ratio of LRU caches in ${counted(curves.accesses.length, "consecutive window")} of the trace, exact [%]`}
      label={`Miss ratio by window of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => driftTable(curves)}
      fileName={`${name} windows`}
      sentence={driftSentence(curves)}
      explanation={
        <p>
          One pass counts, window by window, the misses of LRU caches of the listed
          sizes. A cache is cold at the start of the trace and carried over from window
          to window, so the windows sum up to the curve above. The dotted line is the
          share of accesses to pages that the trace had not touched before: no cache of
          any size can hit those. Falling lines at the start are the cold start, not
          drift.
        </p>
      }
    />
  );
}
