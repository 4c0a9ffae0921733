import { Badge, Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import {
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
import {
  bytes,
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
            <DataTable
              label="All workloads"
              columns={COLUMNS}
              rows={workloads.data}
              rowKey={(workload) => workload.id}
            />
          )}
        </Panel>
      )}
    </Page>
  );
}

function WriteShare({ summary }: { readonly summary: SummaryOut }) {
  const { accesses, tells_writes, write_accesses } = summary;
  if (write_accesses === null) {
    return <Unknown reason="a curve does not contain writes" />;
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
