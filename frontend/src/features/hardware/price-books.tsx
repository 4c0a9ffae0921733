import { Badge, Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { type DeviceOut, type PriceBookOut, useShownRate } from "@/api/catalog";
import { answer } from "@/api/client";
import { deletePriceBook } from "@/api/gen/sdk.gen";
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
      <div className="tw-scroll">
        <table className="tw-table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Date</th>
              <th scope="col">Region</th>
              <th scope="col" className="num">
                Prices
              </th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {books.map((book) => (
              <Fragment key={book.id}>
                <tr>
                  <th scope="row">
                    {book.name}
                    {book.origin === "own" && (
                      <Badge size="sm" variant="default" ml={8}>
                        own
                      </Badge>
                    )}
                    {book.default && (
                      <Badge size="sm" variant="default" ml={8}>
                        default
                      </Badge>
                    )}
                    {book.retired !== "" && (
                      <Badge size="sm" variant="default" ml={8}>
                        retired
                      </Badge>
                    )}
                  </th>
                  <td>{book.date}</td>
                  <td>
                    {book.region === "" ? (
                      <Unknown reason="no region is stated for these prices" />
                    ) : (
                      book.region
                    )}
                  </td>
                  <td className="num">{book.prices.length}</td>
                  <td>
                    <Group gap={6} wrap="nowrap">
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-expanded={open === book.id}
                        aria-label={`Prices of ${book.name}`}
                        onClick={() => setOpen(open === book.id ? null : book.id)}
                      >
                        Prices
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={
                          book.origin === "own"
                            ? `Edit ${book.name}`
                            : `Copy ${book.name} to your own price books`
                        }
                        onClick={() =>
                          setEditing(
                            book.origin === "own"
                              ? {
                                  id: book.id,
                                  etag: book.etag ?? null,
                                  form: formOfBook(book),
                                }
                              : {
                                  id: null,
                                  etag: null,
                                  form: {
                                    ...formOfBook(book),
                                    name: `${book.name} (copy)`,
                                  },
                                },
                          )
                        }
                      >
                        {book.origin === "own" ? "Edit" : "Copy"}
                      </Button>
                      {book.origin === "own" && <DeleteBook book={book} />}
                    </Group>
                  </td>
                </tr>
                {open === book.id && (
                  <tr>
                    <td colSpan={5}>
                      <PriceTable book={book} devices={devices} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
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

function PriceTable(props: {
  readonly book: PriceBookOut;
  readonly devices: readonly DeviceOut[];
}) {
  const { book, devices } = props;
  const target = (price: PriceBookOut["prices"][number]) =>
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
    </>
  );
}

function BookTable(props: {
  readonly book: PriceBookOut;
  readonly target: (price: PriceBookOut["prices"][number]) => string;
}) {
  const { book, target } = props;
  const shown = shownCurrency();
  const rate = useShownRate(book.id);
  const beside = shown !== book.currency && (shown === BASE_CURRENCY || rate !== null);
  return (
    <table className="tw-table" aria-label={`Prices of ${book.name}`}>
      <thead>
        <tr>
          <th scope="col">For</th>
          <th scope="col" className="num">
            {beside ? "As quoted" : "Price"}
          </th>
          <th scope="col">Unit</th>
          {beside && (
            <th scope="col" className="num">
              In {shown}
            </th>
          )}
          <th scope="col">Date</th>
          <th scope="col">Source</th>
        </tr>
      </thead>
      <tbody>
        {book.prices.map((price) => (
          <tr key={`${price.device_id} ${price.kind} ${price.unit}`}>
            <th scope="row">{target(price)}</th>
            <td className="num">
              {formatPrice(usd(Number(statedAmount(price))), capacityOf(price))}
            </td>
            <td>{statedUnit(price, book.currency)}</td>
            {beside && (
              <td className="num">
                {formatPrice(
                  usd(converted(Number(price.usd), rate)),
                  capacityOf(price),
                )}
              </td>
            )}
            <td>{price.date ?? <Unknown reason="the source carries no date" />}</td>
            <td style={{ overflowWrap: "anywhere" }}>{price.source}</td>
          </tr>
        ))}
      </tbody>
    </table>
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
