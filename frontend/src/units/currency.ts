/**
 * The currency that the page shows money in. It stands in the address, as `currency`; sums
 * are made in US dollars and converted by the server, once, at the end.
 */

export const BASE_CURRENCY = "USD";
const CODE = /^[A-Z]{3}$/;

/** A code of three letters other than the dollar's, or nothing. */
export const currencyCode = (value: unknown): string | undefined =>
  typeof value === "string" && CODE.test(value) && value !== BASE_CURRENCY
    ? value
    : undefined;

/** The currency of the present address. */
export function shownCurrency(): string {
  return currencyCode(parameters().get("currency")) ?? BASE_CURRENCY;
}

const STATED = /^\d{1,9}(\.\d{1,12})?@\d{4}(-[0-9Q-]{2,5})?$/;

/** A rate as its user states it, "0.88@2026-09-30": what one dollar is, and the day. */
export const statedRate = (value: unknown): string | undefined =>
  typeof value === "string" && STATED.test(value) ? value : undefined;

const parameters = (): URLSearchParams =>
  new URLSearchParams(typeof window === "undefined" ? "" : window.location.search);

/** What a question about money adds to its address; empty for dollars. */
export function moneyQuery(): Readonly<Record<string, string>> {
  const currency = shownCurrency();
  if (currency === BASE_CURRENCY) {
    return {};
  }
  const stated = statedRate(parameters().get("per_usd"));
  return { currency, ...(stated === undefined ? {} : { per_usd: stated }) };
}

/** The rate that the address states; `null` where it states none. */
export function ownRate(): ExchangeRate | null {
  const { currency, per_usd: stated } = moneyQuery();
  const [rate, date] = stated?.split("@") ?? [];
  return currency === undefined || rate === undefined || date === undefined
    ? null
    : { currency, per_usd: rate, date, source: "stated by the user" };
}

/** A sum in dollars in the currency of a rate. */
export const converted = (usd: number, rate: ExchangeRate | null): number =>
  rate === null ? usd : usd * Number(rate.per_usd);

/** How the server says at which rate an answer was converted. */
export interface ExchangeRate {
  readonly currency: string;
  readonly per_usd: string;
  readonly date: string;
  readonly source: string;
}

/** "1 USD = 0.88067 EUR on 2026-09-30. European Central Bank." */
export function rateText(rate: ExchangeRate): string {
  const source = rate.source.split(";")[0]?.trim() ?? "";
  const perUsd = Number(rate.per_usd);
  const whole = Math.floor(Math.log10(perUsd)) + 1;
  const stated = perUsd.toLocaleString("en-US", {
    // Five digits of 156.9969 would read as a round 157.
    maximumSignificantDigits: Math.max(RATE_DIGITS, whole + RATE_DECIMALS),
  });
  const said = `1 USD = ${stated} ${rate.currency} on ${rate.date}.`;
  return source === "" ? said : `${said} ${source}.`;
}

const RATE_DIGITS = 5;
/** Digits that a rate has behind the point at least. */
const RATE_DECIMALS = 3;

/** The rate that an answer names; `null` where its money is in dollars. */
export function rateOf(answer: unknown): ExchangeRate | null {
  if (typeof answer !== "object" || answer === null || !("exchange_rate" in answer)) {
    return null;
  }
  return (answer.exchange_rate as ExchangeRate | null) ?? null;
}

/** Units of the currency shown for one dollar. */
export const perDollar = (answer: unknown): number =>
  Number(rateOf(answer)?.per_usd ?? 1);

/** What a dollar buys, by its key: figures that are divided by the rate, not multiplied. */
const A_DOLLAR = new Set(["dram_next", "flash_next"]);
/** Products of money and time, which have no amount of their own. */
const PRODUCTS = new Set(["price_times_time"]);

/**
 * The answer with its money in the currency it was asked in: every amount of dollars gives way
 * to the neighbour that the server put beside it (`usd_per_month`: `eur_per_month`).
 */
export function inCurrencyShown(answer: unknown): unknown {
  const rate = rateOf(answer);
  return rate === null ? answer : folded(answer, rate);
}

function folded(value: unknown, rate: ExchangeRate): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => folded(entry, rate));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(entries).map(([key, entry]) => {
      const beside = key.replace(/(^|_)usd(?=_|$)/, `$1${rate.currency.toLowerCase()}`);
      if (beside !== key && beside in entries) {
        return [key, entries[beside]];
      }
      if (A_DOLLAR.has(key)) {
        return [key, scaled(entry, 1 / Number(rate.per_usd))];
      }
      return [
        key,
        PRODUCTS.has(key) ? scaled(entry, Number(rate.per_usd)) : folded(entry, rate),
      ];
    }),
  );
}

function scaled(value: unknown, factor: number): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => scaled(entry, factor));
  }
  return typeof value === "number" ? value * factor : value;
}
