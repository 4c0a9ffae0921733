import type { PriceBookOut } from "@/api/catalog";
import type {
  ExchangeRateOut,
  PriceBookIn,
  PriceIn,
  RentIn,
  RentOut,
} from "@/api/gen/types.gen";
import { BASE_CURRENCY } from "@/units/currency";
import { parseNumber } from "@/units/quantity";

export interface PriceBookForm {
  name: string;
  date: string;
  region: string;
  notes: string;
  /** Of the prices as they are typed. */
  currency: string;
  rates: RateRow[];
  prices: PriceRow[];
  /** Rents of instances and volumes, as they were loaded: no field changes them. */
  rents: RentIn[];
}

/** The four ways a price is quoted; decimal and binary units stay what they are. */
export const PRICE_UNITS = {
  GB: "per_gb",
  GiB: "per_gib",
  "GB/month": "per_gb_month",
  "GiB/month": "per_gib_month",
} as const satisfies Readonly<Record<string, keyof PriceIn>>;

export type PriceUnit = keyof typeof PRICE_UNITS;

/** What one US dollar is in another currency. */
export interface RateRow {
  key: string;
  currency: string;
  perUsd: string;
  date: string;
  source: string;
}

export interface PriceRow {
  key: string;
  /** `device:<id>` or `kind:<kind>`. */
  target: string;
  amount: string;
  unit: PriceUnit;
  source: string;
  date: string;
  note: string;
  /** Range that the book states, of the price as it was loaded: another price has another. */
  range?: { low: string; high: string; of: string };
}

const priceOf = (row: Pick<PriceRow, "target" | "amount" | "unit">): string =>
  `${row.target} ${row.amount} ${row.unit}`;

export const emptyPrice = (key: string): PriceRow => ({
  key,
  target: "",
  amount: "",
  unit: "GB",
  source: "",
  date: "",
  note: "",
});

/** A rate to fill in, or one that is known, to start from. */
export const rateRow = (
  key: string,
  currency: string,
  known?: Pick<ExchangeRateOut, "per_usd" | "date" | "source">,
): RateRow => ({
  key,
  currency,
  perUsd: known?.per_usd ?? "",
  date: known?.date ?? "",
  source: known?.source ?? "",
});

const RATE_DIGITS = 7;

/**
 * A known rate to start from. It may be a quotient without end, which a book does not hold: to
 * seven digits it differs by less than any bank's margin, and it can be read.
 */
export const startingRate = (
  key: string,
  currency: string,
  known?: Pick<ExchangeRateOut, "per_usd" | "date" | "source">,
): RateRow =>
  rateRow(
    key,
    currency,
    known && {
      ...known,
      per_usd: String(Number(Number(known.per_usd).toPrecision(RATE_DIGITS))),
    },
  );

/** A price as its book states it: in the currency of the book. */
export const statedAmount = (price: BookPrice): string => price.stated ?? price.usd;

export const statedUnit = (price: BookPrice, currency: string): string =>
  `${currency}/${unitOf(price)}`;

type BookPrice = PriceBookOut["prices"][number];

