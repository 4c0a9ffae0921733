/** A formula's result as rows, and the same question elsewhere. */

import type { FormulaInputs, OutputOut } from "@/api/formulas";
import type { CsvCell } from "@/charts/csv";

export interface ResultRow {
  /** Where it stands in the result: `inclusive.h_f`, `theta[2]`. */
  readonly place: string;
  readonly value: number | string | boolean | null;
  readonly unit: string;
  readonly meaning: string;
  readonly formula: string;
}

interface Leaf {
  readonly place: string;
  /** The innermost key, which the formula's outputs name. */
  readonly key: string;
  readonly value: ResultRow["value"];
}

function leavesOf(place: string, key: string, value: unknown): readonly Leaf[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => leavesOf(`${place}[${index}]`, key, entry));
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([inner, entry]) =>
      // Under a key that is a number the key around it still says what it is.
      leavesOf(
        place === "" ? inner : `${place}.${inner}`,
        NUMBER.test(inner) ? key : inner,
        entry,
      ),
    );
  }
  return [{ place, key, value: value as ResultRow["value"] }];
}

const NUMBER = /^\d+$/;

/** Every value of a result, in its order, with what is known of it. */
export function resultRows(
  result: Readonly<Record<string, unknown>>,
  outputs: readonly OutputOut[],
): readonly ResultRow[] {
  const known = new Map(outputs.map((output) => [output.name, output]));
  return leavesOf("", "", result).map(({ place, key, value }) => {
    const about = known.get(key);
    const unit = about?.unit ?? "";
    return {
      place,
      value,
      unit: unit === "1" ? "" : unit,
      meaning: about?.meaning ?? "",
      formula: about?.formula ?? "",
    };
  });
}

/** The rows for a CSV, every digit kept. */
export const resultCells = (rows: readonly ResultRow[]): (readonly CsvCell[])[] =>
  rows.map(({ place, value, unit, meaning }) => [
    place,
    typeof value === "boolean" ? String(value) : value,
    unit,
    meaning,
  ]);

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const commandFor = (name: string, inputs: FormulaInputs): string =>
  `tierwright formula ${name} --inputs ${shellQuoted(JSON.stringify(inputs))} --json`;

export const curlFor = (origin: string, name: string, inputs: FormulaInputs): string =>
  `curl ${origin}/api/v1/formulas/${name} -H 'Content-Type: application/json' -d ${shellQuoted(JSON.stringify({ inputs }))}`;

/** A value as Python writes it. */
function python(value: unknown): string {
  if (value === null || value === undefined) {
    return "None";
  }
  if (typeof value === "boolean") {
    return value ? "True" : "False";
  }
  if (Array.isArray(value)) {
    return `[${value.map(python).join(", ")}]`;
  }
  if (typeof value === "object") {
    const entries = Object.entries(value).map(
      ([key, entry]) => `${JSON.stringify(key)}: ${python(entry)}`,
    );
    return `{${entries.join(", ")}}`;
  }
  return JSON.stringify(value);
}

export const pythonFor = (name: string, inputs: FormulaInputs): string =>
  `from tierwright.catalogue.answer import ask\n\nprint(ask(${JSON.stringify(name)}, ${python(inputs)}).result)`;

/** Every word typed must occur in the name, the words or the source of a formula. */
export function found<
  T extends {
    readonly name: string;
    readonly title: string;
    readonly says: string;
    readonly source: string;
  },
>(formulas: readonly T[], text: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/);
  return formulas.filter(({ name, title, says, source }) => {
    const haystack = `${name} ${title} ${says} ${source}`.toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}
