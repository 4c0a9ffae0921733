import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { isActiveStatus, type RunOut, runsQuery, useCancelRun } from "@/api/runs";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { progressText, statusText } from "@/components/run-progress";
import { Unknown } from "@/components/unknown";
import { estimateOf, sweepOf } from "@/questions/simulate";
import { formatDate, formatPercent, formatSeconds, ratio } from "@/units/quantity";
import classes from "./runs.module.css";

const KIND_TITLES: Readonly<Record<RunOut["kind"], string>> = {
  fetch: "Fetch an object",
  ingest: "Read a trace",
  simulate: "Check by simulation",
  sweep: "Sweep of simulations",
  miniature: "Estimate of all sizes",
  pool_split: "Pool split",
  pool_advisor: "Adaptive split",
  windows: "Windows of a trace",
  sampled_profile: "Sampled profile",
  summaries: "Summaries of a trace",
};

export function RunsPage() {
  const runs = useQuery(runsQuery());
  return (
    <Page
      title="Runs"
      lead="What is being computed now, and what was. The newest is first."
    >
      {runs.error !== null && (
        <ProblemAlert
          error={runs.error}
          title="The list could not be loaded"
          onRetry={() => void runs.refetch()}
        />
      )}
      {runs.isPending && <Skeleton height={240} animate={false} />}
      {runs.data !== undefined && (
        <Panel label="All runs">
          {runs.data.items.length === 0 ? (
            <EmptyState title="Nothing has run yet">
              Reading a trace and checking a point by simulation show up here while they
              work.
            </EmptyState>
          ) : (
            <RunTable runs={runs.data.items} total={runs.data.total} />
          )}
        </Panel>
      )}
    </Page>
  );
}

function RunTable(props: { readonly runs: readonly RunOut[]; readonly total: number }) {
  const cancel = useCancelRun();
  return (
    <>
      {cancel.error !== null && (
        <ProblemAlert error={cancel.error} title="The run was not cancelled" />
      )}
      <div className="tw-scroll">
        <table className="tw-table">
          {props.total > props.runs.length && (
            <caption>
              The newest {props.runs.length} of {props.total} runs.
            </caption>
          )}
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Status</th>
              <th scope="col" className={classes["progress"]}>
                Progress
              </th>
              <th scope="col">Started</th>
              <th scope="col" className="num">
                Took
              </th>
              <th scope="col" className="num">
                Attempts
              </th>
              <th scope="col">
                <span className={classes["hidden"]}>Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {props.runs.map((run) => (
              <tr key={run.id}>
                <th scope="row">
                  <Subject run={run} />
                  <Text size="sm" c="dimmed">
                    {KIND_TITLES[run.kind]}
                  </Text>
                </th>
                <td>{statusText(run)}</td>
                <td>
                  <RunState run={run} />
                </td>
                <td>
                  {run.started_at === null ? (
                    <Unknown reason="it waits for a worker" />
                  ) : (
                    formatDate(run.started_at)
                  )}
                </td>
                <td className="num">{took(run)}</td>
                <td className="num">{run.attempts}</td>
                <td>
                  {isActiveStatus(run.status) && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      disabled={run.cancel_requested}
                      onClick={() => cancel.mutate(run.id)}
                      aria-label={`Cancel ${run.title}`}
                    >
                      Cancel
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Leads to what the run was for, where that has a page. */
function Subject({ run }: { readonly run: RunOut }) {
  switch (run.kind) {
    case "fetch":
      return (
        <Link to="/uploads/$uploadId" params={{ uploadId: run.subject_id }}>
          {run.title}
        </Link>
      );
    case "ingest":
      return (
        <Link to="/workloads/$workloadId" params={{ workloadId: run.subject_id }}>
          {run.title}
        </Link>
      );
    case "simulate":
      return (
        <Link
          to="/compare"
          search={(previous) => ({ ...previous, check: run.subject_id })}
        >
          {run.title}
        </Link>
      );
    case "sweep":
      return (
        <Link to="/simulate" search={(previous) => sweepOf(previous, run.subject_id)}>
          {run.title}
        </Link>
      );
    case "miniature":
      return (
        <Link
          to="/simulate"
          search={(previous) => estimateOf(previous, run.subject_id)}
        >
          {run.title}
        </Link>
      );
    case "pool_split":
      return (
        <Link
          to="/pool-split"
          search={(previous) => ({ ...previous, split: run.subject_id })}
        >
          {run.title}
        </Link>
      );
    default:
      return run.title;
  }
}

function took(run: RunOut) {
  if (run.started_at === null) {
    return <Unknown reason="it has not started" />;
  }
  const end = run.finished_at === null ? Date.now() : Date.parse(run.finished_at);
  return formatSeconds(Math.max(0, (end - Date.parse(run.started_at)) / 1000));
}

function RunState({ run }: { readonly run: RunOut }) {
  if (run.status === "failed") {
    return (
      <Text size="sm">
        {run.error ?? "No reason was recorded."}
        {run.hint !== null && (
          <>
            {" "}
            <b>What to do:</b> {run.hint}
          </>
        )}
      </Text>
    );
  }
  if (!isActiveStatus(run.status)) {
    return <Text size="sm">{run.message ?? ""}</Text>;
  }
  const share = run.total === null || run.total === 0 ? null : run.done / run.total;
  return (
    <Text size="sm">
      {run.phase ?? "waiting"}
      {share === null ? "" : ` ${formatPercent(ratio(share))}`}, {progressText(run)}
    </Text>
  );
}