// The server names units by the dollars that it converts to.
const unitOf = (price: BookPrice): PriceUnit =>
  price.unit.replace(/^USD\//, "") as PriceUnit;

/** The capacity that a price is of. */
export const capacityOf = (price: BookPrice): "GB" | "GiB" =>
  unitOf(price).startsWith("GiB") ? "GiB" : "GB";

export function formOfBook(book: PriceBookOut | null): PriceBookForm {
  if (book === null) {
    return {
      name: "",
      date: "",
      region: "",
      notes: "",
      currency: BASE_CURRENCY,
      rates: [],
      prices: [emptyPrice("first")],
      rents: [],
    };
  }
  return {
    name: book.name,
    date: book.date,
    region: book.region,
    notes: book.notes,
    currency: book.currency,
    rates: book.exchange_rates.map((rate) =>
      rateRow(rate.currency, rate.currency, rate),
    ),
    prices: book.prices.map((price, index) => {
      const row: PriceRow = {
        key: String(index),
        target:
          price.device_id === null
            ? `kind:${price.kind ?? ""}`
            : `device:${price.device_id}`,
        amount: statedAmount(price),
        unit: unitOf(price),
        source: price.source,
        date: price.date ?? "",
        note: price.note,
      };
      const { low, high } = price;
      return low === null || high === null
        ? row
        : { ...row, range: { low, high, of: priceOf(row) } };
    }),
    rents: book.rents.map(rentIn),
  };
}

/** A rent as the server takes it, in the currency of its book. */
function rentIn({ instance, volume, figure, usd, stated, ...rent }: RentOut): RentIn {
  const { source, date, region, note } = rent;
  return {
    ...(instance === null ? { volume } : { instance }),
    [stated === null ? figure : figure.replace("usd_", "")]: stated ?? usd,
    ...{ source, date, region, note },
  };
}

const DATE = /^\d{4}(-\d{2}(-\d{2})?|-Q[1-4])?$/;
const CODE = /^[A-Z]{3}$/;

function currencyFault({ currency, rates }: PriceBookForm): string | null {
  if (!CODE.test(currency)) {
    return `"${currency}" is not a code of three letters such as EUR`;
  }
  return currency === BASE_CURRENCY || rates.some((rate) => rate.currency === currency)
    ? null
    : `add the exchange rate of ${currency}`;
}

/** What is wrong with each field of a rate; the rates before it count as stated. */
function rateFaults(
  { currency, perUsd, date, source }: RateRow,
  before: readonly RateRow[],
): Partial<Record<keyof RateRow, string>> {
  return {
    ...(!CODE.test(currency) || currency === BASE_CURRENCY
      ? { currency: "write a code of three letters other than USD" }
      : before.some((rate) => rate.currency === currency) && {
          currency: `${currency} already has a rate`,
        }),
    ...((parseNumber(perUsd) ?? 0) <= 0 && {
      perUsd: `"${perUsd}" is not a rate above 0`,
    }),
    ...(!DATE.test(date.trim()) && { date: dateFault(date) }),
    ...(source.trim() === "" && { source: "state the source of the rate" }),
  };
}

const dateFault = (text: string) => `"${text}" is not a date; write 2026-03-31`;

function priceFaults({ currency, prices }: PriceBookForm): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const [index, row] of prices.entries()) {
    if (row.target === "") {
      faults[`prices.${index}.target`] = "choose a device or a kind";
    }
    if (parseNumber(row.amount) === null) {
      faults[`prices.${index}.amount`] =
        `"${row.amount}" is not a price in ${currency}`;
    }
    if (row.source.trim() === "") {
      faults[`prices.${index}.source`] = "state the source of the price";
    }
  }
  return faults;
}

export function bookFaults(form: PriceBookForm): Record<string, string> {
  const faults: Record<string, string> = {};
  if (form.name.trim() === "") {
    faults["name"] = "give the price book a name";
  }
  if (!DATE.test(form.date.trim())) {
    faults["date"] = dateFault(form.date);
  }
  const currency = currencyFault(form);
  if (currency !== null) {
    faults["currency"] = currency;
  }
  for (const [index, rate] of form.rates.entries()) {
    const found = rateFaults(rate, form.rates.slice(0, index));
    for (const [field, fault] of Object.entries(found)) {
      faults[`rates.${index}.${field}`] = fault;
    }
  }
  Object.assign(faults, priceFaults(form));
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
    currency: form.currency,
    exchange_rates: form.rates.map((rate) => ({
      currency: rate.currency,
      per_usd: plainNumber(rate.perUsd),
      date: rate.date.trim(),
      source: rate.source.trim(),
    })),
    prices: form.prices.map((row) => {
      const [what, id = ""] = split(row.target);
      return {
        ...(what === "device" ? { device_id: id } : { kind: id }),
        [PRICE_UNITS[row.unit]]: plainNumber(row.amount),
        ...(row.range?.of === priceOf(row)
          ? { low: row.range.low, high: row.range.high }
          : {}),
        source: row.source.trim(),
        date: row.date.trim() === "" ? null : row.date.trim(),
        note: row.note,
      };
    }),
    ...(form.rents.length > 0 ? { rents: form.rents } : {}),
  };
}

/** Without the separators of thousands, which the server does not read. */
const plainNumber = (text: string): string => text.trim().replaceAll(",", "");

function split(target: string): [string, string] {
  const colon = target.indexOf(":");
  return [target.slice(0, colon), target.slice(colon + 1)];
}
