/**
 * Quantities, and the only place where the page formats and parses them.
 *
 * A `Quantity<U>` is a number the compiler tells apart by its unit. Binary units
 * (KiB, MiB, ...) are used for memory and page sizes, decimal units (GB, TB) for
 * device capacities; the two are never mixed in one text.
 */

import { shownCurrency } from "./currency";

declare const unit: unique symbol;

export type Quantity<U extends string> = number & { readonly [unit]: U };

export type Pages = Quantity<"page">;
export type Bytes = Quantity<"byte">;
export type Microseconds = Quantity<"microsecond">;
export type Usd = Quantity<"USD">;
export type Ratio = Quantity<"ratio">;

export const pages = (value: number): Pages => value as Pages;
export const bytes = (value: number): Bytes => value as Bytes;
export const microseconds = (value: number): Microseconds => value as Microseconds;
export const usd = (value: number): Usd => value as Usd;
export const ratio = (value: number): Ratio => value as Ratio;

/** Shown where a figure is not known; the reason goes into the tooltip. */
export const UNKNOWN = "–";

export const SIGNIFICANT_DIGITS = 3;

export const bytesOfPages = (count: Pages, pageBytes: Bytes): Bytes =>
  bytes(count * pageBytes);

// `toLocaleString` makes a new formatter each time, which costs more than all of a chart.
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const formatters = new Map<string, Intl.NumberFormat>();

/** The formatter to a number of significant digits, padded with zeros or not. */
function significant(digits: number, padded: boolean): Intl.NumberFormat {
  const key = `${digits} ${padded}`;
  const known = formatters.get(key);
  if (known !== undefined) {
    return known;
  }
  const made = new Intl.NumberFormat("en-US", {
    ...(padded ? { minimumSignificantDigits: digits } : {}),
    maximumSignificantDigits: digits,
  });
  formatters.set(key, made);
  return made;
}

/** Thousands separated, every digit shown: for counts that are exact. */
export function formatCount(value: number): string {
  return WHOLE.format(Math.round(value));
}

const LARGE = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
] as const;

/** A count in words that are read at a glance: "5.18 billion", "3.07 million", "50,000". */
export function formatLargeCount(value: number): string {
  const found = LARGE.find(([size]) => value >= size * 0.9995);
  return found === undefined
    ? formatShort(value)
    : `${formatShort(value / found[0])} ${found[1]}`;
}

/**
 * A number to `digits` significant digits, without exponent between 1e-4 and 1e15.
 * Integers above the digits are rounded too (1234 -> "1,230"), so that a figure
 * never looks more exact than it is.
 */
export function formatNumber(value: number, digits = SIGNIFICANT_DIGITS): string {
  if (!Number.isFinite(value)) {
    return UNKNOWN;
  }
  if (value === 0) {
    return "0";
  }
  const magnitude = Math.abs(value);
  if (magnitude < 1e-4 || magnitude >= 1e15) {
    return value.toExponential(digits - 1).replace("e+", "e");
  }
  return significant(digits, true).format(value);
}

/** Like `formatNumber`, without padding zeros ("4" instead of "4.00"). */
export function formatShort(value: number, digits = SIGNIFICANT_DIGITS): string {
  if (!Number.isFinite(value)) {
    return UNKNOWN;
  }
  const magnitude = Math.abs(value);
  if (value !== 0 && (magnitude < 1e-4 || magnitude >= 1e15)) {
    return formatNumber(value, digits);
  }
  return significant(digits, false).format(value);
}

const BINARY_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;
const DECIMAL_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

function scaled(
  value: number,
  base: number,
  units: readonly string[],
  exactDigits?: number,
): string {
  let scaledValue = value;
  let index = 0;
  // 999.5 would round to "1,000" with three digits: step up before that happens.
  const limit = base === 1024 ? 1023.5 : 999.5;
  while (Math.abs(scaledValue) >= limit && index < units.length - 1) {
    scaledValue /= base;
    index += 1;
  }
  const digits =
    exactDigits ?? (Math.abs(scaledValue) >= 1000 ? 4 : SIGNIFICANT_DIGITS);
  return `${formatShort(scaledValue, digits)} ${units[index]}`;
}

