/** What to buy for a workload. Nothing of it is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askAdvice, reportAdvice } from "./gen/sdk.gen";
import type {
  AdviceOut as AdviceAnswer,
  AdviceIn,
  ReportAdviceData,
} from "./gen/types.gen";

export type {
  AdviceIn,
  AdviceOptionOut,
  HaveIn,
  RejectedOptionOut,
  RuleOfThumbOut,
} from "./gen/types.gen";

export interface AdviceQuestion {
  readonly workload: string;
  readonly body: AdviceIn;
}

export type AdviceOut = Asked<AdviceAnswer, AdviceQuestion>;

export const adviceQuery = (question: AdviceQuestion) =>
  queryOptions({
    queryKey: ["advice", question],
    queryFn: ({ signal }) =>
      asked(
        question,
        askAdvice({
          signal,
          path: { workload_id: question.workload },
          body: question.body,
          throwOnError: true,
        }),
      ),
  });

export const adviceSteps = ({ asked: { workload, body } }: AdviceOut) =>
  stepsQuery("advice", { workload, body }, (signal) =>
    askAdvice({
      signal,
      path: { workload_id: workload },
      body: { ...body, how_sure: false },
      query: WITH_STEPS,
      throwOnError: true,
    }),
  );

export type ReportForm = ReportAdviceData["query"]["format"];

/** The whole advice to a question as a file, with all that is not sure of it. */
export async function reportFile(
  { workload, body }: AdviceQuestion,
  format: ReportForm,
): Promise<Blob> {
  const file: unknown = await answer(
    reportAdvice({
      path: { workload_id: workload },
      body: { ...body, how_sure: true },
      query: { format },
      parseAs: "blob",
      throwOnError: true,
    }),
  );
  return file as Blob;
}
