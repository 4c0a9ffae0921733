import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { devicesQuery, priceBooksQuery } from "./catalog";

/** Names of all devices and price books, by the ids that messages hold. */
export function useCatalogNames(): ReadonlyMap<string, string> {
  const devices = useQuery(devicesQuery()).data;
  const books = useQuery(priceBooksQuery()).data;
  return useMemo(
    () =>
      new Map(
        [...(devices ?? []), ...(books ?? [])].map(({ id, name }): [string, string] => [
          id,
          name,
        ]),
      ),
    [devices, books],
  );
}
