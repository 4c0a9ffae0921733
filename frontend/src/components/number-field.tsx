import { formatShort, parseNumber } from "@/units/quantity";
import { DraftInput, type Read } from "./draft-input";

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

/** A number as people type it: with separators of thousands, a sign, a dollar sign. */
export function readNumber(text: string, bounds: Bounds): Read<number> {
  const { min, max, whole = false } = bounds;
  const bare = text
    .trim()
    .replace(/^\$\s*/, "")
    .replace(/^\u2212/, "-");
  const negative = bare.startsWith("-");
  const size = parseNumber(negative ? bare.slice(1) : bare);
  const value = size !== null && negative ? -size : size;
  const fits =
    value !== null &&
    value >= min &&
    value <= max &&
    (!whole || Number.isInteger(value));
  return fits
    ? { ok: true, value }
    : {
        ok: false,
        error: whole
          ? `"${text}" is not valid; enter a whole number from ${formatShort(min)} to ${formatShort(max)}`
          : `"${text}" is not valid; enter a number from ${formatShort(min)} to ${formatShort(max)}`,
      };
}

interface FieldProps extends Bounds {
  readonly label: string;
  readonly unit?: string;
  readonly description?: string;
  readonly digits?: number;
  /** What is wrong with the value beside others. */
  readonly error?: string | undefined;
}

const USUAL_DIGITS = 6;
const RANGE = /^(.+?)\s*(?:to|\.\.|\u2013|-)\s*(.+)$/;

/** Low and high end. */
export type Ends = readonly [number, number];

/** A range as people type it: "0.2 to 0.4"; one number is no range. */
export function readRange(text: string, bounds: Bounds): Read<Ends> {
  const ends = (RANGE.exec(text.trim()) ?? [])
    .slice(1)
    .map((end) => readNumber(end, bounds));
  const [low, high] = ends;
  if (low?.ok !== true || high?.ok !== true) {
    return {
      ok: false,
      error: `"${text}" is not valid; enter two numbers from ${formatShort(bounds.min)} to ${formatShort(bounds.max)}, such as 2 to 4`,
    };
  }
  return low.value <= high.value
    ? { ok: true, value: [low.value, high.value] }
    : { ok: false, error: `"${text}" falls; enter the low end first` };
}

/** A number with a unit. */
export function NumberField(
  props: FieldProps & {
    readonly unit: string;
    readonly value: number;
    readonly onChange: (value: number) => void;
  },
) {
  const { min, max, whole, value, digits = USUAL_DIGITS, ...rest } = props;
  return (
    <DraftInput
      {...rest}
      shown={formatShort(value, digits)}
      read={(text) => readNumber(text, { min, max, whole: whole ?? false })}
    />
  );
}

/** A number that may be left out; an empty field leaves it out. */
export function OptionalNumberField(
  props: FieldProps & {
    /** Shown where it is left out: what is then taken. */
    readonly placeholder?: string | undefined;
    readonly value: number | undefined;
    readonly onChange: (value: number | undefined) => void;
  },
) {
  const { min, max, whole, value, digits = USUAL_DIGITS, ...rest } = props;
  return (
    <DraftInput<number | undefined>
      {...rest}
      shown={value === undefined ? "" : formatShort(value, digits)}
      read={(text) =>
        text.trim() === ""
          ? { ok: true, value: undefined }
          : readNumber(text, { min, max, whole: whole ?? false })
      }
    />
  );
}

/** A range that may be left out; an empty field leaves it out. */
export function OptionalRangeField(
  props: FieldProps & {
    readonly placeholder: string;
    readonly value: Ends | null;
    readonly onChange: (value: Ends | null) => void;
  },
) {
  const { min, max, whole, value, digits = USUAL_DIGITS, ...rest } = props;
  return (
    <DraftInput<Ends | null>
      {...rest}
      shown={
        value === null ? "" : value.map((end) => formatShort(end, digits)).join(" to ")
      }
      read={(text) =>
        text.trim() === ""
          ? { ok: true, value: null }
          : readRange(text, { min, max, whole: whole ?? false })
      }
    />
  );
}
