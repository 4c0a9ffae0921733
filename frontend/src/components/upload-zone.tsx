import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { formatsQuery } from "@/api/catalog";
import { profileIn, takeProfile } from "@/api/given";
import { ProblemError, toProblem } from "@/api/problem";
import { isActiveStatus } from "@/api/runs";
import {
  discardUpload,
  refuseFile,
  startUpload,
  type UploadHandle,
  type UploadOut,
  type UploadProgress,
  uploadsQuery,
} from "@/api/uploads";
import { bytes, counted, formatBytes, formatSeconds } from "@/units/quantity";
import { Disclosure } from "./disclosure";
import { ProblemAlert } from "./problem-alert";
import { ServerSide } from "./server-side";
import classes from "./upload-zone.module.css";

interface Sending {
  readonly name: string;
  readonly progress: UploadProgress;
  readonly resumed: boolean;
  readonly verifying: boolean;
}

/** Drop zone, file button, progress, cancel, and what was left unfinished earlier. */
export function UploadZone() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const handle = useRef<Promise<UploadHandle> | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const [error, setError] = useState<ProblemError | null>(null);
  const [cancelled, setCancelled] = useState<string | null>(null);

  const send = async (file: File) => {
    const from = window.location.pathname;
    // The zone may be drawn anew meanwhile, such as beside the list of uploads: the address says where the user is.
    const isHere = () => window.location.pathname === from;
    setCancelled(null);
    const refusal = refuseFile(file);
    setError(refusal);
    if (refusal !== null) {
      return;
    }
    const profile = await profileIn(file);
    if (profile !== null) {
      await takeOver(file, profile, isHere);
      return;
    }
    const idle = { sentBytes: 0, totalBytes: file.size, bytesPerSecond: null };
    setSending({ name: file.name, progress: idle, resumed: false, verifying: false });
    handle.current = startUpload(file, {
      onProgress: (progress) =>
        setSending((now) => (now === null ? now : { ...now, progress })),
      onResumed: () =>
        setSending((now) => (now === null ? now : { ...now, resumed: true })),
      onVerifying: () =>
        setSending((now) => (now === null ? now : { ...now, verifying: true })),
      onDone: (uploadId) => {
        setSending(null);
        void queryClient.invalidateQueries({ queryKey: ["uploads"] });
        void queryClient.invalidateQueries({ queryKey: ["storage"] });
        // The address is of another page once the user has left; the upload itself is kept.
        if (isHere()) {
          void navigate({ to: "/uploads/$uploadId", params: { uploadId } });
        }
      },
      onError: (problem) => {
        setSending(null);
        setError(problem);
        void queryClient.invalidateQueries({ queryKey: ["uploads"] });
      },
    });
  };
  const takeOver = async (
    file: File,
    profile: Record<string, unknown>,
    isHere: () => boolean,
  ) => {
    try {
      const workload = await takeProfile(file, profile);
      await queryClient.invalidateQueries({ queryKey: ["workloads"] });
      if (isHere()) {
        await navigate({
          to: "/workloads/$workloadId",
          params: { workloadId: workload.id },
        });
      }
    } catch (problem) {
      setError(new ProblemError(toProblem(problem)));
    }
  };
  const cancel = async () => {
    const name = sending?.name ?? "";
    try {
      await (await handle.current)?.cancel();
    } finally {
      setSending(null);
      setCancelled(name);
      void queryClient.invalidateQueries({ queryKey: ["uploads"] });
    }
  };

  return (
    <Stack gap="sm">
      {error !== null && <Refusal error={error} />}
      {sending === null ? (
        <>
          <DropArea onFile={(file) => void send(file)} picker={picker} />
          <ServerSide />
        </>
      ) : (
        <SendingPanel sending={sending} onCancel={() => void cancel()} />
      )}
      {cancelled !== null && (
        <Text size="sm" role="status">
          Upload of {cancelled} cancelled; nothing was kept.
        </Text>
      )}
      {sending === null && <Waiting onResume={() => picker.current?.click()} />}
    </Stack>
  );
}

/** Above the drop area, and scrolled to, wherever on the page the file was dropped. */
function Refusal({ error }: { readonly error: ProblemError }) {
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each error anew
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [error]);
  return (
    <div ref={place}>
      <ProblemAlert error={error} title="The file could not be uploaded" />
    </div>
  );
}

