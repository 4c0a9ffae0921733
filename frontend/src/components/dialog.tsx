import { Group, Modal, type ModalRootProps } from "@mantine/core";
import type { ReactNode } from "react";

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly size?: ModalRootProps["size"];
  readonly yOffset?: ModalRootProps["yOffset"];
  /** Off where a stray click would lose what was typed. */
  readonly closeOnClickOutside?: boolean;
  readonly children: ReactNode;
}

/** A modal dialogue; its head is no `header`, since a page has one banner only. */
export function Dialog({ title, children, ...root }: DialogProps) {
  return (
    <Modal.Root transitionProps={{ duration: 0 }} {...root}>
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" p="md" pb={0}>
          <Modal.Title fw={600} fz={18}>
            {title}
          </Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </Group>
        <Modal.Body pt="sm">{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
