/** Answers beside a replay of the trace; adding one is a line. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  checkCompare,
  checkDirectories,
  checkDramOrFlash,
  checkFlashChoice,
  checkFragmentCache,
  checkRecovery,
  checkResponse,
  checkSchemeMap,
  checkThroughput,
  checkWear,
  checkWhatToCache,
} from "./gen/sdk.gen";
import type {
  AdviceCheckOut,
  BreakEvenCheckIn,
  CategoryCountsOut,
  CheckedAnswer,
  CheckedDirectories,
  CheckedMap,
  CheckedWhatToCache,
  DirectoriesCheckIn,
  EvaluationCheckIn,
  FlashChoiceIn,
  FragmentCacheIn,
  MapCheckIn,
  QuoteRankingRunOut,
  RecoveryIn,
  ResponseCheckIn,
  ResponseReplayOut,
  SimulationOut,
  SweepOut,
  ThroughputCheckIn,
  WearCheckIn,
  WhatToCacheCheckIn,
} from "./gen/types.gen";

export type {
  CheckedAnswer,
  CheckedDirectories,
  CheckedFigure,
  CheckedMap,
  MapCheckIn,
  PlaceReplayedOut,
  PointReplayedOut,
} from "./gen/types.gen";

/** What takes longer than a request: a job makes it. */
export type ReplayJob =
  | SimulationOut
  | SweepOut
  | ResponseReplayOut
  | CategoryCountsOut
  | AdviceCheckOut
  | QuoteRankingRunOut;

export const isReplayJob = (found: object): found is ReplayJob => "run" in found;

const checked =
  <Body, Shown extends CheckedAnswer = CheckedAnswer>(
    name: string,
    ask: (options: {
      readonly signal: AbortSignal;
      readonly body: Body;
      readonly throwOnError: true;
    }) => Promise<{ readonly data: Shown | ReplayJob }>,
  ) =>
  (body: Body) =>
    queryOptions({
      queryKey: ["replay-checks", name, body],
      queryFn: ({ signal }): Promise<Shown | ReplayJob> =>
        answer(ask({ signal, body, throwOnError: true })),
      staleTime: Number.POSITIVE_INFINITY,
    });

export const evaluationCheck = checked<EvaluationCheckIn>("evaluation", checkCompare);
export const schemeMapCheck = checked<MapCheckIn, CheckedMap>(
  "scheme map",
  checkSchemeMap,
);
export const throughputCheck = checked<ThroughputCheckIn>(
  "throughput",
  checkThroughput,
);
export const responseCheck = checked<ResponseCheckIn>("response", checkResponse);
export const wearCheck = checked<WearCheckIn>("wear", checkWear);
export const flashChoiceCheck = checked<FlashChoiceIn>(
  "flash choice",
  checkFlashChoice,
);
export const directoriesCheck = checked<DirectoriesCheckIn, CheckedDirectories>(
  "directories",
  checkDirectories,
);
export const recoveryCheck = checked<RecoveryIn>("recovery", checkRecovery);
export const fragmentCacheCheck = checked<FragmentCacheIn>(
  "fragment cache",
  checkFragmentCache,
);
export const breakEvenCheck = checked<BreakEvenCheckIn>("break-even", checkDramOrFlash);
export const whatToCacheCheck = checked<WhatToCacheCheckIn, CheckedWhatToCache>(
  "what to cache",
  checkWhatToCache,
);
