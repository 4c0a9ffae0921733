/** What the page "Formulas" adds to the address: the formula, and what is put in. */
import type { FormulaInputs } from "@/api/formulas";
import { namedFields, type Refused, readAddress, readBy } from "@/questions/address";

export interface FormulaSearch extends Refused {
  formula?: string | undefined;
  /** Absent: those of the formula's example. */
  inputs?: FormulaInputs | undefined;
}

/** Characters of inputs that a link holds; browsers and servers cut longer ones. */
export const MOST_INPUT_CHARACTERS = 6000;

const NAME = /^[a-z]{1,20}\.\w{1,80}$/;

const isObject = (value: unknown): value is FormulaInputs =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fitsALink = (inputs: FormulaInputs): boolean =>
  JSON.stringify(inputs).length <= MOST_INPUT_CHARACTERS;

const FIELDS = namedFields({
  formula: readBy(
    (value) => (typeof value === "string" && NAME.test(value) ? value : undefined),
    "the name of a formula",
  ),
  inputs: readBy(
    (value) => (isObject(value) && fitsALink(value) ? value : undefined),
    "an object of inputs by name",
  ),
});

/** Reads the page's own parameters; inputs without a formula are nobody's. */
export function parseFormulaSearch(raw: Record<string, unknown>): FormulaSearch {
  const search = readAddress(FIELDS, raw);
  return search.formula === undefined ? { ...search, inputs: undefined } : search;
}