function DropArea(props: {
  readonly onFile: (file: File) => void;
  readonly picker: React.RefObject<HTMLInputElement | null>;
}) {
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file !== undefined) {
      props.onFile(file);
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the button inside does the same by keyboard
    <div
      className={classes["zone"]}
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <Text fw={600}>Drop a trace here</Text>
      <Button variant="filled" onClick={() => props.picker.current?.click()}>
        Choose a file
      </Button>
      <input
        ref={props.picker}
        type="file"
        aria-label="Trace file"
        className={classes["picker"]}
        tabIndex={-1}
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = "";
        }}
      />
      <Text size="sm" c="dimmed" maw={560}>
        Block traces, cache and page traces, or any table with named columns: plain,
        compressed (gzip, zstd, xz, bzip2), or in a tar or ZIP archive. Or a profile
        made by tierwright profile. The file stays on this machine.
      </Text>
      <Formats />
    </div>
  );
}

/** Every format of the catalogue: what is new there is listed here. */
function Formats() {
  const formats = useQuery(formatsQuery()).data ?? [];
  if (formats.length === 0) {
    return null;
  }
  return (
    <Disclosure label={`All ${counted(formats.length, "supported format")}`}>
      <ul className={classes["formats"]}>
        {formats.map((format) => (
          <li key={format.name}>
            <b>{format.name}</b>: {format.description}
            {format.has_writes ? "" : "; no writes"}
            {format.has_time ? "" : "; no times"}
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

function SendingPanel(props: {
  readonly sending: Sending;
  readonly onCancel: () => void;
}) {
  const { name, progress, resumed, verifying } = props.sending;
  const { sentBytes, totalBytes, bytesPerSecond } = progress;
  const share = totalBytes === 0 ? 0 : sentBytes / totalBytes;
  const left =
    bytesPerSecond === null || bytesPerSecond <= 0
      ? null
      : (totalBytes - sentBytes) / bytesPerSecond;
  return (
    <div className={classes["sending"]}>
      <Group justify="space-between">
        <Text fw={600}>
          {verifying
            ? `Comparing the SHA-256 of ${name}`
            : resumed
              ? `Resuming ${name}`
              : `Uploading ${name}`}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          disabled={verifying}
          onClick={props.onCancel}
        >
          Cancel upload
        </Button>
      </Group>
      <Progress.Root size="lg" transitionDuration={0}>
        <Progress.Section value={share * 100} aria-label={`Upload of ${name}`} />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {formatBytes(bytes(sentBytes))} of {formatBytes(bytes(totalBytes))}
        {bytesPerSecond === null ? "" : `, ${formatBytes(bytes(bytesPerSecond))}/s`}
        {left === null ? "" : `, ${formatSeconds(left)} left`}
      </Text>
    </div>
  );
}

/** Uploads that no workload has taken yet. */
function Waiting({ onResume }: { readonly onResume: () => void }) {
  const queryClient = useQueryClient();
  const uploads = useQuery(uploadsQuery());
  const discard = useMutation({
    mutationFn: discardUpload,
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["uploads"] }),
        queryClient.invalidateQueries({ queryKey: ["storage"] }),
      ]),
  });
  if (uploads.data === undefined || uploads.data.length === 0) {
    return null;
  }
  return (
    <Stack gap={6}>
      {uploads.data.map((upload) => (
        <Group key={upload.id} gap="sm" className={classes["waiting"]}>
          <Text size="sm" style={{ flex: "1 1 260px" }}>
            {waitingText(upload)}
          </Text>
          {upload.complete || upload.kind === "fetched" ? (
            <Button
              size="compact-sm"
              variant="default"
              renderRoot={(rest) => (
                <Link
                  to="/uploads/$uploadId"
                  params={{ uploadId: upload.id }}
                  {...rest}
                />
              )}
            >
              {upload.complete ? "Open preview" : "Show progress"}
            </Button>
          ) : (
            <Button size="compact-sm" variant="default" onClick={onResume}>
              Choose it again to resume
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            onClick={() => discard.mutate(upload.id)}
            aria-label={`Discard ${upload.filename ?? upload.id}`}
          >
            Discard
          </Button>
        </Group>
      ))}
      {discard.error !== null && (
        <ProblemAlert error={discard.error} title="The upload could not be removed" />
      )}
    </Stack>
  );
}

function waitingText(upload: UploadOut): string {
  const name = upload.filename ?? upload.id;
  if (upload.kind === "registered") {
    return `${upload.path} is registered and ready to preview.`;
  }
  if (upload.complete) {
    return upload.kind === "fetched"
      ? `${upload.path} was fetched and is ready to preview.`
      : `${name} is uploaded and ready to preview.`;
  }
  const received = formatBytes(bytes(upload.offset_bytes));
  const arrived =
    upload.size_bytes === null
      ? received
      : `${received} of ${formatBytes(bytes(upload.size_bytes))}`;
  if (upload.kind === "fetched" && upload.run && isActiveStatus(upload.run.status)) {
    return `${upload.path} is being fetched; received so far: ${arrived}.`;
  }
  return `${upload.path ?? name} is unfinished; received so far: ${arrived}.`;
}
