import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRun } from "@/api/runs";
import { createJoined, joinedQuery } from "@/api/scaling";
import type { WorkloadOut } from "@/api/workloads";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { bytes, counted, formatBytes } from "@/units/quantity";
import { joinedWith } from "./production-form";

/** The pages of production where they are larger than the recorded ones: made on request, then used. */
export function JoinedPages(props: {
  readonly workload: WorkloadOut;
  readonly recordedBytes: number;
  readonly pageBytes: number;
  /** What is shown once the pages are there. */
  readonly children: ReactNode;
}) {
  const { workload, recordedBytes, pageBytes, children } = props;
  const queryClient = useQueryClient();
  const joined = useQuery(joinedQuery(workload.id));
  const create = useMutation({
    mutationFn: () => createJoined(workload.id, pageBytes),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["workloads"] }),
  });
  if (joined.data === undefined) {
    return joined.error === null ? (
      <Skeleton height={120} animate={false} />
    ) : (
      <ProblemAlert error={joined.error} title="The pages could not be looked up" />
    );
  }
  const found = joinedWith(joined.data.items, pageBytes);
  if (found?.status === "ready") {
    return (
      <>
        <Text size="sm">
          Evaluated with pages of {formatBytes(bytes(pageBytes))}, those of{" "}
          <Link to="/workloads/$workloadId" params={{ workloadId: found.id }}>
            {found.name}
          </Link>
          .
        </Text>
        {children}
      </>
    );
  }
  const active = found?.status === "queued" || found?.status === "running";
  return (
    <Stack gap="sm">
      <Text size="sm" aria-live="polite">
        {waitingText(recordedBytes, pageBytes, active)}
      </Text>
      {found?.run != null && <Followed run={found.run} />}
      {!active && (
        <Group>
          <Button loading={create.isPending} onClick={() => create.mutate()}>
            Join pages
          </Button>
        </Group>
      )}
      {create.error !== null && (
        <ProblemAlert error={create.error} title="The pages were not joined" />
      )}
    </Stack>
  );
}

function Followed({ run }: { readonly run: NonNullable<WorkloadOut["run"]> }) {
  return <RunProgress run={useRun(run.id, run).data ?? run} />;
}

/** Why nothing is computed yet, and what joining does. */
function waitingText(recorded: number, page: number, active: boolean): string {
  const pages = counted(
    page / recorded,
    "neighbouring recorded page",
    "neighbouring recorded pages",
  );
  return active
    ? `The trace is being read again: a page of ${formatBytes(bytes(page))} holds ${pages}. This production is computed as soon as that is done.`
    : `A page of ${formatBytes(bytes(page))} holds ${pages} of one relation or device. Which accesses fall on one page then, only the trace shows, so it has to be read again.`;
}
