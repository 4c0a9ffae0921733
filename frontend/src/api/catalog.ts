import { queryOptions, useQuery } from "@tanstack/react-query";
import {
  BASE_CURRENCY,
  type ExchangeRate,
  ownRate,
  shownCurrency,
} from "@/units/currency";
import { answer } from "./client";
import {
  getDeviceVocabulary,
  listDevices,
  listExchangeRates,
  listFlashMetadata,
  listFormats,
  listPriceBooks,
  listSchemes,
} from "./gen/sdk.gen";
import type { DeviceOut, DevicesUsed, PriceBookOut } from "./gen/types.gen";
import { everyPage } from "./pages";

export type {
  DeviceIn,
  DeviceOut,
  DeviceVocabulary,
  PriceBookOut,
  SchemeOut,
} from "./gen/types.gen";

// The registries of the core change only with the installed version.
const REGISTRY_STALE_MS = 600_000;

export const formatsQuery = () =>
  queryOptions({
    queryKey: ["catalog", "formats"],
    queryFn: ({ signal }) => answer(listFormats({ signal, throwOnError: true })),
    staleTime: REGISTRY_STALE_MS,
  });

export const schemesQuery = () =>
  queryOptions({
    queryKey: ["catalog", "schemes"],
    queryFn: ({ signal }) => answer(listSchemes({ signal, throwOnError: true })),
    staleTime: REGISTRY_STALE_MS,
  });

/** Flash caches whose metadata can be charged to RAM. */
export const flashMetadataQuery = () =>
  queryOptions({
    queryKey: ["catalog", "flash-metadata"],
    queryFn: ({ signal }) => answer(listFlashMetadata({ signal, throwOnError: true })),
    staleTime: REGISTRY_STALE_MS,
  });

/** The kinds of device, and the figures with their units that one may state. */
export const vocabularyQuery = () =>
  queryOptions({
    queryKey: ["catalog", "device-kinds"],
    queryFn: ({ signal }) =>
      answer(getDeviceVocabulary({ signal, throwOnError: true })),
    staleTime: REGISTRY_STALE_MS,
  });

/** Devices with the busy times of a page; without a size, that of the page each states. */
export const devicesQuery = (pageBytes?: number) =>
  queryOptions({
    queryKey: ["catalog", "devices", pageBytes ?? "stated"],
    queryFn: ({ signal }) =>
      everyPage((page) =>
        answer(
          listDevices({
            query: pageBytes === undefined ? page : { ...page, page_bytes: pageBytes },
            signal,
            throwOnError: true,
          }),
        ),
      ),
  });

export const priceBooksQuery = () =>
  queryOptions({
    queryKey: ["catalog", "price-books"],
    queryFn: ({ signal }) =>
      everyPage((page) =>
        answer(listPriceBooks({ query: page, signal, throwOnError: true })),
      ),
  });

/** A book as pickers list it: with its date, unless its name says the year already. */
export function bookLabel(
  book: Pick<PriceBookOut, "name" | "date" | "retired">,
): string {
  const added = [
    ...(book.name.includes(book.date.slice(0, YEAR_DIGITS)) ? [] : [book.date]),
    ...(book.retired === "" ? [] : ["retired"]),
  ];
  return added.length === 0 ? book.name : `${book.name} (${added.join(", ")})`;
}

const YEAR_DIGITS = 4;

/** Currencies, each at the rate at which amounts of a book are stated. */
export const exchangeRatesQuery = (priceBookId: string | null) =>
  queryOptions({
    queryKey: ["catalog", "exchange-rates", priceBookId],
    queryFn: async ({ signal }) =>
      (
        await answer(
          listExchangeRates({
            query: priceBookId === null ? {} : { price_book_id: priceBookId },
            signal,
            throwOnError: true,
          }),
        )
      ).items,
  });

/** The rate that prices of the catalogue are shown at; `null` in dollars, or unknown yet. */
export function useShownRate(priceBookId: string | null): ExchangeRate | null {
  const currency = shownCurrency();
  const rates = useQuery({
    ...exchangeRatesQuery(priceBookId),
    enabled: currency !== BASE_CURRENCY,
  });
  return ownRate() ?? rates.data?.find((rate) => rate.currency === currency) ?? null;
}

export type Role = DeviceOut["roles"][number];
export type Capability = DeviceOut["answers"][number];

/** Devices that can serve a role and whose figures suffice for its I/O times. */
export function devicesFor(devices: readonly DeviceOut[], role: Role): DeviceOut[] {
  return devices.filter(
    (device) =>
      device.roles.includes(role) &&
      (role === "ram" || device.answers.includes("io_times")),
  );
}

/** Not the disks of a cloud instance, which are rented with it alone. */
export const soldAlone = (device: DeviceOut): boolean => device.sold_as === "device";

/** Names of the devices of an answer, by the ids that messages hold. */
export const deviceNames = (devices: DevicesUsed): ReadonlyMap<string, string> =>
  new Map(
    [devices.flash, devices.disk, devices.ram].flatMap((device): [string, string][] =>
      device === null ? [] : [[device.id, device.name]],
    ),
  );
