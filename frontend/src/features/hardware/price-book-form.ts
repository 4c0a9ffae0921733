import type { PriceBookOut } from "@/api/catalog";
import type { PriceBookIn, PriceIn } from "@/api/gen/types.gen";
import { parseNumber } from "@/units/quantity";

export interface PriceBookForm {
  name: string;
  date: string;
  region: string;
  notes: string;
  prices: PriceRow[];
}

export type PriceUnit = PriceBookOut["prices"][number]["unit"];

/** The four ways a price is quoted; decimal and binary units stay what they are. */
export const PRICE_UNITS = {
  "USD/GB": "usd_per_gb",
  "USD/GiB": "usd_per_gib",
  "USD/GB/month": "usd_per_gb_month",
  "USD/GiB/month": "usd_per_gib_month",
} as const satisfies Readonly<Record<PriceUnit, keyof PriceIn>>;

export interface PriceRow {
  key: string;
  /** `device:<id>` or `kind:<kind>`. */
  target: string;
  amount: string;
  unit: PriceUnit;
  source: string;
  date: string;
  note: string;
}

export const emptyPrice = (key: string): PriceRow => ({
  key,
  target: "",
  amount: "",
  unit: "USD/GB",
  source: "",
  date: "",
  note: "",
});

export function formOfBook(book: PriceBookOut | null): PriceBookForm {
  if (book === null) {
    return { name: "", date: "", region: "", notes: "", prices: [emptyPrice("first")] };
  }
  return {
    name: book.name,
    date: book.date,
    region: book.region,
    notes: book.notes,
    prices: book.prices.map((price, index) => ({
      key: String(index),
      target:
        price.device_id === null
          ? `kind:${price.kind ?? ""}`
          : `device:${price.device_id}`,
      amount: price.usd,
      unit: price.unit,
      source: price.source,
      date: price.date ?? "",
      note: price.note,
    })),
  };
}

export function bookFaults(form: PriceBookForm): Record<string, string> {
  const faults: Record<string, string> = {};
  if (form.name.trim() === "") {
    faults["name"] = "give the price book a name";
  }
  if (!/^\d{4}(-\d{2}(-\d{2})?|-Q[1-4])?$/.test(form.date.trim())) {
    faults["date"] = `"${form.date}" is not a date; write 2026-03-31`;
  }
  for (const [index, row] of form.prices.entries()) {
    if (row.target === "") {
      faults[`prices.${index}.target`] = "choose a device or a kind";
    }
    if (parseNumber(row.amount) === null) {
      faults[`prices.${index}.amount`] = `"${row.amount}" is not a price in USD`;
    }
  }
  for (const [index, row] of form.prices.entries()) {
    if (row.source.trim() === "") {
      faults[`prices.${index}.source`] = "say where the price is from";
    }
  }
  if (form.prices.length === 0) {
    faults["name"] = "add at least one price";
  }
  return faults;
}

export function bookOfForm(form: PriceBookForm): PriceBookIn {
  return {
    name: form.name.trim(),
    date: form.date.trim(),
    region: form.region.trim(),
    notes: form.notes.trim(),
    currency: "USD",
    prices: form.prices.map((row) => {
      const [what, id = ""] = split(row.target);
      const amount = row.amount.trim().replaceAll(",", "");
      return {
        ...(what === "device" ? { device_id: id } : { kind: id }),
        [PRICE_UNITS[row.unit]]: amount,
        source: row.source.trim(),
        date: row.date.trim() === "" ? null : row.date.trim(),
        note: row.note,
      };
    }),
  };
}

function split(target: string): [string, string] {
  const colon = target.indexOf(":");
  return [target.slice(0, colon), target.slice(colon + 1)];
}
