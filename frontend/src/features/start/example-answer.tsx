import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import {
  deciding,
  type EvaluationOut,
  evaluationQuery,
  shownSchemes,
} from "@/api/compare";
import { isActiveStatus, useRun } from "@/api/runs";
import { useDecision } from "@/api/use-decision";
import { type WorkloadOut, workloadsQuery } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { COST_TERM_ORDER, costTermColor, costTermTitle } from "@/charts/palette";
import { SchemeMark } from "@/charts/scheme-mark";
import { CloseCall } from "@/components/close-call";
import { EmptyState } from "@/components/empty-state";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { type AnalysisState, evaluationInput } from "@/questions/point";
import { useAnalysis } from "@/questions/use-analysis";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatMicroseconds,
  microseconds,
  unbroken,
} from "@/units/quantity";
import classes from "./start.module.css";

const HEIGHT = 250;

/** A finished answer, before anything is asked of the reader. */
export function ExampleAnswer() {
  const analysis = useAnalysis();
  const workloads = useQuery(workloadsQuery());
  const example = workloads.data?.find((workload) => workload.example);
  const shown =
    workloads.data?.find((workload) => workload.id === analysis.state?.workload) ??
    example;
  if (analysis.error !== null) {
    return (
      <ProblemAlert
        error={analysis.error}
        title="The answer could not be loaded"
        onRetry={() => void workloads.refetch()}
      />
    );
  }
  if (analysis.isPending) {
    return <Skeleton height={HEIGHT} animate={false} />;
  }
  if (shown !== undefined && shown.status !== "ready") {
    return <Preparing workload={shown} />;
  }
  if (analysis.state === null || shown === undefined) {
    return (
      <Panel>
        <EmptyState title="There is no workload to show an answer for">
          The worked example was deleted, and nothing else has been imported. Upload a
          trace below; the answer for it appears here.
        </EmptyState>
      </Panel>
    );
  }
  return <Answer state={analysis.state} workload={shown} />;
}

function Preparing({ workload }: { readonly workload: WorkloadOut }) {
  const queryClient = useQueryClient();
  const run = useRun(workload.run?.id ?? null, workload.run).data;
  const ended = run !== undefined && !isActiveStatus(run.status);
  useEffect(() => {
    if (ended) {
      void queryClient.invalidateQueries({ queryKey: ["workloads"] });
    }
  }, [ended, queryClient]);
  return (
    <Panel
      title={
        workload.example
          ? "The worked example is being prepared"
          : `Reading ${workload.name}`
      }
      subtitle="Its answer appears here in a moment"
    >
      {run === undefined ? (
        <Skeleton height={80} animate={false} />
      ) : (
        <RunProgress run={run} />
      )}
    </Panel>
  );
}

function Answer(props: {
  readonly state: AnalysisState;
  readonly workload: WorkloadOut;
}) {
  const { state, workload } = props;
  const asked = evaluationInput(state);
  const evaluation = useQuery(evaluationQuery(asked));
  const decision = useDecision(asked, evaluation.data);
  if (evaluation.error !== null) {
    return (
      <ProblemAlert
        error={evaluation.error}
        title="The answer could not be computed"
        onRetry={() => void evaluation.refetch()}
      />
    );
  }
  if (evaluation.data === undefined) {
    return <Skeleton height={HEIGHT} animate={false} />;
  }
  return (
    <AnswerPanel
      evaluation={decision.evaluation ?? evaluation.data}
      modelBest={evaluation.data.best}
      deciding={decision.pending}
      workload={workload}
      state={state}
    />
  );
}

