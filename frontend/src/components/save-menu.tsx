import { Button, Menu, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { downloadBlob } from "@/charts/download";
import { ProblemAlert } from "./problem-alert";

/** A form that a document is saved in, and the name of its file. */
export interface SavedForm {
  readonly title: string;
  readonly fileName: string;
  readonly write: () => Promise<Blob>;
}

/** A button with the forms that a document is saved in; it says what was saved, or why it was not. */
export function SaveMenu(props: {
  readonly label: string;
  readonly isQuiet?: boolean;
  /** What is written, before the title of its form: "the PDF". */
  readonly article?: string;
  readonly failed: string;
  /** Whether there is nothing to write yet. */
  readonly isDisabled?: boolean;
  readonly forms: readonly SavedForm[];
}) {
  const { label, isQuiet = false, article = "", failed, isDisabled, forms } = props;
  const save = useMutation({
    mutationFn: async ({ fileName, write }: SavedForm) => ({
      name: fileName,
      blob: await write(),
    }),
    onSuccess: ({ name, blob }) => downloadBlob(name, blob),
  });
  const { variables: form } = save;
  return (
    <Stack gap="xs" align="flex-end">
      <Menu
        position="bottom-end"
        transitionProps={{ duration: 0 }}
        // A menu has items and nothing else.
        withInitialFocusPlaceholder={false}
      >
        <Menu.Target>
          <Button
            size="xs"
            {...(isQuiet ? { variant: "default" } : {})}
            disabled={save.isPending || isDisabled === true}
          >
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {forms.map((each) => (
            <Menu.Item key={each.title} onClick={() => save.mutate(each)}>
              {each.title}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Text size="sm" c="dimmed" role="status">
        {save.isPending ? `Writing ${article}${save.variables.title}` : ""}
        {save.isSuccess ? `Saved ${save.data.name}` : ""}
      </Text>
      {save.isError && (
        <ProblemAlert
          error={save.error}
          title={failed}
          onRetry={() => form !== undefined && save.mutate(form)}
        />
      )}
    </Stack>
  );
}
