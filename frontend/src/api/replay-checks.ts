/** Answers beside a replay of the trace: throughput, wear, choice of a flash device. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  checkBreakEven,
  checkFlashChoice,
  checkThroughput,
  checkWear,
} from "./gen/sdk.gen";
import type {
  BreakEvenCheckIn,
  CheckedAnswer,
  FlashChoiceIn,
  SimulationOut,
  ThroughputIn,
  WearIn,
} from "./gen/types.gen";

export type { CheckedAnswer, CheckedFigure } from "./gen/types.gen";

type Found = CheckedAnswer | SimulationOut;

/** A replay that takes longer than a request: a job makes it. */
export const isReplayJob = (found: Found): found is SimulationOut => "run" in found;

export const throughputCheck = (body: ThroughputIn) =>
  queryOptions({
    queryKey: ["replay-checks", "throughput", body],
    queryFn: ({ signal }): Promise<Found> =>
      answer(checkThroughput({ signal, body, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const wearCheck = (body: WearIn) =>
  queryOptions({
    queryKey: ["replay-checks", "wear", body],
    queryFn: ({ signal }): Promise<Found> =>
      answer(checkWear({ signal, body, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const flashChoiceCheck = (body: FlashChoiceIn) =>
  queryOptions({
    queryKey: ["replay-checks", "flash choice", body],
    queryFn: ({ signal }): Promise<Found> =>
      answer(checkFlashChoice({ signal, body, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const breakEvenCheck = (body: BreakEvenCheckIn) =>
  queryOptions({
    queryKey: ["replay-checks", "break-even", body],
    queryFn: ({ signal }): Promise<Found> =>
      answer(checkBreakEven({ signal, body, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
