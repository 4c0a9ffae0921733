import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { answer, ifMatch } from "@/api/client";
import { deleteWorkload, renameWorkload } from "@/api/gen/sdk.gen";
import { isActiveStatus, useRun } from "@/api/runs";
import {
  isComposed,
  isDescribed,
  readAgain,
  type SummaryOut,
  type WorkloadOut,
  workloadQuery,
} from "@/api/workloads";
import { FromCounters } from "@/components/counters-note";
import { DeleteButton } from "@/components/delete-button";
import { EvidencePanel } from "@/components/evidence";
import { NeedsTrace, originOf } from "@/components/needs-trace";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RenameButton } from "@/components/rename-button";
import { RunProgress } from "@/components/run-progress";
import { useSessionDraft } from "@/components/use-session-draft";
import { formatDate } from "@/units/quantity";
import { CombineMeasurements } from "./combine-measurements";
import { ComposedOf } from "./composed-of";
import { Configurations } from "./configurations";
import { Production } from "./production";
import {
  countedProduction,
  EMPTY_PRODUCTION,
  type ProductionForm,
  unusedProduction,
} from "./production-form";
import { Profile } from "./profile";
import { QuestionLinks, UnusedProduction, useProductionQuestion } from "./questions-of";
import { ConversionLog, SummaryFigures } from "./summary-figures";

export function WorkloadPage() {
  const { workloadId = "" } = useParams({ strict: false });
  const { workload: chosen } = useSearch({ strict: false });
  const navigate = useNavigate();
  const workload = useQuery(workloadQuery(workloadId));

  // The question goes on with the workload that is looked at; sizes are its own.
  useEffect(() => {
    if (chosen !== workloadId) {
      void navigate({
        to: ".",
        replace: true,
        search: (previous) => ({
          ...previous,
          workload: workloadId,
          ram_pages: undefined,
          flash_pages: undefined,
          check: undefined,
        }),
      });
    }
  }, [chosen, workloadId, navigate]);

  if (workload.data === undefined) {
    return (
      <Page title="Workload">
        {workload.error === null ? (
          <Skeleton height={500} animate={false} />
        ) : (
          <ProblemAlert
            error={workload.error}
            title="This workload could not be loaded"
          />
        )}
      </Page>
    );
  }
  const { id, summary } = workload.data;
  // What a workload states by itself is filled in once it is there.
  return (
    <WorkloadView
      key={`${id} ${summary === null ? "awaited" : "read"}`}
      workload={workload.data}
    />
  );
}

/** What is there in place of a file. */
function originText({ summary }: WorkloadOut): string {
  if (summary !== null && isDescribed(summary)) {
    return "Described in numbers, not measured: every answer rests on the description";
  }
  return summary !== null && isComposed(summary)
    ? "One cache that several workloads share, computed from their curves"
    : "A curve in place of a trace";
}

function WorkloadView({ workload }: { readonly workload: WorkloadOut }) {
  const { summary } = workload;
  const [form, setForm] = useSessionDraft<ProductionForm>(
    `production ${workload.id}`,
    summary === null ? EMPTY_PRODUCTION : countedProduction(summary),
  );
  const production = unusedProduction(summary, form);
  const asking = useProductionQuestion({ workload, production });
  return (
    <Page
      title={workload.name}
      lead={
        <>
          {leadOf(workload)}
          {", "}
          added {formatDate(workload.created_at)}
        </>
      }
      actions={
        <>
          {workload.status === "ready" && (
            <QuestionLinks production={production} asking={asking} />
          )}
          <RenameWorkload workload={workload} />
          {/* The server keeps what it brings along. */}
          {!workload.example && <DeleteWorkload workload={workload} />}
        </>
      }
    >
      {workload.status !== "ready" && <Ingesting workload={workload} />}
      {workload.status === "ready" && (
        <UnusedProduction workload={workload} production={production} asking={asking} />
      )}
      {workload.same_content_as.length > 0 && (
        <Alert
          color="indigo"
          variant="outline"
          title="Same content as another workload"
        >
          <Text size="sm">
            {workload.summary?.kind === "trace"
              ? "The accesses are identical to those of "
              : "The document is identical to that of "}
            {workload.same_content_as.map((id, index) => (
              <span key={id}>
                {index > 0 ? ", " : ""}
                <Link to="/workloads/$workloadId" params={{ workloadId: id }}>
                  {id}
                </Link>
              </span>
            ))}
            , so it is stored once and has the same curves.
          </Text>
        </Alert>
      )}
      {workload.summary !== null && (
        <>
          {workload.summary.evidence != null && (
            <EvidencePanel evidence={workload.summary.evidence} />
          )}
          <CombineMeasurements workload={workload} />
          <SummaryFigures summary={workload.summary} />
          {workload.summary.warnings.map((warning) => (
            <Alert
              key={`${warning.name} ${warning.message}`}
              color="orange"
              styles={{ title: { color: "var(--tw-warn)" } }}
              variant="outline"
              title="Note on these numbers"
            >
              <Text size="sm">
                {warning.message} {warning.hint ?? ""}
              </Text>
            </Alert>
          ))}
        </>
      )}
      <FromCounters evidence={workload.summary?.evidence}>
        <Beyond workload={workload} form={form} setForm={setForm} />
      </FromCounters>
      {workload.status === "ready" && workload.summary !== null && (
        <FromCounters evidence={workload.summary.evidence}>
          <Profile
            workloadId={workload.id}
            name={workload.name}
            summary={workload.summary}
          />
        </FromCounters>
      )}
      {workload.summary !== null && workload.summary.kind !== "trace" && (
        <NeedsTrace
          kind={originOf(workload.summary)}
          scaledFrom={workload.summary.scaled_from}
          replayable={workload.summary.replayable}
          title="What this workload cannot answer"
        >
          {unanswered(workload.summary)}
        </NeedsTrace>
      )}
      {workload.summary !== null && (
        <ConversionLog workload={workload} summary={workload.summary} />
      )}
    </Page>
  );
}

