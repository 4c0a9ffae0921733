import {
  Alert,
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
import { useState } from "react";
import { type DeviceOut, exchangeRatesQuery } from "@/api/catalog";
import { answer, ifMatch } from "@/api/client";
import { createPriceBook, getPriceBook, updatePriceBook } from "@/api/gen/sdk.gen";
import { ProblemError } from "@/api/problem";
import { Dialog } from "@/components/dialog";
import { KIND_TITLES } from "@/components/kind-titles";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { BASE_CURRENCY, currencyCode } from "@/units/currency";
import classes from "./hardware.module.css";
import {
  bookFaults,
  bookOfForm,
  emptyPrice,
  formOfBook,
  PRICE_UNITS,
  type PriceBookForm,
  startingRate,
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
  // Of the book as it was last read: another may be stored meanwhile.
  const [read, setRead] = useState(etag);
  const form = useForm<PriceBookForm>({
    initialValues: initial,
    validate: bookFaults,
  });
  const save = useMutation({
    mutationFn: ({
      values,
      etag: tag,
    }: {
      values: PriceBookForm;
      etag: string | null;
    }) => {
      const body = bookOfForm(values);
      return answer(
        id === null
          ? createPriceBook({ body, throwOnError: true })
          : updatePriceBook({
              path: { price_book_id: id },
              body,
              ...ifMatch(tag),
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
  const stored = useMutation({
    mutationFn: (bookId: string) =>
      answer(getPriceBook({ path: { price_book_id: bookId }, throwOnError: true })),
  });
  const takeStored = async (bookId: string) => {
    const book = await stored.mutateAsync(bookId);
    form.setValues(formOfBook(book));
    form.resetDirty();
    setRead(book.etag ?? null);
    save.reset();
  };
  const saveOver = async (bookId: string) => {
    const book = await stored.mutateAsync(bookId);
    setRead(book.etag ?? null);
    save.mutate({ values: form.getValues(), etag: book.etag ?? null });
  };
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
      closeOnEscape={!form.isDirty()}
    >
      <form
        onSubmit={form.onSubmit((values) => save.mutate({ values, etag: read }))}
        noValidate
      >
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
            <div key={row.key} className={classes["price"]}>
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
            </div>
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
          {id !== null && isConflict(save.error) ? (
            <Conflict
              name={initial.name}
              busy={stored.isPending || save.isPending}
              onTake={() => void takeStored(id)}
              onSaveOver={() => void saveOver(id)}
            />
          ) : (
            save.error !== null && (
              <ProblemAlert error={save.error} title="The price book was not saved" />
            )
          )}
          {stored.error !== null && (
            <ProblemAlert
              error={stored.error}
              title="The stored price book could not be loaded"
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

const CHANGED_MEANWHILE = 412;

const isConflict = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.status === CHANGED_MEANWHILE;

/** The book was saved elsewhere since it was opened here: what was typed is not lost. */
function Conflict(props: {
  readonly name: string;
  readonly busy: boolean;
  readonly onTake: () => void;
  readonly onSaveOver: () => void;
}) {
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      title="The price book was not saved"
      styles={{ title: { color: "var(--mantine-color-error)" } }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {props.name} was changed elsewhere after you opened it. Your changes are still
          here, but not saved.
        </Text>
        <Group>
          <Button
            size="xs"
            variant="default"
            loading={props.busy}
            onClick={props.onTake}
          >
            Discard my changes and load the stored version
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={props.busy}
            onClick={props.onSaveOver}
          >
            Replace it with my version
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** The currency of the book's prices, and the exchange rates that the book states. */
function CurrencyFields({ form }: { readonly form: UseFormReturnType<PriceBookForm> }) {
  const known = useQuery(exchangeRatesQuery(null)).data ?? [];
  const { currency, rates } = form.values;
  const addRate = (code: string) => {
    const found = known.find((rate) => rate.currency === code);
    form.insertListItem("rates", startingRate(randomId(), code, found));
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
          description="Applies to all prices below; changing it does not convert them."
          data={[BASE_CURRENCY, ...known.map((rate) => rate.currency)]}
          {...form.getInputProps("currency")}
          onChange={choose}
        />
      </SimpleGrid>
      {rates.map((rate, index) => (
        <div key={rate.key} className={classes["rate"]}>
          <TextInput
            label="Rate for"
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
        </div>
      ))}
      {currency !== BASE_CURRENCY && (
        <Text size="xs" c="dimmed">
          Totals are computed in USD: each price is divided by the rate for {currency}.
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
