/** What to buy for a workload. Nothing of it is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askAdvice, checkAdvice, reportAdvice } from "./gen/sdk.gen";
import type {
  AdviceOut as AdviceAnswer,
  AdviceIn,
  ReportAdviceData,
} from "./gen/types.gen";
import { isReplayJob, type ReplayJob } from "./replay-checks";

export type {
  AdviceIn,
  AdviceOptionOut,
  FigureIntervalOut,
  HaveIn,
  RejectedOptionOut,
  RuleOfThumbOut,
} from "./gen/types.gen";

export interface AdviceQuestion {
  readonly workload: string;
  readonly body: AdviceIn;
}

export type AdviceOut = Asked<AdviceAnswer, AdviceQuestion>;

/** Keys of all advice that is kept, by model and by replay. */
export const adviceKeys = [["advice"], ["advice check"]] as const;

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

/** The same after a replay of the finalists, or the job that replays them. */
export const adviceCheck = (question: AdviceQuestion) =>
  queryOptions({
    queryKey: ["advice check", question],
    queryFn: async ({ signal }): Promise<AdviceOut | ReplayJob> => {
      const found = await answer(
        checkAdvice({
          signal,
          path: { workload_id: question.workload },
          body: question.body,
          throwOnError: true,
        }),
      );
      return isReplayJob(found) ? found : { ...found, asked: question };
    },
    staleTime: Number.POSITIVE_INFINITY,
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

/** The whole advice as a file, with all that is not sure of it; by replays where these decided it. */
export async function reportFile(
  { status, asked: { workload, body } }: Pick<AdviceOut, "status" | "asked">,
  format: ReportForm,
): Promise<Blob> {
  const file: unknown = await answer(
    reportAdvice({
      path: { workload_id: workload },
      body: { ...body, how_sure: true },
      query: { format, checked: status === "checked" },
      parseAs: "blob",
      throwOnError: true,
    }),
  );
  return file as Blob;
}
