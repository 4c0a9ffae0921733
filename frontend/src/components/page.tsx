import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

interface PageProps {
  readonly title: ReactNode;
  /** The browser tab's title, where the heading is not plain text. */
  readonly tab?: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, tab, lead, actions, children }: PageProps) {
  const name = tab ?? (typeof title === "string" ? title : "");
  useEffect(() => {
    document.title = name === "" ? "Tierwright" : `${name} · Tierwright`;
  }, [name]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="sm">
        <div style={{ minWidth: 0, flex: "1 1 320px" }}>
          <Title order={1} size="h2">
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" maw={1000}>
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
