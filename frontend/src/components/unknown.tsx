import { Tooltip, UnstyledButton } from "@mantine/core";
import { UNKNOWN } from "@/units/quantity";

/** A figure that is not known: a dash, with the reason on hover and on focus. */
export function Unknown({ reason }: { readonly reason: string }) {
  return (
    <Tooltip label={reason}>
      <UnstyledButton
        component="span"
        role="note"
        tabIndex={0}
        aria-label={`Unknown: ${reason}`}
        style={{ cursor: "help", fontSize: "inherit", padding: "0 4px" }}
      >
        {UNKNOWN}
      </UnstyledButton>
    </Tooltip>
  );
}
