import {
  Button,
  Group,
  Modal,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type FormErrors, type UseFormReturnType, useForm } from "@mantine/form";
import { randomId } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { DeviceOut } from "@/api/catalog";
import { answer } from "@/api/client";
import { createDevice, updateDevice } from "@/api/gen/sdk.gen";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { FIGURES, figureTitle, KINDS } from "./device-facts";
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
  const form = useForm<DeviceForm>({
    initialValues: formOfDevice(device),
    validate: deviceFaults,
    validateInputOnBlur: true,
  });
  const save = useMutation({
    mutationFn: (values: DeviceForm) => {
      const body = deviceOfForm(values);
      return answer(
        device === null
          ? createDevice({ body, throwOnError: true })
          : updateDevice({ path: { device_id: device.id }, body, throwOnError: true }),
      );
    },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ["catalog"] });
      await queryClient.invalidateQueries({ queryKey: ["evaluations"] });
      showToast(`Saved: ${saved.name}`);
      onClose();
    },
  });
  const kinds = Object.entries(KINDS).map(([value, kind]) => ({
    value,
    label: kind.title,
  }));
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
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
            <TextInput label="Capacity [GB]" {...form.getInputProps("capacityGb")} />
            <TextInput
              label="Page size of the rates [bytes]"
              {...form.getInputProps("pageBytes")}
            />
            <TextInput
              label="Queue depth of the rates"
              {...form.getInputProps("queueDepth")}
            />
            <TextInput label="Price [USD/GB]" {...form.getInputProps("usdPerGb")} />
            <TextInput
              label="Rent [USD/GB per month]"
              {...form.getInputProps("usdPerGbMonth")}
            />
            <TextInput label="Date of the price" {...form.getInputProps("priceDate")} />
          </SimpleGrid>
          <FigureRows form={form} />
          <Textarea
            label="Notes"
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps("notes")}
          />
          {save.error !== null && (
            <ProblemAlert error={save.error} title="The device was not saved" />
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
    </Modal>
  );
}

function FigureRows({ form }: { readonly form: DeviceFormApi }) {
  const names = [
    ...new Set([
      ...Object.keys(FIGURES),
      ...form.values.figures.map((row) => row.name),
    ]),
  ].filter((name) => name !== "");
  return (
    <Stack gap="xs">
      <Text fw={600}>Figures</Text>
      <Text size="sm" c="dimmed">
        Random reads and writes per second, or the time of one of each, are needed to
        compute I/O times.
      </Text>
      {form.values.figures.map((row, index) => (
        <SimpleGrid key={row.key} cols={{ base: 1, sm: 6 }} spacing="xs">
          <Select
            label="Figure"
            data={names.map((name) => ({ value: name, label: figureTitle(name) }))}
            allowDeselect={false}
            searchable
            {...form.getInputProps(`figures.${index}.name`)}
            onChange={(name) => {
              form.setFieldValue(`figures.${index}.name`, name ?? "");
              form.setFieldValue(
                `figures.${index}.unit`,
                FIGURES[name ?? ""]?.unit ?? row.unit,
              );
            }}
          />
          <TextInput label="Value" {...form.getInputProps(`figures.${index}.value`)} />
          <TextInput label="Unit" {...form.getInputProps(`figures.${index}.unit`)} />
          <TextInput
            label="Source"
            {...form.getInputProps(`figures.${index}.source`)}
          />
          <TextInput label="Date" {...form.getInputProps(`figures.${index}.date`)} />
          <Group align="flex-end">
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
