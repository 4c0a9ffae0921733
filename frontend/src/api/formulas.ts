/** Single formulas of the papers. Nothing of them is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { askFormula, getFormulaPage, listFormulas } from "./gen/sdk.gen";

export type {
  FormulaAnswerOut,
  FormulaCardOut as FormulaOut,
  FormulaFamilyOut,
  FormulaOutputOut as OutputOut,
  FormulaParameterOut as ParameterOut,
} from "./gen/types.gen";

/** Inputs by name. */
export type FormulaInputs = Readonly<Record<string, unknown>>;

export const formulasQuery = () =>
  queryOptions({
    queryKey: ["formulas"],
    queryFn: ({ signal }) => answer(listFormulas({ signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const formulaAnswerQuery = (name: string, inputs: FormulaInputs) =>
  queryOptions({
    queryKey: ["formulas", name, "answer", inputs],
    queryFn: ({ signal }) =>
      answer(
        askFormula({
          signal,
          path: { name },
          body: { inputs: { ...inputs } },
          throwOnError: true,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const formulaPageQuery = (name: string) =>
  queryOptions({
    queryKey: ["formulas", name, "page"],
    queryFn: ({ signal }) =>
      answer(getFormulaPage({ signal, path: { name }, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
