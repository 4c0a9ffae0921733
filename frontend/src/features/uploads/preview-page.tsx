import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer } from "@/api/client";
import { createWorkload, getUpload } from "@/api/gen/sdk.gen";
import type { ImportOut } from "@/api/gen/types.gen";
import { toProblem } from "@/api/problem";
import {
  discardUpload,
  type PreviewOut,
  previewQuery,
  type UploadOut,
} from "@/api/uploads";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { useSessionDraft } from "@/components/use-session-draft";
import { AlreadyImported } from "./already-imported";
import { FetchPanel } from "./fetch-panel";
import { FormatChoice } from "./format-choice";
import { MappingForm } from "./mapping-form";
import { PreviewFindings } from "./preview-findings";
import { ReadForm } from "./read-form";
import {
  candidatesIn,
  columnsIn,
  EMPTY_MAPPING,
  isTable,
  mappingFaults,
  nameOfFile,
  type ReadDraft,
  readOptions,
  TEXT_TABLE,
  tableFormatIn,
} from "./read-options";

export function PreviewPage() {
  const { uploadId = "" } = useParams({ strict: false });
  const upload = useQuery({
    queryKey: ["uploads", uploadId],
    queryFn: ({ signal }) =>
      answer(getUpload({ signal, path: { upload_id: uploadId }, throwOnError: true })),
  });
  return (
    <Page
      title="How this trace is read"
      lead="Check the first records, correct the settings, then import the trace. Nothing is computed until you confirm."
    >
      {upload.isPending && <Skeleton height={400} animate={false} />}
      {upload.error !== null && (
        <>
          <ProblemAlert error={upload.error} title="This upload was not found" />
          <Text>
            <Anchor component={Link} to="/workloads">
              Upload the trace again
            </Anchor>
          </Text>
        </>
      )}
      {upload.data !== undefined && (
        <>
          <KnownFile upload={upload.data} />
          {upload.data.kind === "fetched" && !upload.data.complete ? (
            <FetchPanel upload={upload.data} />
          ) : (
            <PreviewBody uploadId={uploadId} filename={upload.data.filename} />
          )}
        </>
      )}
    </Page>
  );
}

/** The very same file was read before: nothing new will come of it as it stands. */
function KnownFile({ upload }: { readonly upload: UploadOut }) {
  if (upload.read_as.length === 0) {
    return null;
  }
  return (
    <Alert color="indigo" variant="outline" title="You have already imported this file">
      <Text size="sm">
        It is stored as{" "}
        {upload.read_as.map((workload, index) => (
          <span key={workload.id}>
            {index > 0 ? ", " : ""}
            <Link to="/workloads/$workloadId" params={{ workloadId: workload.id }}>
              {workload.name}
            </Link>
          </span>
        ))}
        . Import it again only with other settings; identical content is stored once.
      </Text>
    </Alert>
  );
}

function PreviewBody(props: {
  readonly uploadId: string;
  readonly filename: string | null;
}) {
  const { uploadId, filename } = props;
  const [draft, setDraft] = useSessionDraft<ReadDraft>(
    `tierwright-upload-${uploadId}`,
    {
      name: nameOfFile(filename),
      format: "",
      pageBytes: "",
      skipBadRecords: "",
      deviceSize: "",
      membersApart: false,
      membersMerged: false,
      mapping: EMPTY_MAPPING,
    },
  );
  const [asked, setAsked] = useState(() => readOptions(draft));
  const preview = useQuery(previewQuery(uploadId, asked));
  const faults = isTable(draft.format) ? mappingFaults(draft.mapping) : [];
  const current = JSON.stringify(readOptions(draft)) === JSON.stringify(asked);
  const change = (next: ReadDraft) => {
    setDraft(next);
    // Choices show at once; a column mapping is complete before it is tried.
    if (!isTable(next.format) || next.format !== draft.format) {
      setAsked(readOptions(next));
    }
  };
  const columns = columnsOf(preview.data, preview.error);
  const candidates =
    preview.error === null ? [] : candidatesIn(toProblem(preview.error));
  const asksWhich = candidates.length > 1;
  const refused = preview.error !== null && !needsMappingFirst(draft, asked) && (
    <PreviewRefused
      uploadId={uploadId}
      error={preview.error}
      asked={asksWhich}
      table={isTable(draft.format) ? null : tableFormatIn(toProblem(preview.error))}
      onTable={(format) => change({ ...draft, format })}
    />
  );
  return (
    <Stack gap="lg">
      {!asksWhich && refused}
      <ReadForm
        draft={draft}
        onChange={change}
        preview={preview.data}
        confirm={
          <Confirm
            uploadId={uploadId}
            draft={draft}
            ready={preview.data !== undefined && preview.error === null && current}
            reason={waitReason(preview.isPending, faults.length > 0, current)}
          />
        }
      />
      {isTable(draft.format) && (
        <MappingForm
          mapping={draft.mapping}
          columns={columns}
          isText={draft.format === TEXT_TABLE}
          faults={faults}
          onChange={(mapping) => setDraft({ ...draft, mapping })}
          onTry={() => setAsked(readOptions(draft))}
          pending={preview.isFetching}
        />
      )}
      {candidates.length > 0 && (
        <FormatChoice
          uploadId={uploadId}
          candidates={candidates}
          options={asked}
          onChoose={(format) => change({ ...draft, format })}
        />
      )}
      {asksWhich && refused}
      {preview.isPending && <Skeleton height={320} animate={false} />}
      {preview.data !== undefined && preview.error === null && (
        <PreviewFindings preview={preview.data} />
      )}
    </Stack>
  );
}

