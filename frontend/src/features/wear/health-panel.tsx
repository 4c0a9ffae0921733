import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { memo } from "react";
import { type DeviceHealthOut, deviceHealth, deviceHealthSteps } from "@/api/wear";
import { AskedSteps } from "@/components/asked-steps";
import { Disclosure } from "@/components/disclosure";
import { JsonInput } from "@/components/json-input";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { WarningNotes } from "@/components/warning-notes";
import type { WearSearch } from "@/questions/wear";
import {
  counted,
  formatCount,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import classes from "./wear.module.css";

interface HealthPanelProps {
  readonly flashDevice: string;
  readonly ratedTb: number | undefined;
  readonly patch: (change: WearSearch) => void;
}

/** What is left of a drive, from the JSON that smartctl or nvme print. */
export const HealthPanel = memo(function HealthPanel({
  flashDevice,
  ratedTb,
  patch,
}: HealthPanelProps) {
  const read = useMutation({
    mutationFn: (document: Record<string, unknown>) =>
      deviceHealth({
        document,
        flash_device_id: flashDevice,
        rated_tb: ratedTb ?? null,
      }),
  });
  return (
    <Panel
      title={read.data?.sentence ?? "How much life is left in a drive in use?"}
      subtitle="From the output of smartctl --json -x DEVICE or nvme smart-log -o json DEVICE. Nothing is stored."
    >
      <Disclosure label="Read the health of a drive">
        <Stack gap="sm" mt="xs">
          <JsonInput
            label="Output of smartctl or nvme"
            placeholder='{"nvme_smart_health_information_log": {…}}'
            fileLabel="File from smartctl or nvme"
            howToMake="Create it with smartctl --json -x DEVICE."
            pending={read.isPending}
            onRead={(document) => read.mutate({ ...document })}
            onReset={read.reset}
          />
          {read.error !== null && (
            <ProblemAlert
              error={read.error}
              title="The health of the drive could not be read"
            />
          )}
          {read.data !== undefined && <Health health={read.data} patch={patch} />}
        </Stack>
      </Disclosure>
    </Panel>
  );
});

function Health(props: {
  readonly health: DeviceHealthOut;
  readonly patch: (change: WearSearch) => void;
}) {
  const { health, patch } = props;
  const written = health.written_tb;
  const rows: readonly (readonly [string, string | null])[] = [
    ["Drive", health.model || null],
    ["Written", written === null ? null : `${formatShort(written)} TB`],
    [
      "Mean writes",
      health.tb_per_day === null ? null : `${formatShort(health.tb_per_day)} TB/day`,
    ],
    [
      "Powered on",
      health.power_on_hours === null ? null : `${formatCount(health.power_on_hours)} h`,
    ],
    [
      "Life used, reported by the drive",
      health.percentage_used === null
        ? null
        : `${formatShort(health.percentage_used)} %`,
    ],
    ["Lifetime WAF", health.waf === null ? null : formatShort(health.waf)],
    [
      "Rated writes left",
      health.left_tb === null
        ? null
        : `${formatShort(health.left_tb)} TB (${formatPercent(ratio(health.left_share ?? 0))})`,
    ],
    [
      "Life left at this rate",
      health.years_left === null
        ? null
        : counted(formatShort(health.years_left), "year"),
    ],
  ];
  return (
    <>
      <dl className={classes["facts"]}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? "not reported"}</dd>
          </div>
        ))}
      </dl>
      <Text size="sm" c="dimmed">
        {health.basis}.
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          disabled={written === null}
          onClick={() => written !== null && patch({ written_tb: written })}
        >
          Count as already written
        </Button>
      </Group>
      <WarningNotes notes={health.warnings} />
      {health.left_tb !== null && (
        <Disclosure label="How is this computed?">
          <AskedSteps query={deviceHealthSteps(health)} />
        </Disclosure>
      )}
    </>
  );
}
