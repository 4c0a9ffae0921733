import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import type { Asks } from "@/api/gen/types.gen";
import { useRun } from "@/api/runs";
import {
  replaysOf,
  type SummaryOut,
  type WorkloadOut,
  workloadsQuery,
} from "@/api/workloads";
import { FromCounters } from "@/components/counters-note";
import { EmptyState } from "@/components/empty-state";
import { NeedsTrace, originOf } from "@/components/needs-trace";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { KeepQuestion } from "./keep-question";
import { KeptAnswer } from "./kept-answer";
import { type AnalysisSearch, type AnalysisState, completeState } from "./point";
import { parseQuestion, type Question } from "./registry";
import { useAnalysis } from "./use-analysis";

/** What the answer of an analysis page is made from. */
export interface AnalysisInputs {
  readonly state: AnalysisState;
  readonly name: string;
  readonly workload: WorkloadOut;
  readonly summary: SummaryOut;
  /** What is asked here, of which a scenario keeps the answer. */
  readonly asks: Asks | null;
}

/** What is asked at an address, of which the answer is kept with a scenario. */
export interface AskedAt {
  readonly state: AnalysisState;
  /** What the page reads in the address. */
  readonly search: Record<string, unknown>;
  readonly summary: SummaryOut;
}

interface AnalysisPageProps {
  readonly question: Question;
  readonly title: string;
  readonly lead: string;
  /** On a phone the answer has to come first. */
  readonly isBriefOnPhones?: boolean;
  /** Of what stands here until the inputs are known. [px] */
  readonly height: number;
  /** What the answer follows from, for a reader who has no workload yet. */
  readonly empty: string;
  /** The requests whose answers a saved scenario keeps. */
  readonly asks?: (asked: AskedAt) => Asks | null;
  /** The answer takes a job, beside which the view shows what was saved. */
  readonly hasJob?: boolean;
  /** Said in place of the answer where it takes a trace and there is none. */
  readonly untraced?: { readonly title: string; readonly text: string };
  /** The recording of a workload that was scaled to production is replayed for it. */
  readonly forProduction?: boolean;
  /** A result that the address names, where the question is taken from it. */
  readonly opening?: {
    readonly isOpening: boolean;
    readonly error: unknown;
    readonly title: string;
  };
  /** Made anew for each workload. */
  readonly view: (inputs: AnalysisInputs) => ReactNode;
}

/** A page that answers a question on one workload and the hardware chosen. */
export function AnalysisPage(props: AnalysisPageProps) {
  const { question, opening } = props;
  const { state, search, isPending, error, patch } = useAnalysis();
  const workloads = useQuery(workloadsQuery()).data;
  const isOpening = opening?.isOpening ?? false;
  useCompleteAddress(state, search, isOpening, patch);
  // An address may name a workload that is not ready, so that no state can be filled.
  const named = state?.workload ?? search.workload;
  const workload = workloads?.find((candidate) => candidate.id === named);
  const asks = (search: Record<string, unknown>): Asks | null => {
    const parsed = parseQuestion(question, search);
    const complete = completeState(parsed);
    return complete === null || workload?.summary == null || props.asks === undefined
      ? null
      : props.asks({ state: complete, search: parsed, summary: workload.summary });
  };
  const isReady = state !== null && workload?.summary != null && !isOpening;
  return (
    <Page
      title={props.title}
      lead={props.lead}
      isBriefOnPhones={props.isBriefOnPhones ?? false}
      actions={
        isReady ? (
          <KeepQuestion question={question} workload={workload} asks={asks} />
        ) : undefined
      }
    >
      {error !== null && (
        <ProblemAlert error={error} title="The inputs could not be loaded" />
      )}
      {opening != null && opening.error !== null && (
        <ProblemAlert error={opening.error} title={opening.title} />
      )}
      {(isPending || isOpening) && <Skeleton height={props.height} animate={false} />}
      {!isPending && !isOpening && error === null && (
        <WorkloadState
          named={named}
          workload={workload}
          hasDevices={state !== null}
          empty={props.empty}
        />
      )}
      {isReady && workload.summary !== null && (
        <FromCounters evidence={workload.summary.evidence}>
          <Answered
            key={workload.id}
            page={props}
            inputs={{
              state,
              name: workload.name,
              workload,
              summary: workload.summary,
              asks: asks(search),
            }}
          />
        </FromCounters>
      )}
    </Page>
  );
}

/** What was saved and what is answered now; or why there is no answer. */
function Answered(props: {
  readonly page: AnalysisPageProps;
  readonly inputs: AnalysisInputs;
}) {
  const { inputs } = props;
  const { question, untraced, hasJob, forProduction, view } = props.page;
  const replays = replaysOf(inputs.summary);
  const isReplayed =
    replays === "trace" || (forProduction === true && replays === "recording");
  const kept = <KeptAnswer question={question} asks={inputs.asks} />;
  if (untraced !== undefined && !isReplayed) {
    return (
      <>
        {kept}
        <NeedsTrace
          kind={originOf(inputs.summary)}
          scaledFrom={inputs.summary.scaled_from}
          title={untraced.title}
        >
          {untraced.text}
        </NeedsTrace>
      </>
    );
  }
  return (
    <>
      {hasJob !== true && kept}
      {view(inputs)}
    </>
  );
}

/** The address always states the whole question, so that it is a link. */
function useCompleteAddress(
  state: AnalysisState | null,
  search: AnalysisSearch,
  isOpening: boolean,
  patch: (change: AnalysisSearch) => void,
) {
  const complete = completeState(search) !== null;
  // Usual values must not overtake those of a result that is being opened.
  useEffect(() => {
    if (state !== null && !complete && !isOpening) {
      patch({ ...state });
    }
  }, [state, complete, patch, isOpening]);
}

/** Says what stands in the way where the workload has nothing to answer from. */
function WorkloadState(props: {
  readonly named: string | undefined;
  readonly workload: WorkloadOut | undefined;
  readonly hasDevices: boolean;
  readonly empty: string;
}) {
  const { named, workload } = props;
  if (workload?.summary === null) {
    return <NotReady workload={workload} />;
  }
  if (workload !== undefined) {
    return props.hasDevices ? null : (
      <Panel>
        <EmptyState title="No device fits">
          There is no flash or no disk device whose service times are known. Choose one
          in the Hardware chip above, or add your own on the page Hardware.
        </EmptyState>
      </Panel>
    );
  }
  const upload = (
    <Anchor component={Link} to="/workloads" underline="always">
      upload a trace
    </Anchor>
  );
  return (
    <Panel>
      {named === undefined ? (
        <EmptyState title="No workload is ready yet">
          {props.empty} Choose an imported workload in the chip above, {upload}, or wait
          until the worked example on the start page is prepared.
        </EmptyState>
      ) : (
        <EmptyState title={`There is no workload with the id ${named}`}>
          It may have been deleted. Choose another one in the Workload chip above, or{" "}
          {upload}.
        </EmptyState>
      )}
    </Panel>
  );
}

function NotReady({ workload }: { readonly workload: WorkloadOut }) {
  const run = useRun(workload.run?.id ?? null).data;
  return (
    <Panel title={`${workload.name} is not ready`}>
      {workload.run === null ? (
        <Text size="sm">Its trace was never imported. Upload it again.</Text>
      ) : run === undefined ? (
        <Skeleton height={60} animate={false} />
      ) : (
        <RunProgress run={run} />
      )}
    </Panel>
  );
}
