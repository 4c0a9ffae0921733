/**
 * The one reader of addresses: what cannot be used is left out and named, so that a link
 * never opens another question without a word. Each part is a schema; the bounds of numbers
 * come from the server's document (`api/gen/bounds.gen.ts`).
 */

import {
  check,
  custom,
  type GenericSchema,
  maxLength,
  maxValue,
  minValue,
  number,
  pipe,
  rawTransform,
  regex,
  safeParse,
  string,
  transform,
  union,
  unknown,
} from "valibot";
import { counted } from "@/units/quantity";

/** How a part of the address is read. */
export interface Field<T> {
  readonly schema: GenericSchema<unknown, T>;
  /** What would have been read, in words that follow "needs". */
  readonly expected: string;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

export type SearchOf<F extends Fields> = {
  -readonly [K in keyof F]?: (F[K] extends Field<infer T> ? T : never) | undefined;
};

export interface Refused {
  /** Parts of the address that could not be used, to be shown to the reader. */
  refused?: string | undefined;
}

/** Of a number, as `api/gen/bounds.gen.ts` has them from the server. */
export interface Bounds {
  readonly low: number;
  /** `low` itself is not taken. */
  readonly exclusive?: true;
  readonly high: number;
  readonly whole?: boolean;
}

/** The same bounds in a unit that holds `size` of the server's. */
export const inUnits = (
  { low, high, ...rest }: Bounds,
  size: number,
): Omit<Bounds, "whole"> => ({
  low: low / size,
  high: high / size,
  ...(rest.exclusive === true ? { exclusive: true } : {}),
});

/** A least value where the server only says "above", for fields that cannot. */
export const atLeast = ({ high, whole }: Bounds, low: number): Bounds => ({
  low,
  high,
  ...(whole === undefined ? {} : { whole }),
});

const MOST_REFUSED = 600;
const MOST_SHOWN = 60;
const IDENTIFIER = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const WHOLE = /^\d{1,16}$/;

const SHOWN_DIGITS = 4;

const formatBound = (bound: number): string =>
  bound !== 0 && (Math.abs(bound) >= 1e9 || Math.abs(bound) < 1e-4)
    ? Number(bound.toPrecision(SHOWN_DIGITS)).toExponential().replace("e+", "e")
    : bound.toLocaleString("en", { maximumSignificantDigits: 15 });

const range = ({ low, high, exclusive }: Bounds): string => {
  const isOpen = high >= Number.MAX_SAFE_INTEGER;
  if (exclusive === true) {
    return ` above ${formatBound(low)}${isOpen ? "" : `, up to ${formatBound(high)}`}`;
  }
  return isOpen
    ? `, at least ${formatBound(low)}`
    : ` from ${formatBound(low)} to ${formatBound(high)}`;
};

const within = ({ low, high, exclusive, whole: isWhole }: Bounds) =>
  pipe(
    number(),
    check((value) => (exclusive === true ? value > low : value >= low)),
    maxValue(high),
    check((value) => isWhole !== true || Number.isSafeInteger(value)),
  );

/** Numbers and words may come as the other: the address does not say which they are. */
const numberOr = (written: RegExp) =>
  union([number(), pipe(string(), regex(written), transform(Number))]);
const words = union([string(), pipe(number(), transform(String))]);

/** A number within bounds. */
export const bounded = (bounds: Bounds): Field<number> => ({
  schema: within(bounds),
  expected: `a ${bounds.whole === true ? "whole " : ""}number${range(bounds)}`,
});

/** A whole number, also where a link holds it as text. */
export const whole = (bounds: Bounds, unit = ""): Field<number> => ({
  schema: pipe(numberOr(WHOLE), within({ ...bounds, whole: true })),
  expected: `a whole number${unit === "" ? "" : ` of ${unit}`}${range(bounds)}`,
});

/** A share, also where a link holds it as text. */
export const share: Field<number> = {
  schema: pipe(numberOr(/./), number(), minValue(0), maxValue(1)),
  expected: "a share from 0 to 1",
};

/** One of some words, or the one value that is ever written. */
export const oneOf = <const T extends string | boolean>(
  values: readonly T[],
): Field<T> => ({
  schema: custom<T>((value) => values.some((known) => known === value)),
  expected: values.join(" or "),
});

/** An id; one that looks like a number comes as a number. */
export const identifier = (expected: string): Field<string> => ({
  schema: pipe(words, regex(IDENTIFIER)),
  expected,
});

/** A text that is not too long for a link; its contents are judged where it is used. */
export const text = (most: number): Field<string> => ({
  schema: pipe(words, maxLength(most)),
  expected: `a text of at most ${counted(formatBound(most), "character")}`,
});

/** What another function reads; `undefined` where it cannot be used. */
export const readBy = <T>(
  read: (value: unknown) => T | undefined,
  expected: string,
): Field<T> => ({
  schema: pipe(
    unknown(),
    rawTransform<unknown, T>(({ dataset, addIssue, NEVER }) => {
      const found = read(dataset.value);
      if (found === undefined) {
        addIssue();
        return NEVER;
      }
      return found;
    }),
  ),
  expected,
});

const METADATA =
  /^[a-z0-9][a-z0-9._-]{0,99}(:\d{1,12}(\.\d{1,5})?(GiB|B(\/\d{1,9}(\.\d{1,5})?KiB)?))?$/;

/** A preset of flash metadata, with the address space behind it where that is stated. */
export const metadataName: Field<string> = {
  schema: pipe(string(), regex(METADATA)),
  expected:
    "the name of a flash cache, or one with its address space as flashcache:100GiB",
};

/** An address may hold objects, which need not have a text of their own. */
const shown = (value: unknown): string =>
  (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(
    0,
    MOST_SHOWN,
  );

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value === "";

/** Names that some page reads, and the one in which what could not be used is told. */
const NAMES = new Set<string>(["refused"]);

/**
 * Makes the fields of a page, whose names are known to be read from then on.
 *
 * @param earlier - Names that stood for some of them in addresses of the past.
 */
export function namedFields<const F extends Fields>(
  fields: F,
  earlier: readonly string[] = [],
): F {
  for (const name of [...Object.keys(fields), ...earlier]) {
    NAMES.add(name);
  }
  return fields;
}

/**
 * Leaves out what no page reads: each such name is stated as absent, and told beside what was
 * refused before. A name that another page reads is left alone.
 */
export function withoutStrangers(
  raw: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const strangers = Object.keys(raw).filter(
    (name) => !(NAMES.has(name) || isAbsent(raw[name])),
  );
  if (strangers.length === 0) {
    return raw;
  }
  const told = strangers.map(
    (name) => `${shown(name)}=${shown(raw[name])} (no page reads this name)`,
  );
  const earlier = raw["refused"];
  return {
    ...raw,
    ...Object.fromEntries(strangers.map((name) => [name, undefined])),
    refused: [...(typeof earlier === "string" ? [earlier] : []), ...told].join("; "),
  };
}

/**
 * Reads the fields of a page. The router lays the result over the raw parameters, so what is
 * absent or refused is stated as absent: the raw value would show through.
 */
export function readAddress<F extends Fields>(
  fields: F,
  raw: Readonly<Record<string, unknown>>,
): SearchOf<F> & Refused {
  const search: Record<string, unknown> = {};
  const refused: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = raw[name];
    const read = isAbsent(value) ? undefined : safeParse(field.schema, value);
    search[name] = read?.success === true ? read.output : undefined;
    if (read?.success === false) {
      refused.push(`${name}=${shown(value)} (needs ${field.expected})`);
    }
  }
  const earlier = raw["refused"];
  if (typeof earlier === "string" && earlier !== "") {
    refused.push(...earlier.slice(0, MOST_REFUSED).split("; "));
  }
  if (refused.length > 0) {
    search["refused"] = [...new Set(refused)].join("; ");
  }
  // Each field yields its own type; the loop over names hides it here.
  return search as SearchOf<F> & Refused;
}

const MOST_NAMES = 500;
const MOST_OPTIONS = 500;

/** Options of what is replayed, separated by spaces. */
export const optionTexts = text(MOST_OPTIONS);

/** Names of what is replayed, separated by commas. */
export const cacheNames = text(MOST_NAMES);
