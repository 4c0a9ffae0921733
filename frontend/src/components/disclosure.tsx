import { UnstyledButton } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";

interface DisclosureProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly initiallyOpen?: boolean;
}

/** "How is this computed" and the like: closed until asked for. */
export function Disclosure({
  label,
  children,
  initiallyOpen = false,
}: DisclosureProps) {
  const [open, setOpen] = useState(initiallyOpen);
  const id = useId();
  return (
    <div>
      <UnstyledButton
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        style={{ color: "var(--mantine-color-anchor)", fontSize: 14, padding: "4px 0" }}
      >
        <span aria-hidden="true">{open ? "▾ " : "▸ "}</span>
        {label}
      </UnstyledButton>
      <div id={id} hidden={!open}>
        {open && children}
      </div>
    </div>
  );
}
