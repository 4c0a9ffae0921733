import { useMemo } from "react";
import { useSettled } from "@/components/use-settled";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";
import type { MapSearch } from "@/questions/scheme-map";
import type { Place } from "./axes";

/** Where you are: the sizes and shares under the sliders, from and to the address. */
export function usePlace(
  state: AnalysisState,
  search: MapSearch,
  patch: (change: AnalysisSearch & MapSearch) => void,
) {
  const { ram_pages: ram, flash_pages: flash } = state;
  const dirty = search.dirty_share ?? null;
  const asymmetry = search.asymmetry ?? null;
  const address = useMemo<Place>(
    () => ({ ram, flash, dirty, asymmetry }),
    [ram, flash, dirty, asymmetry],
  );
  return useSettled(
    address,
    (place) =>
      patch({
        ram_pages: place.ram,
        flash_pages: place.flash,
        dirty_share: place.dirty ?? undefined,
        asymmetry: place.asymmetry ?? undefined,
      }),
    samePlace,
  );
}

const samePlace = (one: Place, other: Place): boolean =>
  one.ram === other.ram &&
  one.flash === other.flash &&
  one.dirty === other.dirty &&
  one.asymmetry === other.asymmetry;
