import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "./dialog";
import { ProblemAlert } from "./problem-alert";

/** Asks for another name and keeps it. */
export function RenameButton(props: {
  /** "workload", "scenario". */
  readonly what: string;
  readonly name: string;
  readonly rename: (name: string) => Promise<unknown>;
  /** The lists that show the name. */
  readonly queryKey: readonly string[];
  /** One of many in a table: small, and named after its row. */
  readonly inTable?: boolean;
}) {
  const { what, inTable = false } = props;
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState(props.name);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () => props.rename(name.trim()),
    onSuccess: () => setOpened(false),
    // Also where somebody else changed it meanwhile: the list then shows what it is.
    onSettled: () => queryClient.invalidateQueries({ queryKey: props.queryKey }),
  });
  return (
    <>
      <Button
        {...(inTable
          ? { size: "compact-sm", "aria-label": `Rename ${props.name}` }
          : {})}
        variant="default"
        onClick={() => {
          setName(props.name);
          save.reset();
          setOpened(true);
        }}
      >
        Rename
      </Button>
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={`Rename the ${what}`}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              value={name}
              maxLength={200}
              data-autofocus
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {save.error !== null && (
              <ProblemAlert error={save.error} title="The name could not be changed" />
            )}
            <Group>
              <Button
                type="submit"
                loading={save.isPending}
                disabled={name.trim() === ""}
              >
                Rename
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