/** Memory and page sizes: binary units. */
export function formatBytes(value: Bytes): string {
  return Number.isFinite(value) ? scaled(value, 1024, BINARY_UNITS) : UNKNOWN;
}

const MOST_EXACT_DIGITS = 9;

/** A size for a field: the shortest text that means the very same bytes, so that "2 TB" stays as it was typed. */
export function formatBytesExactly(value: Bytes): string {
  const one = bytes(1);
  for (let digits = 1; digits <= MOST_EXACT_DIGITS; digits += 1) {
    for (const [factor, units] of [
      [1024, BINARY_UNITS],
      [1000, DECIMAL_UNITS],
    ] as const) {
      const text = scaled(value, factor, units, digits);
      const read = parseSize(text, one);
      if (read.ok && Number(read.value) === Number(value)) {
        return text;
      }
    }
  }
  return formatBytes(value);
}

/** Device capacities, as the vendors print them: decimal units. */
export function formatCapacity(value: Bytes): string {
  return Number.isFinite(value) ? scaled(value, 1000, DECIMAL_UNITS) : UNKNOWN;
}

/**
 * A count with what it counts: "1 access", "1,200 bad records". `one` and `many` may be all of the
 * sentence that changes with the number; unless given, `many` is the regular plural of `one`. A
 * count that is a text is shown as it is: "2.5".
 */
export function counted(
  count: number | string,
  one: string,
  many = plural(one),
): string {
  const text = typeof count === "number" ? formatCount(count) : count;
  return `${text} ${text === "1" ? one : many}`;
}

