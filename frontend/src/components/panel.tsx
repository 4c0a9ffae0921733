import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface PanelProps {
  readonly title?: ReactNode;
  readonly subtitle?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly label?: string;
}

export function Panel({ title, subtitle, actions, children, label }: PanelProps) {
  return (
    <section className="tw-panel" aria-label={label}>
      {(title !== undefined || actions !== undefined) && (
        <Group justify="space-between" align="flex-start" mb="sm" gap="xs">
          <div style={{ minWidth: 0, flex: "1 1 260px" }}>
            {title !== undefined && (
              <Title order={2} size="h4">
                {title}
              </Title>
            )}
            {subtitle !== undefined && (
              <Text size="sm" c="dimmed">
                {subtitle}
              </Text>
            )}
          </div>
          {actions}
        </Group>
      )}
      {children}
    </section>
  );
}
