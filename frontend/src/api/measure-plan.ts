/** The command that measures a device, and what it writes. The server runs nothing. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { planMeasurement } from "./gen/sdk.gen";
import type { MeasurePlanIn } from "./gen/types.gen";

export type { MeasurePlanIn, MeasurePlanOut } from "./gen/types.gen";

export const measurePlanQuery = (question: MeasurePlanIn) =>
  queryOptions({
    queryKey: ["measure-plan", question],
    queryFn: ({ signal }) =>
      answer(planMeasurement({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
    retry: false,
  });
