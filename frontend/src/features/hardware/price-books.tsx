import { Badge, Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type DeviceOut, type PriceBookOut, useShownRate } from "@/api/catalog";
import { answer } from "@/api/client";
import { deletePriceBook } from "@/api/gen/sdk.gen";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { DeleteButton } from "@/components/delete-button";
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import { BASE_CURRENCY, converted, rateText, shownCurrency } from "@/units/currency";
import { formatPrice, usd } from "@/units/quantity";
import { kindTitle } from "./device-facts";
import { PriceBookEditor } from "./price-book-editor";
import {
  capacityOf,
  formOfBook,
  type PriceBookForm,
  statedAmount,
  statedUnit,
} from "./price-book-form";

type Price = PriceBookOut["prices"][number];
type Rent = PriceBookOut["rents"][number];

interface Editing {
  /** `null` makes a new own book of what is typed. */
  readonly id: string | null;
  readonly etag: string | null;
  readonly form: PriceBookForm;
}

export function PriceBooks(props: {
  readonly books: readonly PriceBookOut[];
  readonly devices: readonly DeviceOut[];
}) {
  const { books, devices } = props;
  const [open, setOpen] = useState<string | null>(null);
  const [editing, setEditing] = useState<Editing | null>(null);
  return (
    <Panel
      title="Price books"
      subtitle="Dated lists of prices, for a device or for every device of a kind"
      actions={
        <Button
          variant="default"
          onClick={() => setEditing({ id: null, etag: null, form: formOfBook(null) })}
        >
          Add a price book
        </Button>
      }
    >
      <DataTable
        label="Price books"
        columns={[
          { key: "Name", rowHeader: true, cell: (book) => <BookName book={book} /> },
          { key: "Date", align: "text", cell: (book) => book.date },
          {
            key: "Region",
            align: "text",
            cell: ({ region }) =>
              region === "" ? (
                <Unknown reason="no region is stated for these prices" />
              ) : (
                region
              ),
          },
          { key: "Prices", cell: (book) => book.prices.length + book.rents.length },
          {
            key: "Actions",
            align: "text",
            cell: (book) => (
              <BookActions
                book={book}
                open={open === book.id}
                onToggle={() => setOpen(open === book.id ? null : book.id)}
                onEdit={setEditing}
              />
            ),
          },
        ]}
        rows={books}
        rowKey={(book) => book.id}
        details={(book) =>
          open === book.id ? <PriceTable book={book} devices={devices} /> : null
        }
      />
      {editing !== null && (
        <PriceBookEditor
          id={editing.id}
          etag={editing.etag}
          initial={editing.form}
          devices={devices}
          onClose={() => setEditing(null)}
        />
      )}
    </Panel>
  );
}

function BookName({ book }: { readonly book: PriceBookOut }) {
  const marks = [
    ...(book.origin === "own" ? ["own"] : []),
    ...(book.imported ? ["imported"] : []),
    ...(book.default ? ["default"] : []),
    ...(book.retired !== "" ? ["retired"] : []),
  ];
  return (
    <>
      {book.name}
      {marks.map((mark) => (
        <Badge key={mark} size="sm" variant="default" ml={8}>
          {mark}
        </Badge>
      ))}
    </>
  );
}

function BookActions(props: {
  readonly book: PriceBookOut;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly onEdit: (editing: Editing) => void;
}) {
  const { book, open, onToggle, onEdit } = props;
  const form = formOfBook(book);
  return (
    <Group gap={6} wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        aria-expanded={open}
        aria-label={`Prices of ${book.name}`}
        onClick={onToggle}
      >
        Prices
      </Button>
      {book.origin === "own" && !book.imported ? (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Edit ${book.name}`}
          onClick={() => onEdit({ id: book.id, etag: book.etag ?? null, form })}
        >
          Edit
        </Button>
      ) : (
        // Shipped ones stay as they are, and so do those that their content names.
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Copy ${book.name} to your own price books`}
          onClick={() =>
            onEdit({
              id: null,
              etag: null,
              form: { ...form, name: `${book.name} (copy)` },
            })
          }
        >
          Copy
        </Button>
      )}
      {book.origin === "own" && <DeleteBook book={book} />}
    </Group>
  );
}

