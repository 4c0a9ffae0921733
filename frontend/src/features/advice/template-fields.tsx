import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  type AdviceTemplateOut,
  changeTemplate,
  keepTemplate,
  removeTemplate,
  TEMPLATES_KEY,
  templatesQuery,
} from "@/api/advice-templates";
import { priceBooksQuery } from "@/api/catalog";
import { downloadText, fileStem } from "@/charts/download";
import { DeleteButton } from "@/components/delete-button";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { usualBook } from "@/questions/defaults";
import { listed } from "@/units/quantity";
import type { FormProps } from "./advice-form";
import { isAsked, notShown, searchOf, templateOf } from "./template";

const MOST_OF_NAME = 200;

/** What a team asks of every workload: chosen, kept under a name, changed, deleted, saved as a file. */
export function TemplateFields({ state, search, patch }: FormProps) {
  const templates = useQuery(templatesQuery());
  const known = templates.data ?? [];
  const chosen = known.find(({ id }) => id === search.template);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        A template holds the goal, the limits, what may be bought, and prices and
        months; not the workload, nor what you have now. Choosing one sets these fields,
        and the address holds all of them.
      </Text>
      {templates.error !== null && (
        <ProblemAlert
          error={templates.error}
          title="The templates could not be read"
          onRetry={() => void templates.refetch()}
        />
      )}
      <Select
        label="Template"
        placeholder={known.length === 0 ? "none yet" : "none chosen"}
        data={known.map((each) => ({ value: each.id, label: each.name }))}
        value={chosen?.id ?? null}
        disabled={known.length === 0}
        onChange={(id) => {
          const next = known.find((each) => each.id === id);
          patch(
            next === undefined
              ? { template: undefined }
              : { ...searchOf(next.template), template: next.id },
          );
        }}
        searchable
        allowDeselect={false}
        clearable
        clearButtonProps={{ "aria-label": "No template" }}
        size="sm"
        maw={420}
      />
      {chosen !== undefined && (
        <Standing state={state} search={search} patch={patch} chosen={chosen} />
      )}
      <Keeping
        key={chosen?.id ?? ""}
        state={state}
        search={search}
        patch={patch}
        known={known}
        chosen={chosen}
      />
    </Stack>
  );
}

interface KeepingProps extends FormProps {
  readonly known: readonly AdviceTemplateOut[];
  readonly chosen: AdviceTemplateOut | undefined;
}

/** Keeps what the form asks: under a name, or as a file. */
function Keeping({ state, search, patch, known, chosen }: KeepingProps) {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState(chosen?.name ?? "");
  const name = typed.trim();
  const refresh = () => queryClient.invalidateQueries({ queryKey: TEMPLATES_KEY });
  const save = useMutation({
    mutationFn: (changed: AdviceTemplateOut | undefined) => {
      const body = { name, template: templateOf(state, search) };
      return changed === undefined ? keepTemplate(body) : changeTemplate(changed, body);
    },
    onSuccess: async (kept) => {
      await refresh();
      patch({ template: kept.id });
      showToast(`Saved: ${kept.name}`);
    },
  });
  const named = known.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const isTaken = named !== undefined && named !== chosen;
  const cannotSave = name === "" || isTaken || save.isPending;
  return (
    <>
      <TextInput
        label="Name"
        value={typed}
        maxLength={MOST_OF_NAME}
        placeholder="Storage team"
        error={isTaken ? "Another template has this name." : null}
        onChange={(event) => setTyped(event.currentTarget.value)}
        size="sm"
        maw={420}
      />
      <Group gap="sm">
        <Button
          variant="default"
          disabled={cannotSave || named !== undefined}
          onClick={() => save.mutate(undefined)}
        >
          Save as a new template
        </Button>
        {chosen !== undefined && (
          <>
            <Button
              variant="default"
              disabled={cannotSave}
              onClick={() => save.mutate(chosen)}
            >
              Save changes
            </Button>
            <DeleteButton
              what="template"
              name={chosen.name}
              consequence="It can no longer be chosen; links that were made with it keep what they ask."
              remove={() => removeTemplate(chosen)}
              onRemoved={async () => {
                patch({ template: undefined });
                await refresh();
              }}
            />
          </>
        )}
        <Button
          variant="default"
          onClick={() =>
            downloadText(
              `${fileStem(name === "" ? "template" : name)}.json`,
              "application/json",
              `${JSON.stringify(templateOf(state, search), null, 2)}\n`,
            )
          }
        >
          Save as file
        </Button>
      </Group>
      {save.error !== null && (
        <ProblemAlert error={save.error} title="The template could not be saved" />
      )}
      <Text size="sm" c="dimmed">
        The file is for <code>tierwright advise --template</code>, where your own
        devices are files and not ids of this server.
      </Text>
    </>
  );
}

function Standing(
  props: FormProps & {
    readonly chosen: AdviceTemplateOut;
  },
) {
  const { state, search, patch, chosen } = props;
  const lost = notShown(state, chosen.template);
  const books = useQuery(priceBooksQuery()).data;
  const isSame = isAsked(state, search, chosen.template, usualBook(books ?? []));
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        {isSame
          ? "The form asks what this template states."
          : "The form was changed since this template was chosen, or the template was."}
        {lost.length > 0 &&
          ` The form has no field for what it states besides; it is not asked here, and saving changes drops it: ${listed([...lost])}.`}
      </Text>
      {!isSame && (
        <Button
          size="xs"
          variant="default"
          onClick={() => patch(searchOf(chosen.template))}
        >
          Set the form to it
        </Button>
      )}
    </Group>
  );
}
