/** Transactions over raw flash. Nothing of them is stored. */
import { queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askTransactionReplay, askTransactionWrites } from "./gen/sdk.gen";
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
        askTransactionWrites({ signal, body: question, throwOnError: true }),
      ),
  });

export const transactionWritesSteps = ({ asked: body }: TransactionWritesOut) =>
  stepsQuery("transaction-writes", body, (signal) =>
    askTransactionWrites({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );

export const transactionReplayQuery = (question: TransactionReplayIn) =>
  queryOptions({
    queryKey: ["transaction-replays", question],
    queryFn: ({ signal }) =>
      asked(
        question,
        askTransactionReplay({ signal, body: question, throwOnError: true }),
      ),
  });

export const transactionReplaySteps = ({ asked: body }: TransactionReplayOut) =>
  stepsQuery("transaction-replays", body, (signal) =>
    askTransactionReplay({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
