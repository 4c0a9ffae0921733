/** What can be bought or rented, and what it costs. Nothing of it is stored. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  askBill,
  askConfigurations,
  listParts,
  listPriceHistory,
  listServers,
  listVolumes,
} from "./gen/sdk.gen";
import type { BillIn, ConfigurationsIn } from "./gen/types.gen";

export type {
  BillCarbonOut,
  BillIn,
  BillLineOut,
  BillOut,
  BillSideOut,
  ConfigurationOut,
  ConfigurationsIn,
  ConfigurationsOut,
  PartOut,
  PriceSeriesOut,
  ServerOut,
  VolumeOut,
} from "./gen/types.gen";

export const serversQuery = () =>
  queryOptions({
    queryKey: ["catalog", "servers"],
    queryFn: ({ signal }) => answer(listServers({ signal, throwOnError: true })),
  });

export const volumesQuery = () =>
  queryOptions({
    queryKey: ["catalog", "volumes"],
    queryFn: ({ signal }) => answer(listVolumes({ signal, throwOnError: true })),
  });

export const partsQuery = () =>
  queryOptions({
    queryKey: ["catalog", "parts"],
    queryFn: ({ signal }) => answer(listParts({ signal, throwOnError: true })),
  });

export const priceHistoryQuery = () =>
  queryOptions({
    queryKey: ["catalog", "price-history"],
    queryFn: ({ signal }) => answer(listPriceHistory({ signal, throwOnError: true })),
  });

export const billQuery = (question: BillIn) =>
  queryOptions({
    queryKey: ["bills", question],
    queryFn: ({ signal }) =>
      answer(askBill({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const configurationsQuery = (workload: string, question: ConfigurationsIn) =>
  queryOptions({
    queryKey: ["workloads", workload, "configurations", question],
    queryFn: ({ signal }) =>
      answer(
        askConfigurations({
          signal,
          path: { workload_id: workload },
          body: question,
          throwOnError: true,
        }),
      ),
    placeholderData: keepPreviousData,
  });
