import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { ProblemError } from "@/api/problem";
import {
  refuseFile,
  startUpload,
  type UploadHandle,
  type UploadProgress,
} from "@/api/uploads";
import { Disclosure } from "@/components/disclosure";
import { ProblemAlert } from "@/components/problem-alert";
import { bytes, formatBytes } from "@/units/quantity";
import classes from "./transactions.module.css";

interface Sending {
  readonly name: string;
  readonly progress: UploadProgress;
}

interface EventsFileProps {
  /** What is replayed, in words. */
  readonly text: string;
  readonly isExample: boolean;
  readonly onUploaded: (uploadId: string) => void;
  readonly onExample: () => void;
}

/** The file of events: what it holds, and how to bring another. */
export function EventsFile(props: EventsFileProps) {
  const handle = useRef<Promise<UploadHandle> | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const [error, setError] = useState<ProblemError | null>(null);

  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);

  const send = (file: File) => {
    const refusal = refuseFile(file);
    setError(refusal);
    if (refusal !== null) {
      return;
    }
    const progress = { sentBytes: 0, totalBytes: file.size, bytesPerSecond: null };
    setSending({ name: file.name, progress });
    handle.current = startUpload(file, {
      onProgress: (now) => setSending({ name: file.name, progress: now }),
      onResumed: () => undefined,
      onVerifying: () => undefined,
      onDone: (uploadId) => {
        // The address is of another page once the user has left; the upload itself is kept.
        if (isShown.current) {
          setSending(null);
          props.onUploaded(uploadId);
        }
      },
      onError: (problem) => {
        setSending(null);
        setError(problem);
      },
    });
  };
  const cancel = async () => {
    try {
      await (await handle.current)?.cancel();
    } finally {
      setSending(null);
    }
  };

  return (
    <section className="tw-panel" aria-label="Events">
      <Stack gap="xs">
        {error !== null && (
          <ProblemAlert error={error} title="The file could not be uploaded" />
        )}
        <Text className={classes["events"]}>{props.text}.</Text>
        {sending === null ? (
          <Group gap="sm">
            <Button variant="default" onClick={() => picker.current?.click()}>
              Upload events
            </Button>
            {!props.isExample && (
              <Button variant="subtle" onClick={props.onExample}>
                Show the worked example
              </Button>
            )}
          </Group>
        ) : (
          <SendingFile sending={sending} onCancel={() => void cancel()} />
        )}
        <input
          ref={picker}
          type="file"
          aria-label="File of events"
          hidden
          onChange={(change) => {
            const file = change.currentTarget.files?.[0];
            change.currentTarget.value = "";
            if (file !== undefined) {
              send(file);
            }
          }}
        />
        <Disclosure label="What does a file of events hold?">
          <Text size="sm" maw={760}>
            One event per line: <code>B T1</code> begins transaction T1,{" "}
            <code>R T1 7</code> reads page 7, <code>U T1 7</code> updates it,{" "}
            <code>C T1</code> commits and <code>A T1</code> aborts. A line may end in
            its time, such as <code>@1250</code>. Plain or compressed, of any length.
            Two scripts make such files of a PostgreSQL server: of its probes, with
            reads, or of its write-ahead log, without (docs/capture/postgresql.md).
          </Text>
        </Disclosure>
      </Stack>
    </section>
  );
}

function SendingFile(props: {
  readonly sending: Sending;
  readonly onCancel: () => void;
}) {
  const { name, progress } = props.sending;
  const { sentBytes, totalBytes } = progress;
  return (
    <Stack gap={6}>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          Uploading {name}: {formatBytes(bytes(sentBytes))} of{" "}
          {formatBytes(bytes(totalBytes))}
        </Text>
        <Button size="compact-sm" variant="default" onClick={props.onCancel}>
          Cancel upload
        </Button>
      </Group>
      <Progress.Root size="lg" transitionDuration={0}>
        <Progress.Section
          value={totalBytes === 0 ? 0 : (100 * sentBytes) / totalBytes}
          aria-label={`Upload of ${name}`}
        />
      </Progress.Root>
    </Stack>
  );
}