/** What a workload without accesses of its own shows nothing of. */
function unanswered(summary: SummaryOut): string {
  if (summary.replayable) {
    return summary.has_summaries
      ? "Curves over time, and devices or relations one by one. Sweeps, estimates, pool splits and checks replay its recording at the sizes that correspond."
      : "Change over time, sequentiality and popularity of pages. Sweeps, estimates, pool splits and checks replay its recording at the sizes that correspond.";
  }
  return summary.has_summaries
    ? "Curves over time, devices or relations one by one, and everything that is replayed: checks by simulation, sweeps and pool splits."
    : "Change over time, sequentiality, popularity of pages, and everything that is replayed: checks by simulation, sweeps and pool splits.";
}

/** What the workload was composed of, the production that it is or could be, and what can be bought for that. */
function Beyond(props: {
  readonly workload: WorkloadOut;
  readonly form: ProductionForm;
  readonly setForm: (form: ProductionForm) => void;
}) {
  const { workload } = props;
  const { summary } = workload;
  if (summary === null) {
    return null;
  }
  return (
    <>
      {isComposed(summary) && <ComposedOf summary={summary} />}
      {workload.status === "ready" && summary.scaled_parts === null && (
        <Production {...props} />
      )}
      {summary.production != null && <Configurations workload={workload} />}
    </>
  );
}

function leadOf(workload: WorkloadOut): string {
  if (workload.example) {
    return "The worked example that comes with Tierwright";
  }
  const from = workload.summary?.scaled_from;
  return from != null
    ? `Scaled from ${from.name}`
    : (workload.filename ?? originText(workload));
}

function Ingesting({ workload }: { readonly workload: WorkloadOut }) {
  const queryClient = useQueryClient();
  const run = useRun(workload.run?.id ?? null, workload.run).data;
  const ended = run !== undefined && !isActiveStatus(run.status);
  const again = useMutation({
    mutationFn: () => readAgain(workload.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["workloads"] }),
  });
  useEffect(() => {
    if (ended) {
      void queryClient.invalidateQueries({ queryKey: ["workloads"] });
    }
  }, [ended, queryClient]);
  return (
    <Panel title={ended ? "This trace was not imported" : "Importing the trace"}>
      <Stack>
        {run === undefined ? (
          <Skeleton height={60} animate={false} />
        ) : (
          <RunProgress run={run} />
        )}
        {ended && run.status !== "succeeded" && workload.upload_id !== null && (
          <Group>
            <Button loading={again.isPending} onClick={() => again.mutate()}>
              Read it again
            </Button>
            <Button
              variant="default"
              renderRoot={(rest) => (
                <Link
                  to="/uploads/$uploadId"
                  params={{ uploadId: workload.upload_id ?? "" }}
                  {...rest}
                />
              )}
            >
              Back to the preview of this upload
            </Button>
            <Text size="sm" c="dimmed">
              The file is still stored: you do not need to upload it again.
            </Text>
          </Group>
        )}
        {again.error !== null && (
          <ProblemAlert error={again.error} title="The import was not started" />
        )}
      </Stack>
    </Panel>
  );
}

function RenameWorkload({ workload }: { readonly workload: WorkloadOut }) {
  return (
    <RenameButton
      what="workload"
      name={workload.name}
      queryKey={["workloads"]}
      rename={(name) =>
        answer(
          renameWorkload({
            path: { workload_id: workload.id },
            body: { name },
            ...ifMatch(workload.etag),
            throwOnError: true,
          }),
        )
      }
    />
  );
}

function DeleteWorkload({ workload }: { readonly workload: WorkloadOut }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <DeleteButton
      what="workload"
      name={workload.name}
      consequence={`${workload.name}, its curves and its checks will be deleted. Scenarios that use it stay in the list but can no longer be computed.`}
      remove={() =>
        answer(
          deleteWorkload({ path: { workload_id: workload.id }, throwOnError: true }),
        )
      }
      onRemoved={async () => {
        await navigate({
          to: "/workloads",
          search: (previous) => ({
            ...previous,
            workload: undefined,
            ram_pages: undefined,
            flash_pages: undefined,
            check: undefined,
          }),
        });
        await queryClient.invalidateQueries({ queryKey: ["workloads"] });
      }}
    />
  );
}
