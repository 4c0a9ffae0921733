/** Life of the flash, health of a drive, warm-up and restart. Nothing of them is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { estimateRecovery, estimateWear, studyFragmentCache } from "./gen/sdk.gen";
import type { FragmentCacheIn, RecoveryIn, WearIn } from "./gen/types.gen";

export type {
  DeviceHealthOut,
  FragmentCacheIn,
  FragmentCacheOut,
  RecoveryIn,
  RecoveryOut,
  WearIn,
  WearOut,
} from "./gen/types.gen";

export const wearQuery = (question: WearIn) =>
  queryOptions({
    queryKey: ["wear", question],
    queryFn: ({ signal }) =>
      answer(estimateWear({ signal, body: question, throwOnError: true })),
  });

export const recoveryQuery = (question: RecoveryIn) =>
  queryOptions({
    queryKey: ["recovery", question],
    queryFn: ({ signal }) =>
      answer(estimateRecovery({ signal, body: question, throwOnError: true })),
  });

export const fragmentCacheQuery = (question: FragmentCacheIn) =>
  queryOptions({
    queryKey: ["sce", question],
    queryFn: ({ signal }) =>
      answer(studyFragmentCache({ signal, body: question, throwOnError: true })),
  });
