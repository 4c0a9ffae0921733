import { Button, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { showToast } from "./toasts";

/** Copies a link, or shows it where the browser does not allow copying. */
export function CopyLink(props: {
  /** What the link leads to, for example "this comparison". */
  readonly to: string;
  readonly href: () => string | Promise<string>;
}) {
  const [shown, setShown] = useState<string | null>(null);
  const copy = async () => {
    const link = new URL(await props.href(), window.location.origin).href;
    try {
      await navigator.clipboard.writeText(link);
      showToast("Link copied.");
    } catch {
      // No permission, or not a secure origin: let the reader copy it by hand.
      setShown(link);
    }
  };
  return (
    <>
      <Button variant="default" onClick={() => void copy()}>
        Copy link
      </Button>
      {shown !== null && (
        <TextInput
          aria-label={`Link to ${props.to}`}
          value={shown}
          readOnly
          style={{ flex: "1 1 320px" }}
          onFocus={(event) => event.currentTarget.select()}
          rightSectionWidth={70}
          rightSection={
            <Button size="compact-xs" variant="subtle" onClick={() => setShown(null)}>
              Close
            </Button>
          }
        />
      )}
      {shown !== null && (
        <Text size="sm" c="dimmed">
          The browser blocked copying. Copy the link from the field.
        </Text>
      )}
    </>
  );
}
