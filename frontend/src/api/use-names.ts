import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { devicesQuery, priceBooksQuery } from "./catalog";

/** Tiers of a running system that stand in place of devices, as the server names them. */
const MEASURED = [
  { id: "measured-flash", name: "Flash tier, as measured" },
  { id: "measured-disk", name: "Storage, as measured" },
];

/** Names of all devices and price books, by the ids that messages hold. */
export function useCatalogNames(): ReadonlyMap<string, string> {
  const devices = useQuery(devicesQuery()).data;
  const books = useQuery(priceBooksQuery()).data;
  return useMemo(
    () =>
      new Map(
        [...MEASURED, ...(devices ?? []), ...(books ?? [])].map(
          ({ id, name }): [string, string] => [id, name],
        ),
      ),
    [devices, books],
  );
}
