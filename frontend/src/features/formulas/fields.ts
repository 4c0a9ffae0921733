/** Between what a formula takes and the texts of its form. */

import type { FormulaInputs, FormulaOut, ParameterOut } from "@/api/formulas";
import type { Read } from "@/components/draft-input";
import { bytes, formatCount, parseNumber, parseSize } from "@/units/quantity";

export type Texts = Readonly<Record<string, string>>;

export interface FormRead {
  readonly inputs: FormulaInputs;
  /** What is wrong, by parameter. */
  readonly errors: Texts;
}

const DECIMAL = /^[-+\u2212]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;

const wrong = (error: string): Read<never> => ({ ok: false, error });
const right = <T>(value: T): Read<T> => ({ ok: true, value });

/** A number as people type it: sign, exponent, thousands; bytes may carry a unit. */
export function readFormulaNumber(text: string, unit: string): Read<number> {
  const bare = text.trim();
  const value = DECIMAL.test(bare)
    ? Number(bare.replace("\u2212", "-"))
    : parseNumber(bare);
  if (value !== null && Number.isFinite(value)) {
    return right(value);
  }
  if (unit === "bytes") {
    const size = parseSize(bare, bytes(1));
    if (size.ok) {
      return right(size.value);
    }
  }
  const example = unit === "bytes" ? "such as 4096 or 64 GiB" : "such as 0.25 or 1e9";
  return wrong(`"${bare.slice(0, 40)}" is not a number; write one ${example}`);
}

function readWhole(text: string, unit: string): Read<number> {
  const read = readFormulaNumber(text, unit);
  if (!read.ok) {
    return read;
  }
  if (!Number.isInteger(read.value)) {
    return wrong(`"${text.trim()}" is not a whole number`);
  }
  return Number.isSafeInteger(read.value)
    ? read
    : wrong(
        `larger than ${formatCount(Number.MAX_SAFE_INTEGER)}, which this page keeps exactly; use the command`,
      );
}

/** One number, or several between commas, semicolons or blanks. */
function readNumbers(text: string, unit: string): Read<number | number[]> {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== "");
  const found: number[] = [];
  for (const part of parts) {
    const read = readFormulaNumber(part, unit);
    if (!read.ok) {
      return read;
    }
    found.push(read.value);
  }
  const [only] = found;
  return right(found.length === 1 && only !== undefined ? only : found);
}

/** One pair a line: a size, and the hit ratio there. */
function readCurve(text: string): Read<[number, number][]> {
  const found: [number, number][] = [];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  for (const [index, line] of lines.entries()) {
    const parts = line.split(/[\s,;]+/).filter((part) => part !== "");
    const numbers = parts.map((part) => readFormulaNumber(part, ""));
    const [size, ratio] = numbers;
    if (numbers.length !== 2 || !size?.ok || !ratio?.ok) {
      return wrong(
        `line ${index + 1} is not a pair; write a size and a hit ratio, such as 500, 0.31`,
      );
    }
    found.push([size.value, ratio.value]);
  }
  return right(found);
}

function readJson(text: string): Read<unknown> {
  try {
    return right(JSON.parse(text));
  } catch (error) {
    return wrong(
      `not valid JSON: ${error instanceof Error ? error.message : "unreadable"}`,
    );
  }
}

/** What a typed text means for a parameter; undefined where it is left out. */
export function readField(parameter: ParameterOut, text: string): Read<unknown> {
  if (text.trim() === "") {
    return parameter.required ? wrong("needed") : right(undefined);
  }
  switch (parameter.kind) {
    case "number":
      return readFormulaNumber(text, parameter.unit);
    case "integer":
      return readWhole(text, parameter.unit);
    case "numbers":
      return readNumbers(text, parameter.unit);
    case "flag":
      return right(text === "true");
    case "curve":
      return readCurve(text);
    case "rows":
    case "transactions":
      return readJson(text);
    default:
      return right(text.trim());
  }
}

/** A value as the text of its field. */
export function fieldText(parameter: ParameterOut, value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  const isList = Array.isArray(value);
  if (parameter.kind === "curve" && isList) {
    return value
      .map((pair) => (Array.isArray(pair) ? pair.join(", ") : String(pair)))
      .join("\n");
  }
  if (isList && (parameter.kind === "numbers" || parameter.kind === "names")) {
    return value.join(parameter.kind === "numbers" ? ", " : " ");
  }
  return typeof value === "object" ? jsonLines(value) : String(value);
}

/** JSON with an entry a line. */
function jsonLines(value: object): string {
  const entries = Array.isArray(value)
    ? value.map((entry) => JSON.stringify(entry))
    : Object.entries(value).map(
        ([key, entry]) => `${JSON.stringify(key)}: ${JSON.stringify(entry)}`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n  ${entries.join(",\n  ")}\n${close}`;
}

const keys = (parameter: ParameterOut): readonly string[] => [
  parameter.name,
  ...parameter.also,
];

/** The set of parameters that the inputs belong to: the formula may have a second one. */
export function formOf(
  formula: Pick<FormulaOut, "parameters" | "instead">,
  inputs: FormulaInputs,
): "parameters" | "instead" {
  const given = new Set(Object.keys(inputs));
  const count = (form: readonly ParameterOut[]) =>
    form.flatMap(keys).filter((key) => given.has(key)).length;
  return count(formula.instead) > count(formula.parameters) ? "instead" : "parameters";
}

/** The texts of a form for inputs; what they do not state is left out. */
export function textsOf(form: readonly ParameterOut[], inputs: FormulaInputs): Texts {
  return Object.fromEntries(
    form.map((parameter) => {
      const key = keys(parameter).find((name) => name in inputs);
      return [
        parameter.name,
        key === undefined ? "" : fieldText(parameter, inputs[key]),
      ];
    }),
  );
}

/** Keys of the inputs that no parameter of the form takes. */
export function unusedKeys(
  form: readonly ParameterOut[],
  inputs: FormulaInputs,
): readonly string[] {
  const known = new Set(form.flatMap(keys));
  return Object.keys(inputs).filter((key) => !known.has(key));
}

export function readForm(form: readonly ParameterOut[], texts: Texts): FormRead {
  const inputs: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const parameter of form) {
    const read = readField(parameter, texts[parameter.name] ?? "");
    if (!read.ok) {
      errors[parameter.name] = read.error;
    } else if (read.value !== undefined) {
      inputs[parameter.name] = read.value;
    }
  }
  return { inputs, errors };
}
