import { Button, Group, Text } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";

interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

const SHOWN_MS = 10_000;

/** Tells the user something in passing. */
export function showToast(text: string, action?: ToastAction): void {
  const id = notifications.show({
    // The region around it is the live one: an alert would interrupt, and be read twice.
    role: "group",
    withBorder: true,
    closeButtonProps: { "aria-label": "Close" },
    message:
      action === undefined ? (
        text
      ) : (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" c="var(--mantine-color-text)">
            {text}
          </Text>
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => {
              action.run();
              notifications.hide(id);
            }}
          >
            {action.label}
          </Button>
        </Group>
      ),
  });
}

/** Where messages are shown, and read out once nothing else is being said. */
export const Toasts = () => (
  <Notifications
    aria-live="polite"
    autoClose={SHOWN_MS}
    position="bottom-right"
    // Within the page, so that an open dialogue covers it as it covers all else.
    withinPortal={false}
    zIndex={400}
  />
);
