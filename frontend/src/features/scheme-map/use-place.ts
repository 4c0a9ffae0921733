import { useDebouncedValue } from "@mantine/hooks";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { MapSearch } from "@/analysis/map-state";
import type { AnalysisSearch, AnalysisState } from "@/analysis/state";
import type { Place } from "./axes";

const ASK_AFTER_MS = 40;
// Browsers refuse more than about 100 address changes in half a minute.
const ADDRESS_AFTER_MS = 350;

/**
 * Where you are. It moves at once, the server is asked when it rests for 40 ms, and the
 * address follows when it rests longer.
 */
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
  const [place, setPlace] = useState(address);
  const written = useRef(address);

  // The address was changed by something else (back button, another workload).
  useEffect(() => {
    if (!samePlace(written.current, address)) {
      written.current = address;
      setPlace(address);
    }
  }, [address]);

  useEffect(() => {
    if (samePlace(place, written.current)) {
      return;
    }
    const timer = window.setTimeout(() => {
      written.current = place;
      patch({
        ram_pages: place.ram,
        flash_pages: place.flash,
        dirty_share: place.dirty ?? undefined,
        asymmetry: place.asymmetry ?? undefined,
      });
    }, ADDRESS_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [place, patch]);

  const [asked] = useDebouncedValue(place, ASK_AFTER_MS);
  const move = useCallback((to: (from: Place) => Place) => setPlace(to), []);
  return { place, asked, move };
}

const samePlace = (one: Place, other: Place): boolean =>
  one.ram === other.ram &&
  one.flash === other.flash &&
  one.dirty === other.dirty &&
  one.asymmetry === other.asymmetry;
