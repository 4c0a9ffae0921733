/** What a tier costs a month on each of several devices. Nothing of it is stored. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askTierCost } from "./gen/sdk.gen";
import type { TierCostsOut as TierCostsAnswer, TierCostsIn } from "./gen/types.gen";

export type { TierCostsIn, TierRowOut } from "./gen/types.gen";
export type TierCostsOut = Asked<TierCostsAnswer, TierCostsIn>;

export const tierCostsQuery = (question: TierCostsIn) =>
  queryOptions({
    queryKey: ["tier-costs", question],
    queryFn: ({ signal }) =>
      asked(question, askTierCost({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const tierCostsSteps = ({ asked: body }: TierCostsOut) =>
  stepsQuery("tier-costs", body, (signal) =>
    askTierCost({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