function plural(noun: string): string {
  if (/(s|x|ch|sh)$/.test(noun)) {
    return `${noun}es`;
  }
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

const LIST = new Intl.ListFormat("en-GB");

/** "A, B and C" */
export const listed = (names: readonly string[]): string => LIST.format(names);

export function formatPages(value: Pages): string {
  return counted(value, "page");
}

/** "5,400 pages (42.2 MiB)" */
export function formatPagesAndBytes(value: Pages, pageBytes: Bytes): string {
  return `${formatPages(value)} (${formatBytes(bytesOfPages(value, pageBytes))})`;
}

/** Digits below this would say what no model knows. */
const LEAST_SHARE = 1e-4;

/** A ratio in per cent: "97.5 %", "under 0.01 %". */
export function formatPercent(value: Ratio, digits = SIGNIFICANT_DIGITS): string {
  if (!Number.isFinite(value)) {
    return UNKNOWN;
  }
  if (value > 0 && value < LEAST_SHARE) {
    return "under 0.01 %";
  }
  const text = formatShort(value * 100, digits);
  // Next to all is not all: what is left stands beside it.
  return value < 1 && text === "100" ? "over 99.9 %" : `${text} %`;
}

const MOST_DIGITS = 15;

/** A share with as many digits as tell it from a limit. */
export function formatPercentBeside(value: Ratio, limit: Ratio): string {
  for (let digits = SIGNIFICANT_DIGITS; digits <= MOST_DIGITS; digits += 1) {
    const said = formatPercent(value, digits);
    if (value === limit || said !== formatPercent(limit, digits)) {
      return said;
    }
  }
  return formatPercent(value);
}

/**
 * How far a count may be off, where an error is a ratio: "12 % off" below 100 %, and from there
 * "a factor of 3.5 off", because no count is 250 % too low.
 */
export function formatOff(error: Ratio): string {
  return Number(error.toPrecision(SIGNIFICANT_DIGITS)) < 1
    ? `${formatPercent(error)} off`
    : `a factor of ${formatShort(1 + error)} off`;
}

/** Microseconds as a bare number, for columns whose header holds the unit. */
export function formatMicroseconds(value: Microseconds): string {
  return formatNumber(value);
}

/** A time with the unit that suits it: "812 µs", "1.42 ms", "3.1 s". */
export function formatDuration(value: Microseconds): string {
  if (!Number.isFinite(value)) {
    return UNKNOWN;
  }
  const magnitude = Math.abs(value);
  // As reports write it: 940 ns, not 0.94 µs.
  if (value !== 0 && magnitude < 0.9995) {
    return `${formatShort(value * 1000)} ns`;
  }
  if (magnitude < 999.5) {
    return `${formatShort(value)} µs`;
  }
  if (magnitude < 999_500) {
    return `${formatShort(value / 1000)} ms`;
  }
  return formatSeconds(value / 1_000_000);
}

/** Longer times: "3.1 s", "4 min 5 s", "2 h 10 min". */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) {
    return UNKNOWN;
  }
  if (seconds < 59.5) {
    return `${formatShort(seconds)} s`;
  }
  const whole = Math.round(seconds);
  if (whole < 3600) {
    return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  }
  const minutes = Math.round(whole / 60);
  return `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

const CENT = 0.01;

/**
 * Money to three significant digits; the header holds the currency. What is under a cent is said
 * as such: exports hold every digit.
 */
export function formatMoney(value: Usd): string {
  return value > 0 && value < CENT ? "under 0.01" : formatNumber(value);
}

/** What a price of capacity is of, and what a thousand of them are. */
const THOUSANDS = {
  GB: [1000, "TB"],
  GiB: [1024, "TiB"],
} as const;

/** A price of capacity; one under a cent a GB is that of a TB, with the unit that says so. */
export function formatPrice(value: Usd, of: keyof typeof THOUSANDS = "GB"): string {
  const [size, unit] = THOUSANDS[of];
  return value > 0 && value < CENT
    ? `${formatShort(value * size)} per ${unit}`
    : formatNumber(value);
}

/** A cell of money, told by the unit in its header. */
export const isMoneyColumn = (header: string | undefined): boolean =>
  header?.includes(`[${shownCurrency()}`) === true;

const CENTS = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const byCurrency = new Map<string, Intl.NumberFormat>();

/** Amounts to the smallest coin of the currency shown: yen have none below one. */
function coins(): Intl.NumberFormat {
  const currency = shownCurrency();
  const known = byCurrency.get(currency);
  if (known !== undefined) {
    return known;
  }
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency,
  }).resolvedOptions();
  const made = new Intl.NumberFormat("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  byCurrency.set(currency, made);
  return made;
}

/**
 * Money with the currency shown, to three significant digits or the cent: "1,200 USD",
 * "12.34 EUR", "1.50 USD", "under 0.01 USD".
 */
export function formatAmount(value: Usd): string {
  if (!Number.isFinite(value)) {
    return UNKNOWN;
  }
  const text =
    value > 0 && value < CENT
      ? "under 0.01"
      : `${value < 0 ? "−" : ""}${amount(Math.abs(value))}`;
  return `${text} ${shownCurrency()}`;
}

/** "1.5 USD" and "0.1 USD" are no prices anybody writes. */
function amount(value: number): string {
  const short = formatShort(value);
  if (value >= 1 && value < 99.995 && short.includes(".")) {
    return CENTS.format(value);
  }
  return /\.\d$/.test(short) ? `${short}0` : short;
}

const UNIT_AFTER_A_NUMBER =
  /(\d) (?=(?:%|µs|ms|s|min|h|[KMGTP]iB|[kMGTP]?B|pages?|[A-Z]{3})(?![\p{L}\d]))/gu;

/** A sentence in which no line breaks between a number and its unit. */
export function unbroken(sentence: string): string {
  return sentence.replace(UNIT_AFTER_A_NUMBER, "$1\u00a0");
}

/** Intervals between accesses: "8.2 s", "12 minutes", "7.07 hours", "1.5 days". */
export function formatInterval(seconds: number): string {
  const found = INTERVALS.find(([, size]) => seconds >= 2 * size);
  return found === undefined
    ? `${formatShort(seconds)} s`
    : `${formatShort(seconds / found[1])} ${found[0]}`;
}

const INTERVALS = [
  ["days", 86_400],
  ["hours", 3600],
  ["minutes", 60],
] as const;

export function formatDate(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) {
    return UNKNOWN;
  }
  return date.toLocaleString("en-GB", {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}

// --- parsing -----------------------------------------------------------------

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string; readonly hint: string };

const refuse = (message: string, hint: string): Parsed<never> => ({
  ok: false,
  message,
  hint,
});

const SIZE_PATTERN = /^([+-]?[\d.,]*\d|[+-]?\d+\.)\s*([a-z]*)$/i;
const GROUPED_NUMBER = /^\d{1,3}(,\d{3})+(\.\d+)?$/;
const PLAIN_NUMBER = /^\d+(\.\d*)?$|^\.\d+$/;

/** A non-negative number, thousands separators allowed; `null` when it is none. */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim();
  if (GROUPED_NUMBER.test(trimmed)) {
    return Number(trimmed.replaceAll(",", ""));
  }
  return PLAIN_NUMBER.test(trimmed) ? Number(trimmed) : null;
}

const MULTIPLIERS: Readonly<Record<string, number>> = {
  b: 1,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
  pib: 1024 ** 5,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  tb: 1000 ** 4,
  pb: 1000 ** 5,
};

const SIZE_HINT = "write a number of pages (5400) or a size (64 MiB, 1.6 GB)";

/**
 * Reads a size typed by a person: pages when no unit is given ("5400",
 * "5,400 pages"), else bytes in binary or decimal units ("64 MiB", "1.6 TB"),
 * rounded down to whole pages.
 */
export function parseSize(text: string, pageBytes: Bytes, minimum = 0): Parsed<Pages> {
  const trimmed = text.trim();
  const match = SIZE_PATTERN.exec(trimmed);
  if (match?.[1] === undefined) {
    return refuse(`"${trimmed}" is not a size`, SIZE_HINT);
  }
  const [, digits, unitText = ""] = match;
  if (digits.startsWith("-")) {
    return refuse(`a size cannot be negative, got "${trimmed}"`, SIZE_HINT);
  }
  const number = parseNumber(digits.replace(/^\+/, ""));
  if (number === null) {
    return refuse(`"${digits}" is not a number`, SIZE_HINT);
  }
  const unitName = unitText.toLowerCase();
  const count = countPages(number, unitName, pageBytes);
  if (count === null) {
    return refuse(
      `"${unitText}" is not a unit of size`,
      "units: pages, B, KiB, MiB, GiB, TiB, kB, MB, GB, TB",
    );
  }
  if (!Number.isSafeInteger(count)) {
    return unitName === "" || unitName.startsWith("page")
      ? refuse(`pages are whole, got "${trimmed}"`, SIZE_HINT)
      : refuse(`"${trimmed}" is too large`, SIZE_HINT);
  }
  if (count < minimum) {
    return refuse(
      `at least ${formatPages(pages(minimum))}, got "${trimmed}"`,
      `one page of this workload is ${formatBytes(pageBytes)}`,
    );
  }
  return { ok: true, value: pages(count) };
}

function countPages(number: number, unitName: string, pageBytes: Bytes): number | null {
  if (unitName === "" || unitName === "page" || unitName === "pages") {
    return number;
  }
  const multiplier = MULTIPLIERS[unitName];
  if (multiplier === undefined) {
    return null;
  }
  // A hair of tolerance: 0.1 MiB times 1024^2 must not lose a page to rounding.
  return Math.floor((number * multiplier) / pageBytes + 1e-9);
}

/** An amount to the cent, or the smallest coin of its currency, which stands in the header. */
export const cents = (value: number | string | null): string =>
  value === null ? UNKNOWN : coins().format(Number(value));