function AnswerPanel(props: {
  readonly evaluation: EvaluationOut;
  readonly modelBest: string | null;
  readonly deciding: boolean;
  readonly workload: WorkloadOut;
  readonly state: AnalysisState;
}) {
  const { evaluation, workload, state } = props;
  const { devices } = evaluation;
  return (
    <section className="tw-panel" aria-label="Answer for the current workload">
      <div className={classes["answer"]}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {workload.name}, {extent(workload, evaluation)}
          </Text>
          <h2 className={classes["sentence"]}>
            {unbroken(evaluation.at_load?.verdict || evaluation.sentence)}
          </h2>
          {evaluation.at_load?.verdict && <Text>{unbroken(evaluation.sentence)}</Text>}
          <CloseCall
            evaluation={evaluation}
            modelBest={props.modelBest}
            deciding={props.deciding}
          />
          <Text>
            With {formatBytes(bytes(evaluation.ram_bytes))} of RAM and{" "}
            {formatBytes(bytes(evaluation.flash_bytes))} of flash ({devices.flash.name})
            in front of {devices.disk.name}.
            {evaluation.at_load !== null && <> {evaluation.at_load.sentence}</>}
          </Text>
          {evaluation.at_load !== null && (
            <Text size="sm" c="dimmed">
              Amounts here are of RAM and devices alone, at the sizes stated: the
              machines that they need are not counted. Advise counts them, and chooses
              the sizes.
            </Text>
          )}
          <Group>
            <Button
              renderRoot={(rest) => (
                <Link to="/advise" search={{ ...state }} {...rest} />
              )}
            >
              Advise what to buy
            </Button>
            <Button
              variant="default"
              renderRoot={(rest) => (
                <Link to="/compare" search={{ ...state }} {...rest} />
              )}
            >
              Open the comparison
            </Button>
            <Button
              variant="default"
              renderRoot={(rest) => (
                <Link
                  to="/workloads/$workloadId"
                  params={{ workloadId: workload.id }}
                  {...rest}
                />
              )}
            >
              See the workload's curves
            </Button>
          </Group>
        </Stack>
        <SmallBars evaluation={evaluation} />
      </div>
    </section>
  );
}

/** How large the workload is: the production that it was scaled to, or the recording. */
function extent(workload: WorkloadOut, evaluation: EvaluationOut): string {
  const production = workload.summary?.production?.production;
  return production === undefined
    ? `${counted(evaluation.accesses, "access")} to ${formatBytes(
        bytes(evaluation.distinct_pages * evaluation.page_bytes),
      )}`
    : `${formatBytes(bytes(production.data_bytes))} of data at ${formatCount(
        production.accesses_per_s,
      )} accesses/s`;
}

/** Stacked bars without the chart library, so that the first page stays light. */
function SmallBars({ evaluation }: { readonly evaluation: EvaluationOut }) {
  const colors = useChartColors();
  const longest = Math.max(
    ...evaluation.schemes.map((scheme) => deciding(scheme).io_time_us_per_access),
    Number.MIN_VALUE,
  );
  return (
    <div>
      <Text size="sm" c="dimmed" mb={8}>
        I/O time per access by cost term [µs]
      </Text>
      <ul className={classes["bars"]}>
        {shownSchemes(evaluation).map((scheme) => (
          <li key={scheme.scheme}>
            <span className={classes["name"]}>
              <SchemeMark scheme={scheme.scheme} />
              <span
                className={scheme.scheme === evaluation.best ? classes["best"] : ""}
              >
                {scheme.title}
              </span>
            </span>
            <span className={classes["track"]}>
              <span
                className={classes["bar"]}
                style={{
                  width: `${(100 * deciding(scheme).io_time_us_per_access) / longest}%`,
                }}
              >
                {COST_TERM_ORDER.map((term) => (
                  <span
                    key={term}
                    className={classes["part"]}
                    style={{
                      flexGrow:
                        deciding(scheme).cost_terms_us_per_access[
                          term as keyof typeof scheme.cost_terms_us_per_access
                        ] ?? 0,
                      background: costTermColor(term, colors),
                    }}
                  />
                ))}
              </span>
            </span>
            <span
              className={`${classes["value"]} ${scheme.scheme === evaluation.best ? classes["best"] : ""}`}
            >
              {formatMicroseconds(microseconds(deciding(scheme).io_time_us_per_access))}
            </span>
          </li>
        ))}
      </ul>
      <ul className={classes["legend"]} aria-label="Cost terms">
        {COST_TERM_ORDER.map((term) => (
          <li key={term}>
            <span
              className={classes["swatch"]}
              style={{ background: costTermColor(term, colors) }}
            />
            {costTermTitle(term)}
          </li>
        ))}
      </ul>
    </div>
  );
}
