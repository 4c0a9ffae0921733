import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { stepsQuery } from "./derived";
import { askCompare, deriveCompare } from "./gen/sdk.gen";
import type { Decide, DecisionIn, EvaluationOut, SimulationOut } from "./gen/types.gen";

/** A point of a workload on devices, whoever decides. */
export type EvaluationIn = Omit<DecisionIn, "decide">;

export type {
  EvaluationOut,
  SchemeEvaluation,
  SimulationOut,
} from "./gen/types.gen";

/** A replay that takes longer than a request: a job makes it. */
export const isJob = (found: EvaluationOut | SimulationOut): found is SimulationOut =>
  "run" in found;

export const evaluationQuery = (point: EvaluationIn) =>
  queryOptions({
    queryKey: ["evaluations", point],
    // The signal cancels the request of an older slider position.
    queryFn: async ({ signal }) => {
      const found = await answer(
        askCompare({ signal, body: point, throwOnError: true }),
      );
      if (isJob(found)) {
        throw new Error("the model was asked, and a job answered");
      }
      return found;
    },
  });

/** How long the controls must rest before the trace is replayed. */
const REST_MS = 300;

const rested = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = window.setTimeout(resolve, REST_MS);
    signal.addEventListener("abort", () => {
      window.clearTimeout(timer);
      reject(new DOMException("superseded", "AbortError"));
    });
  });

export const DECISIONS = ["decisions"];

/** The same question, decided by a replay where the model cannot tell. */
export const decisionQuery = (point: EvaluationIn) =>
  queryOptions({
    queryKey: [...DECISIONS, point],
    queryFn: async ({ signal }) => {
      await rested(signal);
      return answer(
        askCompare({
          signal,
          body: { ...point, decide: "replay" },
          throwOnError: true,
        }),
      );
    },
  });

/** How the figures of a point came about, asked for when somebody looks. */
export const derivationQuery = (point: EvaluationIn, decide: Decide) =>
  stepsQuery("evaluations", { ...point, decide }, async (signal) => {
    const data = await answer(
      deriveCompare({ signal, body: { ...point, decide }, throwOnError: true }),
    );
    if ("run" in data) {
      throw new Error("the replay of this point is no longer stored; reload the page");
    }
    return { data };
  });

/** What the choice rests on: the figures of the replay where that has decided. */
export function deciding(scheme: EvaluationOut["schemes"][number]) {
  return scheme.replayed ?? scheme;
}

/** Titles of the schemes, devices and price book that messages name by their ids. */
/** Without flash the schemes are one and the same, so only that one is shown. */
export const shownSchemes = (
  evaluation: Pick<EvaluationOut, "flash_pages" | "schemes">,
): EvaluationOut["schemes"] =>
  evaluation.flash_pages === 0
    ? evaluation.schemes.filter(({ scheme }) => scheme === "none")
    : evaluation.schemes;

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
