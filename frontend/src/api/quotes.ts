/** Files of other systems, the ranking of quotes, and the paper that is made of it. Nothing but the ranking is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  checkQuoteReport,
  createQuoteRanking,
  getLineMapping,
  importPriceBook,
  readImport,
  replaceLineMapping,
  replayQuoteRanking,
  reportQuoteRanking,
} from "./gen/sdk.gen";
import type {
  FileImportIn,
  LineMappingOut,
  PriceBookImportIn,
  QuotePaperIn,
  QuoteRankingIn,
  QuoteRankingOut,
  ReplaysMadeOut,
  ReportQuoteRankingData,
} from "./gen/types.gen";
import type { ReplayJob } from "./replay-checks";

export type {
  FileImportOut,
  HaveIn,
  LineMappingOut,
  PaperCheckOut,
  PriceBookImportOut,
  QuotePaperIn,
  QuoteRankingIn,
  QuoteRankingOut,
  RankedQuoteOut,
  RejectedQuoteOut,
  StatementsIn,
  UnmappedOut,
} from "./gen/types.gen";

export type ImportKind = FileImportIn["kind"];
export type PaperForm = ReportQuoteRankingData["query"]["format"];

export const importQuery = (file: FileImportIn) =>
  queryOptions({
    queryKey: ["import", file],
    queryFn: ({ signal }) =>
      answer(readImport({ signal, body: file, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What part numbers were stated to be: kept by the server. */
export const lineMappingQuery = () =>
  queryOptions({
    queryKey: ["line mapping"],
    queryFn: ({ signal }) => answer(getLineMapping({ signal, throwOnError: true })),
  });

/** Keeps a mapping, unless it was changed since it was read. */
export const keepLineMapping = (
  line: LineMappingOut["line"],
  etag: string,
): Promise<LineMappingOut> =>
  answer(
    replaceLineMapping({
      body: { line },
      headers: { "If-Match": etag },
      throwOnError: true,
    }),
  );

/** Makes a price book of a price list; the same list twice is one book. */
export const keepPriceBook = (list: PriceBookImportIn) =>
  answer(importPriceBook({ body: list, throwOnError: true }));

/** The ranking, or the run that makes it where there are more quotes than are ranked at once. */
export const rankingQuery = (question: QuoteRankingIn) =>
  queryOptions({
    queryKey: ["quote ranking", question],
    queryFn: ({ signal }): Promise<QuoteRankingOut | ReplayJob> =>
      answer(createQuoteRanking({ signal, body: question, throwOnError: true })),
    // Asking again would restart a run that was cancelled; at its end it is asked again by itself.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The check of a paper; what was replayed since changes its answer. */
export const paperCheckQuery = (paper: QuotePaperIn, isReplayed: boolean) =>
  queryOptions({
    queryKey: ["paper check", paper, isReplayed],
    queryFn: ({ signal }) =>
      answer(checkQuoteReport({ signal, body: paper, throwOnError: true })),
  });

/** All replays of what was close, or the job that makes those that are missing. */
export const replaysQuery = (question: QuoteRankingIn) =>
  queryOptions({
    queryKey: ["quote replays", question],
    queryFn: ({ signal }): Promise<ReplaysMadeOut | ReplayJob> =>
      answer(replayQuoteRanking({ signal, body: question, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export async function paperFile(paper: QuotePaperIn, format: PaperForm): Promise<Blob> {
  const file: unknown = await answer(
    reportQuoteRanking({
      body: paper,
      query: { format },
      parseAs: "blob",
      throwOnError: true,
    }),
  );
  return file as Blob;
}