function PriceTable(props: {
  readonly book: PriceBookOut;
  readonly devices: readonly DeviceOut[];
}) {
  const { book, devices } = props;
  const target = (price: Price) =>
    price.device_id === null
      ? `every ${kindTitle(price.kind ?? "")}`
      : (devices.find((device) => device.id === price.device_id)?.name ??
        price.device_id);
  return (
    <>
      {book.notes !== "" && <Text size="sm">{book.notes}</Text>}
      {book.retired !== "" && <Text size="sm">Retired: {book.retired}.</Text>}
      {book.absent.map(({ kind, reason }) => (
        <Text size="sm" key={kind}>
          No price for {kindTitle(kind)}: {reason}.
        </Text>
      ))}
      {book.exchange_rates.map((rate) => (
        <Text size="sm" key={rate.currency}>
          {rateText(rate)}
        </Text>
      ))}
      <BookTable book={book} target={target} />
      {book.rents.length > 0 && <RentTable book={book} />}
    </>
  );
}

function BookTable(props: {
  readonly book: PriceBookOut;
  readonly target: (price: Price) => string;
}) {
  const { book, target } = props;
  const shown = shownCurrency();
  const rate = useShownRate(book.id);
  const inShownCurrency: Column<Price> = {
    key: `In ${shown}`,
    cell: (price) =>
      formatPrice(usd(converted(Number(price.usd), rate)), capacityOf(price)),
  };
  const beside = shown !== book.currency && (shown === BASE_CURRENCY || rate !== null);
  return (
    <DataTable
      label={`Prices of ${book.name}`}
      columns={[
        { key: "For", rowHeader: true, cell: target },
        {
          key: beside ? "As quoted" : "Price",
          cell: (price) =>
            formatPrice(usd(Number(statedAmount(price))), capacityOf(price)),
        },
        {
          key: "Unit",
          align: "text",
          cell: (price) => statedUnit(price, book.currency),
        },
        ...(beside ? [inShownCurrency] : []),
        {
          key: "Date",
          align: "text",
          cell: (price) =>
            price.date ?? <Unknown reason="the source carries no date" />,
        },
        {
          key: "Source",
          align: "text",
          cell: (price) => (
            <span style={{ overflowWrap: "anywhere" }}>{price.source}</span>
          ),
        },
      ]}
      rows={book.prices}
      rowKey={(price) => `${price.device_id} ${price.kind} ${price.unit}`}
    />
  );
}

const RENT_TITLES: Readonly<Record<Rent["figure"], string>> = {
  usd_per_hour: "instance",
  usd_per_gib_month: "capacity",
  usd_per_iops_month: "IOPS above the included ones",
  usd_per_mb_per_s_month: "throughput above the included one",
};

/** Rents of instances and volumes: the advisor rents them at these. */
function RentTable({ book }: { readonly book: PriceBookOut }) {
  return (
    <DataTable
      label={`Rents of ${book.name}`}
      columns={[
        {
          key: "For",
          rowHeader: true,
          cell: (rent) => rent.instance ?? rent.volume ?? "",
        },
        { key: "Rent of", align: "text", cell: (rent) => RENT_TITLES[rent.figure] },
        {
          key: "Rent",
          cell: (rent) => rent.stated ?? rent.usd,
        },
        {
          key: "Unit",
          align: "text",
          cell: (rent) => rent.unit.replace(/^USD/, book.currency),
        },
        {
          key: "Region",
          align: "text",
          cell: ({ region }) =>
            region === "" ? <Unknown reason="no region is stated" /> : region,
        },
        {
          key: "Date",
          align: "text",
          cell: (rent) => rent.date ?? <Unknown reason="the source carries no date" />,
        },
        {
          key: "Source",
          align: "text",
          cell: (rent) => (
            <span style={{ overflowWrap: "anywhere" }}>{rent.source}</span>
          ),
        },
      ]}
      rows={book.rents}
      rowKey={(rent) => `${rent.instance} ${rent.volume} ${rent.figure}`}
    />
  );
}

function DeleteBook({ book }: { readonly book: PriceBookOut }) {
  const queryClient = useQueryClient();
  return (
    <DeleteButton
      inTable
      what="price book"
      name={book.name}
      consequence={`${book.name} and its prices will be deleted.`}
      remove={() =>
        answer(
          deletePriceBook({ path: { price_book_id: book.id }, throwOnError: true }),
        )
      }
      onRemoved={() =>
        queryClient.invalidateQueries({ queryKey: ["catalog", "price-books"] })
      }
    />
  );
}
