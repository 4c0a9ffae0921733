import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "./dialog";
import { ProblemAlert } from "./problem-alert";
import { showToast } from "./toasts";

/** Deletes what cannot come back, once the reader has been told what goes with it. */
export function DeleteButton(props: {
  /** "workload", "device". */
  readonly what: string;
  readonly name: string;
  /** What will be gone. */
  readonly consequence: string;
  readonly remove: () => Promise<unknown>;
  readonly onRemoved: () => Promise<unknown>;
  /** One of many in a table: small, and named after its row. */
  readonly inTable?: boolean;
}) {
  const { what, name, inTable = false } = props;
  const [opened, setOpened] = useState(false);
  const remove = useMutation({
    mutationFn: props.remove,
    onSuccess: async () => {
      setOpened(false);
      showToast(`Deleted: ${name}`);
      await props.onRemoved();
    },
  });
  return (
    <>
      <Button
        {...(inTable ? { size: "compact-sm", "aria-label": `Delete ${name}` } : {})}
        variant="default"
        onClick={() => setOpened(true)}
      >
        Delete
      </Button>
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={`Delete this ${what}?`}
      >
        <Stack>
          <Text>{props.consequence}</Text>
          {remove.error !== null && (
            <ProblemAlert
              error={remove.error}
              title={`The ${what} could not be deleted`}
            />
          )}
          <Group>
            <Button
              color="red"
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              Delete
            </Button>
            <Button variant="default" onClick={() => setOpened(false)} data-autofocus>
              Keep it
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
