import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askThroughput } from "./gen/sdk.gen";
import type { ThroughputOut as ThroughputAnswer, ThroughputIn } from "./gen/types.gen";

export type { ThroughputIn } from "./gen/types.gen";
export type ThroughputOut = Asked<ThroughputAnswer, ThroughputIn>;

export const throughputQuery = (body: ThroughputIn) =>
  queryOptions({
    queryKey: ["throughputs", body],
    queryFn: ({ signal }) =>
      asked(body, askThroughput({ signal, body, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const throughputSteps = ({ asked: body }: ThroughputOut) =>
  stepsQuery("throughputs", body, (signal) =>
    askThroughput({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
