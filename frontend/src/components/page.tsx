import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

interface PageProps {
  readonly title: ReactNode;
  /** The browser tab's title, where the heading is not plain text. */
  readonly tab?: string;
  readonly lead?: ReactNode;
  /** On a phone the answer has to come first: without the lead, the actions beside the title. */
  readonly isBriefOnPhones?: boolean;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page(props: PageProps) {
  const { title, tab, lead, isBriefOnPhones = false, actions, children } = props;
  const name = tab ?? (typeof title === "string" ? title : "");
  useEffect(() => {
    document.title = name === "" ? "Tierwright" : `${name} · Tierwright`;
  }, [name]);
  return (
    <Stack gap="lg">
      <Group
        justify="space-between"
        align="flex-end"
        gap="sm"
        className={isBriefOnPhones ? "tw-brief" : ""}
      >
        <div className="tw-title">
          <Title order={1} size="h2">
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" maw={1000} className="tw-lead">
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