/** Why the whole file cannot be read yet. */
function waitReason(pending: boolean, faulty: boolean, current: boolean): string {
  if (pending) {
    return "The first records are being read.";
  }
  if (faulty) {
    return "Complete the column mapping first.";
  }
  return current
    ? "The preview has to succeed first."
    : "Show the preview with the current settings first.";
}

/** The generic format was just chosen: its first refusal only lists the columns. */
function needsMappingFirst(draft: ReadDraft, asked: { columns?: unknown }): boolean {
  return isTable(draft.format) && asked.columns === undefined;
}

function columnsOf(preview: PreviewOut | undefined, error: unknown): readonly string[] {
  if (error !== null) {
    return columnsIn(toProblem(error));
  }
  return preview?.columns ?? [];
}

function PreviewRefused(props: {
  readonly uploadId: string;
  readonly error: unknown;
  /** The page asks which reading is meant: the refusal itself says nothing more. */
  readonly asked: boolean;
  /** The kind of table that its columns could be mapped of; `null` if they are already. */
  readonly table: string | null;
  readonly onTable: (format: string) => void;
}) {
  const { table } = props;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const discard = useMutation({
    mutationFn: () => discardUpload(props.uploadId),
    onSuccess: async () => {
      await navigate({ to: "/workloads" });
      await queryClient.invalidateQueries({ queryKey: ["uploads"] });
    },
  });
  return (
    <Panel
      title={
        props.asked
          ? "Is it another format?"
          : "This file could not be read with these settings"
      }
    >
      <Stack gap="sm">
        {!props.asked && <ProblemAlert error={props.error} />}
        <Group>
          {table !== null && (
            <Button variant="default" onClick={() => props.onTable(table)}>
              {table === "csv"
                ? "It is another kind of CSV: map its columns"
                : `Map the columns of this ${table} table`}
            </Button>
          )}
          <Button
            variant="default"
            renderRoot={(rest) => <Link to="/given-curve" {...rest} />}
          >
            It is a hit-ratio curve: paste it
          </Button>
          <Button
            variant="default"
            renderRoot={(rest) => <Link to="/workloads" {...rest} />}
          >
            Choose another file
          </Button>
          <Button
            variant="default"
            onClick={() => discard.mutate()}
            loading={discard.isPending}
          >
            Discard this upload
          </Button>
        </Group>
        {discard.error !== null && (
          <ProblemAlert error={discard.error} title="The upload was not removed" />
        )}
      </Stack>
    </Panel>
  );
}

function Confirm(props: {
  readonly uploadId: string;
  readonly draft: ReadDraft;
  readonly ready: boolean;
  readonly reason: string;
}) {
  const { uploadId, draft, ready, reason } = props;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  // The answer holds for the settings it was given for.
  const [known, setKnown] = useState<{
    readonly workload: ImportOut;
    readonly options: string;
  } | null>(null);
  const options = readOptions(draft);
  const create = useMutation({
    mutationFn: (asked: {
      readonly options: ReturnType<typeof readOptions>;
      readonly again: boolean;
    }) =>
      answer(
        createWorkload({
          body: {
            upload_id: uploadId,
            name: draft.name.trim(),
            ...asked.options,
            import_again: asked.again,
          },
          throwOnError: true,
        }),
      ),
    onSuccess: (workload, asked) => {
      if (workload.already_here) {
        setKnown({ workload, options: JSON.stringify(asked.options) });
        return;
      }
      void queryClient.invalidateQueries({ queryKey: ["workloads"] });
      void queryClient.invalidateQueries({ queryKey: ["uploads"], exact: true });
      void navigate({
        to: "/workloads/$workloadId",
        params: { workloadId: workload.id },
      });
    },
  });
  const named = draft.name.trim() !== "";
  return (
    <Stack gap="sm" style={{ flex: "1 1 auto" }}>
      {create.error !== null && (
        <ProblemAlert error={create.error} title="The trace could not be imported" />
      )}
      <Group gap="sm" mih={36}>
        <Button
          onClick={() => create.mutate({ options, again: false })}
          loading={create.isPending}
          disabled={!ready || !named}
        >
          Import trace
        </Button>
        {(!ready || !named) && (
          <Text size="sm" c="dimmed">
            {named ? reason : "Give the workload a name."}
          </Text>
        )}
      </Group>
      {known !== null && known.options === JSON.stringify(options) && (
        <AlreadyImported
          link={
            <Link
              to="/workloads/$workloadId"
              params={{ workloadId: known.workload.id }}
            >
              {known.workload.name}
            </Link>
          }
          ready={known.workload.status === "ready"}
          pending={create.isPending}
          onImportAgain={() => create.mutate({ options, again: true })}
        />
      )}
    </Stack>
  );
}
