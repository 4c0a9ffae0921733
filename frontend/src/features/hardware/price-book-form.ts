import type { PriceBookOut } from "@/api/catalog";
import type { PriceBookIn } from "@/api/gen/types.gen";
import { parseNumber } from "@/units/quantity";

export interface PriceBookForm {
  name: string;
  date: string;
  region: string;
  prices: PriceRow[];
}

export interface PriceRow {
  key: string;
  /** `device:<id>` or `kind:<kind>`. */
  target: string;
  amount: string;
  basis: "purchase" | "rent";
  source: string;
  date: string;
}

export const emptyPrice = (key: string): PriceRow => ({
  key,
  target: "",
  amount: "",
  basis: "purchase",
  source: "",
  date: "",
});

export function formOfBook(book: PriceBookOut | null): PriceBookForm {
  if (book === null) {
    return { name: "", date: "", region: "", prices: [emptyPrice("first")] };
  }
  return {
    name: book.name,
    date: book.date,
    region: book.region ?? "",
    prices: book.prices.map((price, index) => ({
      key: String(index),
      target:
        price.device_id === null
          ? `kind:${price.kind ?? ""}`
          : `device:${price.device_id}`,
      amount: price.usd_per_gb ?? price.usd_per_gb_month ?? "",
      basis: price.usd_per_gb === null ? "rent" : "purchase",
      source: price.source,
      date: price.date ?? "",
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
  if (form.prices.length === 0) {
    faults["name"] = "add at least one price";
  }
  return faults;
}

export function bookOfForm(form: PriceBookForm): PriceBookIn {
  return {
    name: form.name.trim(),
    date: form.date.trim(),
    region: form.region.trim() === "" ? null : form.region.trim(),
    currency: "USD",
    prices: form.prices.map((row) => {
      const [what, id = ""] = split(row.target);
      const amount = row.amount.trim().replaceAll(",", "");
      return {
        ...(what === "device" ? { device_id: id } : { kind: id }),
        ...(row.basis === "purchase"
          ? { usd_per_gb: amount }
          : { usd_per_gb_month: amount }),
        source: row.source.trim(),
        ...(row.date.trim() === "" ? {} : { date: row.date.trim() }),
      };
    }),
  };
}

function split(target: string): [string, string] {
  const colon = target.indexOf(":");
  return [target.slice(0, colon), target.slice(colon + 1)];
}
