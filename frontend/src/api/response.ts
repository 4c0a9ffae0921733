import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askResponse } from "./gen/sdk.gen";
import type { ResponseTimeIn, ResponseTimeOut } from "./gen/types.gen";

export type { ResponseTimeIn } from "./gen/types.gen";

/** What is asked of a workload. */
export interface ResponseQuestion {
  readonly workload: string;
  readonly body: ResponseTimeIn;
}

export type ResponseTimes = Asked<ResponseTimeOut, ResponseQuestion>;

export const responseQuery = (question: ResponseQuestion) =>
  queryOptions({
    queryKey: ["response times", question],
    queryFn: ({ signal }) =>
      asked(
        question,
        askResponse({
          signal,
          path: { workload_id: question.workload },
          body: question.body,
          throwOnError: true,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const responseSteps = ({ asked: question }: ResponseTimes) =>
  stepsQuery("response times", question, (signal) =>
    askResponse({
      signal,
      path: { workload_id: question.workload },
      body: question.body,
      query: WITH_STEPS,
      throwOnError: true,
    }),
  );
