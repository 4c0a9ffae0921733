import { Select, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { StepsQuery } from "@/api/derived";
import { AskedSteps } from "./asked-steps";

interface DeviceDerivationProps {
  readonly devices: readonly {
    readonly device_id: string;
    readonly device_name: string;
  }[];
  /** Shown until another one is chosen. */
  readonly first: string | null;
  /** Of all devices; the scheme of a step is the id of its device. */
  readonly query: StepsQuery;
  readonly searchable?: boolean;
  /** What holds for all of them. */
  readonly children: ReactNode;
}

/** How the figures of one of several devices were computed. */
export function DeviceDerivation(props: DeviceDerivationProps) {
  const [opened, setOpened] = useState<string | null>(null);
  const shown = opened ?? props.first;
  return (
    <Stack gap="xs">
      <Text size="sm">{props.children}</Text>
      <Select
        size="xs"
        label="Device"
        w={320}
        searchable={props.searchable ?? false}
        value={shown}
        allowDeselect={false}
        data={props.devices.map((row) => ({
          value: row.device_id,
          label: row.device_name,
        }))}
        onChange={setOpened}
      />
      <AskedSteps query={props.query} only={(step) => step.scheme === shown} />
    </Stack>
  );
}
