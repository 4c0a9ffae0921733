import { Alert, Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** The file is a workload already, read in the same way: that one, or another of it. */
export function AlreadyImported(props: {
  /** Leads to the workload. */
  readonly link: ReactNode;
  readonly ready: boolean;
  readonly pending: boolean;
  readonly onImportAgain: () => void;
}) {
  const { link, ready, pending, onImportAgain } = props;
  return (
    <Alert color="indigo" variant="outline" role="status">
      <Group gap="md" justify="space-between">
        <Text size="sm">
          {ready
            ? "This file was already imported with these settings: "
            : "This file is already being imported with these settings: "}
          {link}.
        </Text>
        <Button variant="default" size="xs" onClick={onImportAgain} loading={pending}>
          Import it again
        </Button>
      </Group>
    </Alert>
  );
}
