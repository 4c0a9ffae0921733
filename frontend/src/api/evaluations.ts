import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { evaluate } from "./gen/sdk.gen";
import type { EvaluationIn, EvaluationOut } from "./gen/types.gen";

export type {
  EvaluationIn,
  EvaluationOut,
  SchemeEvaluation,
  SimulationOut,
} from "./gen/types.gen";

export const evaluationQuery = (point: EvaluationIn) =>
  queryOptions({
    queryKey: ["evaluations", point],
    // The signal cancels the request of an older slider position.
    queryFn: ({ signal }) =>
      answer(evaluate({ signal, body: point, throwOnError: true })),
  });

/** Titles of the schemes, devices and price book that messages name by their ids. */
export function namesIn(evaluation: EvaluationOut): ReadonlyMap<string, string> {
  const { devices, price_book } = evaluation;
  return new Map([
    ...[devices.flash, devices.disk, devices.ram, price_book].flatMap(
      (named): [string, string][] => (named === null ? [] : [[named.id, named.name]]),
    ),
    ...evaluation.schemes.map((scheme): [string, string] => [
      scheme.scheme,
      scheme.title,
    ]),
  ]);
}
