import { Badge, Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type SummaryOut, type WorkloadOut, workloadsQuery } from "@/api/workloads";
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
      lead="A workload is a trace of page accesses, read once and profiled for every cache size; or a profile or a curve in its place."
      actions={
        <Button
          variant="default"
          renderRoot={(rest) => <Link to="/given-curve" {...rest} />}
        >
          Paste a curve
        </Button>
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
            <WorkloadTable workloads={workloads.data} />
          )}
        </Panel>
      )}
    </Page>
  );
}

function WorkloadTable({ workloads }: { readonly workloads: readonly WorkloadOut[] }) {
  return (
    <div className="tw-scroll">
      <table className="tw-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Status</th>
            <th scope="col" className="num">
              Accesses
            </th>
            <th scope="col" className="num">
              Distinct pages
            </th>
            <th scope="col" className="num">
              Footprint
            </th>
            <th scope="col" className="num">
              Writes <span className="tw-unit">[%]</span>
            </th>
            <th scope="col">Format</th>
            <th scope="col">Added</th>
          </tr>
        </thead>
        <tbody>
          {workloads.map((workload) => (
            <WorkloadRow key={workload.id} workload={workload} />
          ))}
        </tbody>
      </table>
    </div>
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
  return formatPercent(ratio(write_accesses / Math.max(1, accesses))).replace(" %", "");
}

function WorkloadRow({ workload }: { readonly workload: WorkloadOut }) {
  const { summary } = workload;
  const unknown = <Unknown reason={`the trace is ${workload.status}, not read yet`} />;
  return (
    <tr>
      <th scope="row">
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
            {summary.kind === "curve" ? "given curve" : "profile"}
          </Badge>
        )}
      </th>
      <td>{workload.status}</td>
      <td className="num">
        {summary === null ? unknown : formatCount(summary.accesses)}
      </td>
      <td className="num">
        {summary === null ? unknown : formatCount(summary.distinct_pages)}
      </td>
      <td className="num">
        {summary === null ? unknown : formatBytes(bytes(summary.footprint_bytes))}
      </td>
      <td className="num">
        {summary === null ? unknown : <WriteShare summary={summary} />}
      </td>
      <td>{summary?.format ?? workload.format ?? unknown}</td>
      <td>{formatDate(workload.created_at)}</td>
    </tr>
  );
}
