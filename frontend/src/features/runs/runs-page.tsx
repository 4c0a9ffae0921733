import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { isActiveStatus, type RunOut, runsQuery, useCancelRun } from "@/api/runs";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { progressText, statusText } from "@/components/run-progress";
import { Unknown } from "@/components/unknown";
import { estimateOf, sweepOf } from "@/questions/simulate";
import {
  counted,
  formatDate,
  formatPercent,
  formatSeconds,
  ratio,
} from "@/units/quantity";
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
  response_replay: "Response times on simulated time",
  category_counts: "Requests by category",
  advice_check: "Check of an advice by replay",
  quote_ranking: "Ranking of quotes",
  transaction_study: "Replay of transactions",
};

export function RunsPage() {
  const runs = useQuery(runsQuery());
  return (
    <Page title="Runs" lead="Current and past computations, newest first.">
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
              Imports of traces, checks by simulation and other long computations are
              listed here.
            </EmptyState>
          ) : (
            <RunTable runs={runs.data.items} total={runs.data.total} />
          )}
        </Panel>
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<RunOut>[] = [
  {
    key: "Task",
    rowHeader: true,
    cell: (run) => (
      <>
        <Subject run={run} />
        <Text size="sm" c="dimmed">
          {KIND_TITLES[run.kind]}
        </Text>
      </>
    ),
  },
  { key: "Status", align: "text", cell: statusText },
  {
    key: "Progress",
    align: "text",
    cell: (run) => <RunState run={run} />,
    cellProps: () => ({ className: classes["progress"] }),
  },
  {
    key: "Started",
    align: "text",
    cell: (run) =>
      run.started_at === null ? (
        <Unknown reason="it is waiting for a worker" />
      ) : (
        formatDate(run.started_at)
      ),
  },
  { key: "Duration", cell: took },
  { key: "Attempts", cell: (run) => run.attempts },
];

function RunTable(props: { readonly runs: readonly RunOut[]; readonly total: number }) {
  const cancel = useCancelRun();
  return (
    <>
      {cancel.error !== null && (
        <ProblemAlert error={cancel.error} title="The run was not cancelled" />
      )}
      <DataTable
        label="All runs"
        {...(props.total > props.runs.length
          ? {
              caption: `The newest ${props.runs.length} of ${counted(props.total, "run")}.`,
            }
          : {})}
        columns={[
          ...COLUMNS,
          {
            key: "Actions",
            align: "text",
            head: <span className={classes["hidden"]}>Actions</span>,
            cell: (run) =>
              isActiveStatus(run.status) && (
                <Button
                  size="compact-sm"
                  variant="default"
                  disabled={run.cancel_requested}
                  onClick={() => cancel.mutate(run.id)}
                  aria-label={`Cancel ${run.title}`}
                >
                  Cancel
                </Button>
              ),
          },
        ]}
        rows={props.runs}
        rowKey={(run) => run.id}
      />
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
    return <Unknown reason="it has not started yet" />;
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
