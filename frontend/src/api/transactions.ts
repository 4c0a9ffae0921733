/** Transactions over raw flash. Nothing of them is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { replayTransactions, studyTransactionWrites } from "./gen/sdk.gen";
import type { TransactionReplayIn, TransactionWritesIn } from "./gen/types.gen";

export type {
  TransactionReplayIn,
  TransactionReplayOut,
  TransactionWritesIn,
  TransactionWritesOut,
} from "./gen/types.gen";

export const transactionWritesQuery = (question: TransactionWritesIn) =>
  queryOptions({
    queryKey: ["transaction-writes", question],
    queryFn: ({ signal }) =>
      answer(studyTransactionWrites({ signal, body: question, throwOnError: true })),
  });

export const transactionReplayQuery = (question: TransactionReplayIn) =>
  queryOptions({
    queryKey: ["transaction-replays", question],
    queryFn: ({ signal }) =>
      answer(replayTransactions({ signal, body: question, throwOnError: true })),
  });
