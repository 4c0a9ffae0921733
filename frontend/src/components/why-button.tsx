import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { type DerivationRow, DerivationTable } from "./derivation-table";
import { Dialog } from "./dialog";

/** Opens the derivation of figures. */
export function WhyButton(props: {
  readonly title: string;
  readonly steps: readonly DerivationRow[];
  readonly size?: string;
}) {
  const [opened, setOpened] = useState(false);
  return (
    <Group>
      <Button
        size={props.size ?? "compact-sm"}
        variant="default"
        h="auto"
        mih={26}
        maw="100%"
        styles={{
          label: { whiteSpace: "normal", textAlign: "left", lineHeight: 1.3 },
        }}
        onClick={() => setOpened(true)}
      >
        Why: {props.title}
      </Button>
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        size="min(1180px, 95vw)"
        title={`Why this number: ${props.title}`}
      >
        <DerivationTable steps={props.steps} />
      </Dialog>
    </Group>
  );
}
