/** The steps behind an answer: not sent with it, asked for when somebody looks. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import type { DerivationStep } from "./gen/types.gen";

export type { DerivationStep } from "./gen/types.gen";

/** An answer beside its question; while a newer one is asked, the older is still shown. */
export type Asked<Answer, Question> = Answer & { readonly asked: Question };

/** The answer with its question, whose steps can still be asked for. */
export const asked = async <Answer, Question>(
  question: Question,
  call: Promise<{ data: Answer }>,
): Promise<Asked<Answer, Question>> => ({ ...(await answer(call)), asked: question });

/** What makes an endpoint send the steps. */
export const WITH_STEPS = { derivation: true } as const;

/** The steps of an answer, by the same question. */
export const stepsQuery = (
  name: string,
  question: unknown,
  ask: (
    signal: AbortSignal,
  ) => Promise<{ data: { derivation: DerivationStep[] | null } }>,
) =>
  queryOptions({
    queryKey: ["derivations", name, question],
    queryFn: async ({ signal }) => (await answer(ask(signal))).derivation ?? [],
  });

export type StepsQuery = ReturnType<typeof stepsQuery>;
