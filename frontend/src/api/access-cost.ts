/** What a random access costs on each device that is kept busy. Nothing of it is stored. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askAccessCost } from "./gen/sdk.gen";
import type {
  AccessCostsOut as AccessCostsAnswer,
  AccessCostsIn,
} from "./gen/types.gen";

export type { AccessCostRowOut, AccessCostsIn } from "./gen/types.gen";
export type AccessCostsOut = Asked<AccessCostsAnswer, AccessCostsIn>;

export const accessCostsQuery = (question: AccessCostsIn) =>
  queryOptions({
    queryKey: ["access-costs", question],
    queryFn: ({ signal }) =>
      asked(question, askAccessCost({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const accessCostsSteps = ({ asked: body }: AccessCostsOut) =>
  stepsQuery("access-costs", body, (signal) =>
    askAccessCost({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
