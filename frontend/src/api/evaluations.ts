import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { evaluate } from "./gen/sdk.gen";
import type { EvaluationIn } from "./gen/types.gen";

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
