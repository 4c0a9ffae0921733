import { Badge, Button, Checkbox, Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import {
  isComposed,
  isDescribed,
  type SummaryOut,
  type WorkloadOut,
  workloadsQuery,
} from "@/api/workloads";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Unknown } from "@/components/unknown";
import { UploadZone } from "@/components/upload-zone";
import { MOST_WORKLOADS, writeMembers } from "@/questions/members";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatDate,
  formatPercent,
  ratio,
} from "@/units/quantity";

export function WorkloadsPage() {
  const workloads = useQuery(workloadsQuery());
  return (
    <Page
      title="Workloads"
      lead="A workload is a trace of page accesses, read once and profiled for every cache size; or a profile, a curve or a description in its place."
      actions={
        <>
          <Button
            variant="default"
            renderRoot={(rest) => <Link to="/given-curve" {...rest} />}
          >
            Paste a curve
          </Button>
          <Button
            variant="default"
            renderRoot={(rest) => <Link to="/describe" {...rest} />}
          >
            Describe a workload
          </Button>
        </>
      }
    >
      <UploadZone />
      {workloads.error !== null && (
        <ProblemAlert
          error={workloads.error}
          title="The list could not be loaded"
          onRetry={() => void workloads.refetch()}
        />
      )}
      {workloads.isPending && <Skeleton height={220} animate={false} />}
      {workloads.data !== undefined && (
        <Panel label="All workloads">
          {workloads.data.length === 0 ? (
            <EmptyState title="No workload yet">
              Drop a trace above. If you have no trace, the page “Start” shows the
              worked example as soon as it is prepared.
            </EmptyState>
          ) : (
            <Choice workloads={workloads.data} />
          )}
        </Panel>
      )}
    </Page>
  );
}

const LEAST_TOGETHER = 2;

/** All workloads, of which several can be put on one machine. */
function Choice({ workloads }: { readonly workloads: readonly WorkloadOut[] }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const there = chosen.filter((id) => workloads.some((workload) => workload.id === id));
  const columns = useMemo(
    () => [
      selectColumn(chosen, (id, isChosen) =>
        setChosen((previous) =>
          isChosen ? [...previous, id] : previous.filter((one) => one !== id),
        ),
      ),
      ...COLUMNS,
    ],
    [chosen],
  );
  return (
    <>
      <Group mb="sm" gap="sm">
        {there.length < LEAST_TOGETHER || there.length > MOST_WORKLOADS ? (
          <Button variant="default" disabled>
            Put on one machine
          </Button>
        ) : (
          <Button
            renderRoot={(rest) => (
              <Link
                to="/workloads/compose"
                search={(previous) => ({
                  ...previous,
                  of: writeMembers(there.map((id) => ({ id, rate: null }))),
                })}
                {...rest}
              />
            )}
          >
            Put on one machine
          </Button>
        )}
        <Text size="sm" c="dimmed" aria-live="polite">
          {choiceText(there.length)}
        </Text>
      </Group>
      <DataTable
        label="All workloads"
        columns={columns}
        rows={workloads}
        rowKey={(workload) => workload.id}
      />
    </>
  );
}

/** What the choice still needs, or what it is. */
export function choiceText(count: number): string {
  if (count > MOST_WORKLOADS) {
    return `${counted(count, "workload")} selected; at most ${MOST_WORKLOADS} can share a machine`;
  }
  if (count < LEAST_TOGETHER) {
    return count === 0
      ? "Select two workloads or more to see what they miss in one cache"
      : "1 workload selected; select another one";
  }
  return `${counted(count, "workload")} selected`;
}

const selectColumn = (
  chosen: readonly string[],
  onChange: (id: string, isChosen: boolean) => void,
): Column<WorkloadOut> => ({
  key: "Select",
  align: "text",
  cell: (workload) => (
    <Checkbox
      aria-label={`Select ${workload.name}`}
      disabled={workload.status !== "ready"}
      checked={chosen.includes(workload.id)}
      onChange={(event) => onChange(workload.id, event.currentTarget.checked)}
    />
  ),
});

function WriteShare({ summary }: { readonly summary: SummaryOut }) {
  const { accesses, tells_writes, write_accesses } = summary;
  if (write_accesses === null) {
    return (
      <Unknown
        reason={
          isComposed(summary)
            ? "one of its workloads does not contain writes"
            : "a curve does not contain writes"
        }
      />
    );
  }
  if (!tells_writes) {
    return <Unknown reason="the trace does not distinguish writes from reads" />;
  }
  return formatPercent(ratio(write_accesses / Math.max(1, accesses)));
}

/** What is known once the trace has been read. */
const ofSummary = (
  workload: WorkloadOut,
  show: (summary: SummaryOut) => ReactNode,
): ReactNode =>
  workload.summary === null ? (
    <Unknown reason={`the trace is ${workload.status}, not read yet`} />
  ) : (
    show(workload.summary)
  );

const COLUMNS: readonly Column<WorkloadOut>[] = [
  {
    key: "Name",
    rowHeader: true,
    cell: (workload) => <WorkloadName workload={workload} />,
  },
  { key: "Status", align: "text", cell: (workload) => workload.status },
  {
    key: "Accesses",
    cell: (workload) => ofSummary(workload, (summary) => formatCount(summary.accesses)),
  },
  {
    key: "Distinct pages",
    cell: (workload) =>
      ofSummary(workload, (summary) => formatCount(summary.distinct_pages)),
  },
  {
    key: "Footprint",
    cell: (workload) =>
      ofSummary(workload, (summary) => formatBytes(bytes(summary.footprint_bytes))),
  },
  {
    key: "Writes",
    cell: (workload) =>
      ofSummary(workload, (summary) => <WriteShare summary={summary} />),
  },
  {
    key: "Format",
    align: "text",
    cell: (workload) =>
      workload.summary?.format ??
      workload.format ??
      ofSummary(workload, (summary) => summary.format),
  },
  {
    key: "Added",
    align: "text",
    cell: (workload) => formatDate(workload.created_at),
  },
];

/** From what a workload without a trace was made. */
function originOf(summary: SummaryOut): string {
  if (summary.kind === "profile") {
    return "profile";
  }
  if (isComposed(summary)) {
    return "composed";
  }
  return isDescribed(summary) ? "described" : "given curve";
}

function WorkloadName({ workload }: { readonly workload: WorkloadOut }) {
  const { summary } = workload;
  return (
    <>
      <Link to="/workloads/$workloadId" params={{ workloadId: workload.id }}>
        {workload.name}
      </Link>
      {workload.example && (
        <Badge size="sm" variant="default" ml={8}>
          example
        </Badge>
      )}
      {summary !== null && summary.kind !== "trace" && (
        <Badge size="sm" variant="default" ml={8}>
          {originOf(summary)}
        </Badge>
      )}
    </>
  );
}
