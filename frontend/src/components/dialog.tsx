import { Group, Modal, type ModalRootProps } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly size?: ModalRootProps["size"];
  readonly yOffset?: ModalRootProps["yOffset"];
  /** Off where a stray click would lose what was typed. */
  readonly closeOnClickOutside?: boolean;
  /** Off where Esc would. */
  readonly closeOnEscape?: boolean;
  readonly children: ReactNode;
}

let openDialogs = 0;

/** While a dialogue is open nothing of the page behind it can be pressed or read. */
function useInertPage(opened: boolean): void {
  useEffect(() => {
    if (!opened) {
      return;
    }
    const setInert = () => {
      document.getElementById("root")?.toggleAttribute("inert", openDialogs > 0);
    };
    openDialogs += 1;
    setInert();
    return () => {
      openDialogs -= 1;
      setInert();
    };
  }, [opened]);
}

/** A modal dialogue; its head is no `header`, since a page has one banner only. */
export function Dialog({ title, children, ...root }: DialogProps) {
  useInertPage(root.opened);
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
