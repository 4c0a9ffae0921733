import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { type SummaryOut, workloadsQuery } from "@/api/workloads";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { type AnalysisState, completeState } from "./state";
import { useAnalysis } from "./use-analysis";

/** What the answer of an analysis page is made from. */
export interface AnalysisInputs {
  readonly state: AnalysisState;
  readonly name: string;
  readonly summary: SummaryOut;
}

interface AnalysisPageProps {
  readonly title: string;
  readonly lead: string;
  /** Of what stands here until the inputs are known. [px] */
  readonly height: number;
  /** What to do where no workload is ready. */
  readonly empty: ReactNode;
  /** Made anew for each workload. */
  readonly view: (inputs: AnalysisInputs) => ReactNode;
}

/** A page that answers a question on one workload and the hardware chosen. */
export function AnalysisPage({ title, lead, height, empty, view }: AnalysisPageProps) {
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
    <Page title={title} lead={lead}>
      {error !== null && (
        <ProblemAlert error={error} title="The inputs could not be loaded" />
      )}
      {isPending && <Skeleton height={height} animate={false} />}
      {!isPending && error === null && workload?.summary == null && (
        <Panel>
          <EmptyState title="No workload is ready here">{empty}</EmptyState>
        </Panel>
      )}
      {state !== null &&
        workload?.summary != null &&
        view({ state, name: workload.name, summary: workload.summary })}
    </Page>
  );
}
