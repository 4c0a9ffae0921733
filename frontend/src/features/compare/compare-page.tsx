import { Anchor, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { completeState } from "@/analysis/state";
import { useAnalysis } from "@/analysis/use-analysis";
import { useRun } from "@/api/runs";
import { workloadsQuery } from "@/api/workloads";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { CompareView } from "./compare-view";

const LEAD =
  "Where do pages live, and which copies are kept? The same workload under every page-flow scheme, at the sizes below.";

export function ComparePage() {
  const { state, search, isPending, error, patch } = useAnalysis();
  const workloads = useQuery(workloadsQuery()).data;
  const complete = completeState(search) !== null;

  // The address always states the whole question, so that it is a link.
  useEffect(() => {
    if (state !== null && !complete) {
      patch({ ...state });
    }
  }, [state, complete, patch]);

  const workload = workloads?.find((candidate) => candidate.id === state?.workload);
  return (
    <Page title="Compare page-flow schemes" lead={LEAD}>
      {error !== null && (
        <ProblemAlert error={error} title="The inputs could not be loaded" />
      )}
      {isPending && <CompareSkeleton />}
      {!isPending && error === null && state === null && <NothingToCompare />}
      {state !== null && workload === undefined && (
        <Panel>
          <EmptyState title={`There is no workload with the id ${state.workload}`}>
            It may have been deleted. Choose another one in the Workload chip above, or{" "}
            <Anchor component={Link} to="/workloads">
              upload a trace
            </Anchor>
            .
          </EmptyState>
        </Panel>
      )}
      {state !== null && workload?.summary && (
        <CompareView
          state={state}
          check={search.check}
          dirtyShare={search.dirty_share}
          metadata={search.metadata}
          patch={patch}
          workload={workload}
          summary={workload.summary}
        />
      )}
      {workload !== undefined && workload.summary === null && (
        <NotReady runId={workload.run?.id ?? null} name={workload.name} />
      )}
    </Page>
  );
}

function NothingToCompare() {
  return (
    <Panel>
      <EmptyState title="No workload is ready yet">
        Comparing needs a trace that has been read.{" "}
        <Anchor component={Link} to="/workloads">
          Upload one
        </Anchor>
        , or wait until the worked example on the{" "}
        <Anchor component={Link} to="/">
          start page
        </Anchor>{" "}
        is prepared.
      </EmptyState>
    </Panel>
  );
}

function NotReady(props: { readonly runId: string | null; readonly name: string }) {
  const run = useRun(props.runId).data;
  return (
    <Panel title={`${props.name} is not ready`}>
      {run === undefined ? <Skeleton height={60} /> : <RunProgress run={run} />}
    </Panel>
  );
}

function CompareSkeleton() {
  return (
    <Stack>
      <Skeleton height={128} animate={false} />
      <Skeleton height={420} animate={false} />
    </Stack>
  );
}
