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
}

const USUAL_DIGITS = 6;

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
