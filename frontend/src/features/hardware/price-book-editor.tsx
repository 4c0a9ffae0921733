import {
  Autocomplete,
  Button,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { randomId } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type DeviceOut, exchangeRatesQuery } from "@/api/catalog";
import { answer, ifMatch } from "@/api/client";
import { createPriceBook, updatePriceBook } from "@/api/gen/sdk.gen";
import { Dialog } from "@/components/dialog";
import { KIND_TITLES } from "@/components/kind-titles";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { BASE_CURRENCY, currencyCode } from "@/units/currency";
import {
  bookFaults,
  bookOfForm,
  emptyPrice,
  PRICE_UNITS,
  type PriceBookForm,
  rateRow,
} from "./price-book-form";

interface PriceBookEditorProps {
  readonly id: string | null;
  /** Of the book that `initial` shows. */
  readonly etag: string | null;
  readonly initial: PriceBookForm;
  readonly devices: readonly DeviceOut[];
  readonly onClose: () => void;
}

export function PriceBookEditor({
  id,
  etag,
  initial,
  devices,
  onClose,
}: PriceBookEditorProps) {
  const queryClient = useQueryClient();
  const form = useForm<PriceBookForm>({
    initialValues: initial,
    validate: bookFaults,
    validateInputOnBlur: true,
  });
  const save = useMutation({
    mutationFn: (values: PriceBookForm) => {
      const body = bookOfForm(values);
      return answer(
        id === null
          ? createPriceBook({ body, throwOnError: true })
          : updatePriceBook({
              path: { price_book_id: id },
              body,
              ...ifMatch(etag),
              throwOnError: true,
            }),
      );
    },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ["catalog", "price-books"] });
      await queryClient.invalidateQueries({ queryKey: ["evaluations"] });
      showToast(`Saved: ${saved.name}`);
      onClose();
    },
  });
  const targets = [
    {
      group: "Every device of a kind",
      items: [...KIND_TITLES].map(([kind, label]) => ({
        value: `kind:${kind}`,
        label,
      })),
    },
    {
      group: "One device",
      items: devices.map((device) => ({
        value: `device:${device.id}`,
        label: device.name,
      })),
    },
  ];
  return (
    <Dialog
      opened
      onClose={onClose}
      size="min(1100px, 95vw)"
      title={id === null ? "Add a price book" : `Edit ${initial.name}`}
      closeOnClickOutside={false}
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput
              label="Name"
              required
              data-autofocus
              {...form.getInputProps("name")}
            />
            <TextInput
              label="Date"
              required
              placeholder="2026-03-31"
              {...form.getInputProps("date")}
            />
            <TextInput label="Region" {...form.getInputProps("region")} />
          </SimpleGrid>
          <CurrencyFields form={form} />
          {form.values.prices.map((row, index) => (
            <SimpleGrid key={row.key} cols={{ base: 1, sm: 6 }} spacing="xs">
              <Select
                label="For"
                data={targets}
                searchable
                allowDeselect={false}
                {...form.getInputProps(`prices.${index}.target`)}
              />
              <TextInput
                label="Price"
                {...form.getInputProps(`prices.${index}.amount`)}
              />
              <Select
                label="Unit"
                data={Object.keys(PRICE_UNITS).map((unit) => ({
                  value: unit,
                  label: `${form.values.currency}/${unit}`,
                }))}
                allowDeselect={false}
                {...form.getInputProps(`prices.${index}.unit`)}
              />
              <TextInput
                label="Source"
                {...form.getInputProps(`prices.${index}.source`)}
              />
              <TextInput label="Date" {...form.getInputProps(`prices.${index}.date`)} />
              <Group align="flex-end">
                <Button
                  variant="default"
                  onClick={() => form.removeListItem("prices", index)}
                  aria-label={`Remove price ${index + 1}`}
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
              onClick={() => form.insertListItem("prices", emptyPrice(randomId()))}
            >
              Add a price
            </Button>
          </Group>
          {save.error !== null && (
            <ProblemAlert error={save.error} title="The price book was not saved" />
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

/** The currency of the book's prices, and the exchange rates that the book states. */
function CurrencyFields({ form }: { readonly form: UseFormReturnType<PriceBookForm> }) {
  const known = useQuery(exchangeRatesQuery(null)).data ?? [];
  const { currency, rates } = form.values;
  const addRate = (code: string) => {
    const found = known.find((rate) => rate.currency === code);
    form.insertListItem("rates", rateRow(randomId(), code, found));
  };
  const choose = (text: string) => {
    const code = text.trim().toUpperCase();
    form.setFieldValue("currency", code);
    // A book in another currency needs its rate: the known one is a start.
    const stated = rates.some((rate) => rate.currency === code);
    if (currencyCode(code) !== undefined && !stated) {
      addRate(code);
    }
  };
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Autocomplete
          label="Currency"
          description="Of all prices below; changing it converts none of them."
          data={[BASE_CURRENCY, ...known.map((rate) => rate.currency)]}
          {...form.getInputProps("currency")}
          onChange={choose}
        />
      </SimpleGrid>
      {rates.map((rate, index) => (
        <SimpleGrid key={rate.key} cols={{ base: 1, sm: 5 }} spacing="xs">
          <TextInput
            label="Rate of"
            placeholder="EUR"
            {...form.getInputProps(`rates.${index}.currency`)}
            onChange={(event) =>
              form.setFieldValue(
                `rates.${index}.currency`,
                event.currentTarget.value.trim().toUpperCase(),
              )
            }
          />
          <TextInput
            label={`${rate.currency === "" ? "Units" : rate.currency} for 1 USD`}
            {...form.getInputProps(`rates.${index}.perUsd`)}
          />
          <TextInput
            label="Date of the rate"
            {...form.getInputProps(`rates.${index}.date`)}
          />
          <TextInput
            label="Source of the rate"
            {...form.getInputProps(`rates.${index}.source`)}
          />
          <Group align="flex-end">
            <Button
              variant="default"
              onClick={() => form.removeListItem("rates", index)}
              aria-label={`Remove rate ${index + 1}`}
            >
              Remove
            </Button>
          </Group>
        </SimpleGrid>
      ))}
      {currency !== BASE_CURRENCY && (
        <Text size="xs" c="dimmed">
          Sums are made in USD: each price is divided by the rate of {currency}.
        </Text>
      )}
      <Group>
        <Button size="compact-sm" variant="default" onClick={() => addRate("")}>
          Add an exchange rate
        </Button>
      </Group>
    </>
  );
}
