import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { devicesQuery, priceBooksQuery } from "./catalog";

/** Tiers of a running system that stand in place of devices, as the server names them. */
const MEASURED = [
  { id: "measured-flash", name: "Flash tier, as measured" },
  { id: "measured-disk", name: "Storage, as measured" },
];

/** Kinds of devices of the catalogue that are cloud volumes. */
const VOLUMES: ReadonlySet<string> = new Set(["cloud_block", "cloud_disk"]);

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

/**
 * Names of what may be bought: those of the catalogue but for cloud volumes. A volume is
 * rented in a size of its own, and the catalogue names one of another size.
 */
export function useHardwareNames(): ReadonlyMap<string, string> {
  const devices = useQuery(devicesQuery()).data;
  const names = useCatalogNames();
  return useMemo(() => {
    const volumes = new Set(
      (devices ?? []).filter(({ kind }) => VOLUMES.has(kind)).map(({ id }) => id),
    );
    return new Map([...names].filter(([id]) => !volumes.has(id)));
  }, [devices, names]);
}
