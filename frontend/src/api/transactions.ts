/** Transactions over raw flash. Nothing of them is stored. */
import { queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { replayTransactions, studyTransactionWrites } from "./gen/sdk.gen";
import type {
  TransactionReplayOut as TransactionReplayAnswer,
  TransactionReplayIn,
  TransactionWritesOut as TransactionWritesAnswer,
  TransactionWritesIn,
} from "./gen/types.gen";

export type { TransactionReplayIn, TransactionWritesIn } from "./gen/types.gen";
export type TransactionReplayOut = Asked<TransactionReplayAnswer, TransactionReplayIn>;
export type TransactionWritesOut = Asked<TransactionWritesAnswer, TransactionWritesIn>;

export const transactionWritesQuery = (question: TransactionWritesIn) =>
  queryOptions({
    queryKey: ["transaction-writes", question],
    queryFn: ({ signal }) =>
      asked(
        question,
        studyTransactionWrites({ signal, body: question, throwOnError: true }),
      ),
  });

export const transactionWritesSteps = ({ asked: body }: TransactionWritesOut) =>
  stepsQuery("transaction-writes", body, (signal) =>
    studyTransactionWrites({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );

export const transactionReplayQuery = (question: TransactionReplayIn) =>
  queryOptions({
    queryKey: ["transaction-replays", question],
    queryFn: ({ signal }) =>
      asked(
        question,
        replayTransactions({ signal, body: question, throwOnError: true }),
      ),
  });

export const transactionReplaySteps = ({ asked: body }: TransactionReplayOut) =>
  stepsQuery("transaction-replays", body, (signal) =>
    replayTransactions({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
