/** What a tier costs a month on each of several devices. Nothing of it is stored. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { compareTierCosts } from "./gen/sdk.gen";
import type { TierCostsIn } from "./gen/types.gen";

export type { TierCostsIn, TierCostsOut, TierRowOut } from "./gen/types.gen";

export const tierCostsQuery = (question: TierCostsIn) =>
  queryOptions({
    queryKey: ["tier-costs", question],
    queryFn: ({ signal }) =>
      answer(compareTierCosts({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
  });
