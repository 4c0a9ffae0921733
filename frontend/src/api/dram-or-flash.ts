import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askDramOrFlash } from "./gen/sdk.gen";
import type { BreakEvenOut as BreakEvenAnswer, BreakEvenIn } from "./gen/types.gen";

export type { BreakEvenIn } from "./gen/types.gen";
export type BreakEvenOut = Asked<BreakEvenAnswer, BreakEvenIn>;

export const breakEvenQuery = (body: BreakEvenIn) =>
  queryOptions({
    queryKey: ["break-evens", body],
    // The signal cancels the request of an older slider position.
    queryFn: ({ signal }) =>
      asked(body, askDramOrFlash({ signal, body, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const breakEvenSteps = ({ asked: body }: BreakEvenOut) =>
  stepsQuery("break-evens", body, (signal) =>
    askDramOrFlash({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
