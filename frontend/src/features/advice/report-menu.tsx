import { Button, Menu, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type AdviceOut, type ReportForm, reportFile } from "@/api/advice";
import { downloadBlob } from "@/charts/download";
import { ProblemAlert } from "@/components/problem-alert";

/** Forms of a report, those for readers first. */
const FORMS: readonly { readonly form: ReportForm; readonly title: string }[] = [
  { form: "pdf", title: "PDF" },
  { form: "html", title: "HTML" },
  { form: "xlsx", title: "Spreadsheet" },
  { form: "csv", title: "CSV of the options" },
  { form: "json", title: "JSON" },
];

/** Saves the advice that is shown as a report for those who decide. */
export function ReportMenu({ found }: { readonly found: AdviceOut }) {
  const save = useMutation({
    mutationFn: async (form: ReportForm) => ({
      name: `advice-${found.advice_id}.${form}`,
      blob: await reportFile(found, form),
    }),
    onSuccess: ({ name, blob }) => downloadBlob(name, blob),
  });
  const { variables: form } = save;
  const title = FORMS.find((each) => each.form === form)?.title ?? "report";
  return (
    <Stack gap="xs" align="flex-end">
      <Menu
        position="bottom-end"
        transitionProps={{ duration: 0 }}
        // A menu has items and nothing else.
        withInitialFocusPlaceholder={false}
      >
        <Menu.Target>
          <Button size="xs" variant="default" disabled={save.isPending}>
            Report
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FORMS.map((each) => (
            <Menu.Item key={each.form} onClick={() => save.mutate(each.form)}>
              {each.title}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Text size="sm" c="dimmed" role="status">
        {save.isPending ? `Writing the ${title}` : ""}
        {save.isSuccess ? `Saved ${save.data.name}` : ""}
      </Text>
      {save.isError && (
        <ProblemAlert
          error={save.error}
          title="The report could not be written"
          onRetry={() => form !== undefined && save.mutate(form)}
        />
      )}
    </Stack>
  );
}
