import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isActiveStatus } from "@/api/runs";
import {
  removeStudy,
  STUDIES_AT_ONCE,
  STUDIES_KEY,
  studiesQuery,
  type TransactionStudySummary,
} from "@/api/transaction-studies";
import { DataTable } from "@/components/data-table";
import { EmptyState } from "@/components/empty-state";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { Unknown } from "@/components/unknown";
import { counted, formatCount, formatDate } from "@/units/quantity";
import { studyAddress, whyNoAddress } from "./question";

/** What was replayed before: to be opened again, or deleted. */
export function StudiesPanel(props: { readonly shown: string | undefined }) {
  const [offset, setOffset] = useState(0);
  const { data, error, refetch } = useQuery(studiesQuery(offset));
  return (
    <Panel
      title="Kept replays"
      subtitle="Files of events that were replayed, newest first. The same file and inputs find the kept counts; deleting a replay leaves its file."
    >
      {error !== null && (
        <ProblemAlert
          error={error}
          title="The list could not be loaded"
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined ? (
        error === null && <Skeleton height={120} animate={false} />
      ) : data.items.length === 0 && offset === 0 ? (
        <EmptyState title="Nothing is kept yet">
          Choose a file of events above, or replay the worked example; what was counted
          is kept here.
        </EmptyState>
      ) : (
        <Studies studies={data.items} shown={props.shown} />
      )}
      {data !== undefined && (data.total > STUDIES_AT_ONCE || offset > 0) && (
        <Group gap="sm" mt="sm">
          <Button
            size="compact-sm"
            variant="default"
            disabled={offset === 0}
            onClick={() => setOffset(Math.max(0, offset - STUDIES_AT_ONCE))}
          >
            Newer
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={offset + STUDIES_AT_ONCE >= data.total}
            onClick={() => setOffset(offset + STUDIES_AT_ONCE)}
          >
            Older
          </Button>
          <Text size="sm" c="dimmed">
            {counted(data.total, "replay")} in all
          </Text>
        </Group>
      )}
    </Panel>
  );
}

const STATUS: Readonly<Record<TransactionStudySummary["status"], string>> = {
  queued: "Waiting",
  running: "Being replayed",
  succeeded: "Complete",
  failed: "Failed",
  cancelled: "Cancelled",
};

const sizesText = ({ ram_pages: sizes }: TransactionStudySummary) =>
  sizes.length === 0 ? null : sizes.map((size) => formatCount(size)).join(", ");

function Studies(props: {
  readonly studies: readonly TransactionStudySummary[];
  readonly shown: string | undefined;
}) {
  return (
    <DataTable
      label="Kept replays"
      columns={[
        {
          key: "Events",
          rowHeader: true,
          cell: (study) => <Opened study={study} />,
        },
        {
          key: "Number of events",
          cell: ({ events }) =>
            events === null ? (
              <Unknown reason="the file has not been read" />
            ) : (
              formatCount(events)
            ),
        },
        {
          key: "Buffers [pages]",
          align: "text",
          cell: (study) =>
            sizesText(study) ?? <Unknown reason="the file has not been read" />,
        },
        {
          key: "Systems",
          cell: ({ inputs }) => formatCount(inputs.systems?.length ?? 0),
        },
        { key: "State", align: "text", cell: ({ status }) => STATUS[status] },
        {
          key: "Replayed",
          align: "text",
          cell: ({ created_at }) => formatDate(created_at),
        },
        {
          key: "Actions",
          align: "text",
          cell: (study) => <Remove study={study} isShown={study.id === props.shown} />,
        },
      ]}
      rows={props.studies}
      rowKey={(study) => study.id}
    />
  );
}

const nameOf = (study: TransactionStudySummary) =>
  study.is_example ? "The worked example" : study.filename;

function Opened({ study }: { readonly study: TransactionStudySummary }) {
  const search = studyAddress(study);
  return search === null ? (
    <>
      {nameOf(study)} <Unknown reason={whyNoAddress(study)} />
    </>
  ) : (
    <Link to="/transactions" search={search}>
      {nameOf(study)}
    </Link>
  );
}

function Remove(props: {
  readonly study: TransactionStudySummary;
  readonly isShown: boolean;
}) {
  const { study, isShown } = props;
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeStudy(study.id),
    onSuccess: () => {
      // Asked again, the same inputs are replayed again: nothing may be read from what was known.
      queryClient.removeQueries({
        queryKey: ["transaction-studies"],
        type: "inactive",
      });
      showToast(`Deleted: ${nameOf(study)}`);
    },
    onError: () =>
      showToast(
        `${nameOf(study)} could not be deleted; cancel its run first, or try again.`,
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: STUDIES_KEY }),
  });
  const why = isShown
    ? "It is shown on this page: open another one first"
    : isActiveStatus(study.status)
      ? "It is being replayed: cancel it first"
      : undefined;
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={remove.isPending}
      disabled={why !== undefined}
      title={why}
      aria-label={`Delete the replay of ${nameOf(study)}`}
      onClick={() => remove.mutate()}
    >
      Delete
    </Button>
  );
}
