/** What the page "Formulas" adds to the address: the formula, and what is put in. */

export type FormulaInputs = Readonly<Record<string, unknown>>;

export interface FormulaSearch {
  formula?: string | undefined;
  /** Absent: those of the formula's example. */
  inputs?: FormulaInputs | undefined;
  refused?: string | undefined;
}

/** Characters of inputs that a link holds; browsers and servers cut longer ones. */
export const MOST_INPUT_CHARACTERS = 6000;

const NAME = /^[a-z]{1,20}\.\w{1,80}$/;
const SHOWN = 60;

const isObject = (value: unknown): value is FormulaInputs =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fitsALink = (inputs: FormulaInputs): boolean =>
  JSON.stringify(inputs).length <= MOST_INPUT_CHARACTERS;

/** Reads the page's own parameters; what cannot be used is said, and counts as absent. */
export function parseFormulaSearch(raw: Record<string, unknown>): FormulaSearch {
  const { formula, inputs } = raw;
  const named = typeof formula === "string" && NAME.test(formula);
  const fits = isObject(inputs) && fitsALink(inputs);
  const refused = [
    ...(formula === undefined || named
      ? []
      : [`formula=${shorten(formula)} (needs the name of a formula)`]),
    ...(inputs === undefined || fits
      ? []
      : [`inputs=${shorten(inputs)} (needs an object of inputs by name)`]),
  ];
  return {
    formula: named ? formula : undefined,
    inputs: named && fits ? inputs : undefined,
    ...(refused.length > 0 ? { refused: refused.join("; ") } : {}),
  };
}

const shorten = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).slice(0, SHOWN);
