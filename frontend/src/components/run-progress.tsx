import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { isActiveStatus, type RunOut, useCancelRun } from "@/api/runs";
import { bytes, formatBytes, formatCount, formatSeconds } from "@/units/quantity";
import { ProblemAlert } from "./problem-alert";

const STATUS_TEXT: Readonly<Record<RunOut["status"], string>> = {
  queued: "waiting for a worker",
  running: "running",
  succeeded: "finished",
  failed: "failed",
  cancelled: "cancelled",
};

export function statusText(run: RunOut): string {
  return run.cancel_requested && isActiveStatus(run.status)
    ? "cancelling"
    : STATUS_TEXT[run.status];
}

export function amountText(value: number, unit: string): string {
  return unit === "bytes" || unit === "B"
    ? formatBytes(bytes(value))
    : `${formatCount(value)} ${unit}`;
}

/** "12 of 340 MiB, 85 MiB/s, 900,000 requests/s, 2,100,000 accesses/s, 4 s left" */
export function progressText(run: RunOut): string {
  const parts = [
    run.total === null
      ? amountText(run.done, run.unit)
      : `${amountText(run.done, run.unit)} of ${amountText(run.total, run.unit)}`,
  ];
  if (run.rate_per_s !== null && run.rate_per_s > 0) {
    parts.push(`${amountText(run.rate_per_s, run.unit)}/s`);
    if (run.requests_per_s !== null && run.requests_per_s > 0) {
      parts.push(`${formatCount(Math.round(run.requests_per_s))} requests/s`);
    }
    if (run.accesses_per_s !== null && run.accesses_per_s > 0) {
      parts.push(`${formatCount(Math.round(run.accesses_per_s))} accesses/s`);
    }
    if (run.total !== null) {
      parts.push(leftText((run.total - run.done) / run.rate_per_s));
    }
  }
  return parts.join(", ");
}

const leftText = (seconds: number): string =>
  `${seconds > 0 && seconds < 1 ? "under 1 s" : formatSeconds(seconds)} left`;

/** Nothing is counted before the first phase. */
const runningText = (run: RunOut): string =>
  run.phase === null ? "starting" : progressText(run);

/** A run as it goes: phase, progress, cancel; its error and hint when it failed. */
export function RunProgress({ run }: { readonly run: RunOut }) {
  const cancel = useCancelRun();
  const active = isActiveStatus(run.status);
  if (run.status === "failed") {
    return <ProblemAlert title={`${run.title}: failed`} error={failureOf(run)} />;
  }
  const share = run.total === null || run.total === 0 ? null : run.done / run.total;
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm">
        {/* A name without a place to break is narrowed, not the page widened. */}
        <Text size="sm" fw={600} style={{ flex: "1 1 240px", minWidth: 0 }}>
          {run.title}: {statusText(run)}
          {run.phase !== null && active ? ` (${run.phase})` : ""}
        </Text>
        {active && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={run.cancel_requested}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(run.id)}
          >
            Cancel
          </Button>
        )}
      </Group>
      <Progress.Root size="lg" transitionDuration={0}>
        <Progress.Section
          value={run.status === "succeeded" ? 100 : (share ?? 0) * 100}
          aria-label={`Progress of ${run.title}`}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {run.status === "running" ? runningText(run) : (run.message ?? " ")}
      </Text>
      {cancel.error !== null && (
        <ProblemAlert error={cancel.error} title="The run could not be cancelled" />
      )}
    </Stack>
  );
}

function failureOf(run: RunOut) {
  return Object.assign(new Error(run.error ?? "no reason was recorded"), {
    hint: run.hint,
  });
}
