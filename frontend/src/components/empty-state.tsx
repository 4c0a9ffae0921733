import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Nothing here yet, and what to do next. */
export function EmptyState(props: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" py="xl" ta="center">
      <Text fw={600}>{props.title}</Text>
      <Text component="div" c="dimmed" maw={520}>
        {props.children}
      </Text>
    </Stack>
  );
}
