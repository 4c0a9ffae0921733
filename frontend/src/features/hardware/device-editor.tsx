import {
  Button,
  Checkbox,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type FormErrors, type UseFormReturnType, useForm } from "@mantine/form";
import { randomId } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type DeviceOut, type DeviceVocabulary, vocabularyQuery } from "@/api/catalog";
import { answer, ifMatch } from "@/api/client";
import { createDevice, updateDevice } from "@/api/gen/sdk.gen";
import { Dialog } from "@/components/dialog";
import { KIND_TITLES } from "@/components/kind-titles";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { figureTitle } from "./device-facts";
import {
  type DeviceForm,
  deviceFaults,
  deviceOfForm,
  emptyFigure,
  formOfDevice,
} from "./device-form";

type DeviceFormApi = UseFormReturnType<
  DeviceForm,
  DeviceForm,
  (values: DeviceForm) => FormErrors
>;

interface DeviceEditorProps {
  /** `null` adds a device. */
  readonly device: DeviceOut | null;
  readonly onClose: () => void;
}

export function DeviceEditor({ device, onClose }: DeviceEditorProps) {
  const queryClient = useQueryClient();
  const vocabulary = useQuery(vocabularyQuery());
  const form = useForm<DeviceForm>({
    initialValues: formOfDevice(device),
    validate: deviceFaults,
  });
  // Of the figures in the form: the list may be read again meanwhile.
  const [read] = useState(device?.etag);
  const save = useMutation({
    mutationFn: (values: DeviceForm) => {
      // The form has no rows for measured rates: they stay as they are.
      const body = {
        ...deviceOfForm(values),
        measurements: device?.measurements ?? [],
      };
      return answer(
        device === null
          ? createDevice({ body, throwOnError: true })
          : updateDevice({
              path: { device_id: device.id },
              body,
              ...ifMatch(read),
              throwOnError: true,
            }),
      );
    },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ["catalog"] });
      await queryClient.invalidateQueries({ queryKey: ["evaluations"] });
      showToast(`Saved: ${saved.name}`);
      onClose();
    },
  });
  const kinds =
    vocabulary.data?.kinds.map(({ name, title }) => ({ value: name, label: title })) ??
    [...KIND_TITLES].map(([value, label]) => ({ value, label }));
  return (
    <Dialog
      opened
      onClose={onClose}
      size="min(1100px, 95vw)"
      title={device === null ? "Add a device" : `Edit ${device.name}`}
      closeOnClickOutside={false}
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput
              label="Name"
              required
              maxLength={200}
              data-autofocus
              {...form.getInputProps("name")}
            />
            <Select
              label="Kind"
              data={kinds}
              allowDeselect={false}
              {...form.getInputProps("kind")}
            />
            <TextInput label="Year" {...form.getInputProps("year")} />
          </SimpleGrid>
          <FigureRows form={form} vocabulary={vocabulary.data} />
          <Textarea
            label="Notes"
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps("notes")}
          />
          {(save.error ?? vocabulary.error) !== null && (
            <ProblemAlert
              error={save.error ?? vocabulary.error}
              title="The device was not saved"
            />
          )}
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <Button variant="default" onClick={onClose}>
              Close without saving
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function FigureRows(props: {
  readonly form: DeviceFormApi;
  readonly vocabulary: DeviceVocabulary | undefined;
}) {
  const { form, vocabulary } = props;
  const known = vocabulary?.figures ?? [];
  const unitsOf = (name: string, present: string) =>
    known.find((figure) => figure.name === name)?.units ??
    (present === "" ? [] : [present]);
  return (
    <Stack gap="xs">
      <Text fw={600}>Figures</Text>
      <Text size="sm" c="dimmed">
        Random reads and writes per second, or the time of one of each, are needed for
        I/O times; a unit price or a rent for costs. Leave out what is not known.
      </Text>
      {form.values.figures.map((row, index) => (
        <SimpleGrid key={row.key} cols={{ base: 1, sm: 6 }} spacing="xs">
          <Select
            label="Figure"
            data={
              known.length === 0
                ? [{ value: row.name, label: figureTitle(row.name) }]
                : known.map(({ name, meaning }) => ({
                    value: name,
                    label: `${figureTitle(name)}: ${meaning}`,
                  }))
            }
            allowDeselect={false}
            searchable
            comboboxProps={{ width: 420, position: "bottom-start" }}
            {...form.getInputProps(`figures.${index}.name`)}
            onChange={(name) => {
              form.setFieldValue(`figures.${index}.name`, name ?? "");
              form.setFieldValue(
                `figures.${index}.unit`,
                unitsOf(name ?? "", "")[0] ?? "",
              );
            }}
          />
          <TextInput label="Value" {...form.getInputProps(`figures.${index}.value`)} />
          <Select
            label="Unit"
            data={unitsOf(row.name, row.unit)}
            allowDeselect={false}
            {...form.getInputProps(`figures.${index}.unit`)}
          />
          <TextInput
            label="Source"
            {...form.getInputProps(`figures.${index}.source`)}
          />
          <TextInput label="Date" {...form.getInputProps(`figures.${index}.date`)} />
          <Group align="flex-end">
            <Checkbox
              label="Assumed"
              mb={8}
              {...form.getInputProps(`figures.${index}.assumed`, { type: "checkbox" })}
            />
            <Button
              variant="default"
              onClick={() => form.removeListItem("figures", index)}
              aria-label={`Remove ${figureTitle(row.name)}`}
            >
              Remove
            </Button>
          </Group>
        </SimpleGrid>
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => form.insertListItem("figures", emptyFigure(randomId()))}
        >
          Add a figure
        </Button>
      </Group>
    </Stack>
  );
}
