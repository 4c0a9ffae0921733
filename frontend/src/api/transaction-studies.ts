/** Recorded transactions through several systems: a run on the server, whose counts are kept. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { stepsQuery, WITH_STEPS } from "./derived";
import {
  createTransactionStudy,
  deleteTransactionStudy,
  getTransactionStudy,
  listTransactionStudies,
} from "./gen/sdk.gen";
import type { GetTransactionStudyData, TransactionStudyIn } from "./gen/types.gen";
import { isActiveStatus } from "./runs";

export type {
  StudyRow,
  TransactionStudyIn,
  TransactionStudyOut,
  TransactionStudySummary,
} from "./gen/types.gen";

/** Times of the operations: counts do not depend on them. */
export type StudyPrices = Pick<
  NonNullable<GetTransactionStudyData["query"]>,
  "read_us" | "write_us" | "erase_us" | "disk_us" | "disk_log_us"
>;

const PARTIAL_MS = 1000;

/** Finds the study of these inputs, or begins it: the same inputs find the same one. */
export const studyQuery = (body: TransactionStudyIn) =>
  queryOptions({
    queryKey: ["transaction-studies", "asked", body],
    queryFn: ({ signal }) =>
      answer(createTransactionStudy({ signal, body, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export const studyKey = (id: string) => ["transaction-studies", "rows", id] as const;

/** A study as far as it is, looked at again until its run has ended. */
export const studyRowsQuery = (id: string, prices: StudyPrices) =>
  queryOptions({
    queryKey: [...studyKey(id), prices],
    queryFn: ({ signal }) =>
      answer(
        getTransactionStudy({
          signal,
          path: { study_id: id },
          query: prices,
          throwOnError: true,
        }),
      ),
    enabled: id !== "",
    placeholderData: (previous) => (previous?.id === id ? previous : undefined),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isActiveStatus(state.data.status)
        ? PARTIAL_MS
        : false,
  });

export const studySteps = (id: string, prices: StudyPrices) =>
  stepsQuery("transaction-studies", { id, prices }, (signal) =>
    getTransactionStudy({
      signal,
      path: { study_id: id },
      query: { ...prices, ...WITH_STEPS },
      throwOnError: true,
    }),
  );

export const STUDIES_KEY = ["transaction-studies", "list"] as const;
export const STUDIES_AT_ONCE = 10;

/** Kept studies, newest first, from one on; looked at again while one of them is being replayed. */
export const studiesQuery = (offset: number) =>
  queryOptions({
    queryKey: [...STUDIES_KEY, offset],
    queryFn: ({ signal }) =>
      answer(
        listTransactionStudies({
          signal,
          query: { limit: STUDIES_AT_ONCE, offset },
          throwOnError: true,
        }),
      ),
    placeholderData: (previous) => previous,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => isActiveStatus(status)) === true
        ? PARTIAL_MS
        : false,
  });

export const removeStudy = (id: string) =>
  answer(deleteTransactionStudy({ path: { study_id: id }, throwOnError: true }));
