import { Button, Group } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Dialog } from "./dialog";

/** Opens the derivation of figures. */
export function WhyButton(props: {
  readonly title: string;
  /** The table of the steps; made when it is looked at. */
  readonly children: ReactNode;
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
        {props.children}
      </Dialog>
    </Group>
  );
}
