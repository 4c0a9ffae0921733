import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useMemo, useRef, useState } from "react";
import type { AnalysisSearch, AnalysisState } from "@/analysis/state";

export interface Sizes {
  readonly ram: number;
  readonly flash: number;
}

const ASK_AFTER_MS = 40;
// Browsers refuse more than about 100 address changes in half a minute.
const ADDRESS_AFTER_MS = 350;

/**
 * The sizes under the sliders. They move at once, the server is asked when they rest
 * for 40 ms, and the address follows when they rest longer.
 */
export function useSizes(
  state: AnalysisState,
  patch: (change: AnalysisSearch) => void,
) {
  const [sizes, setSizes] = useState<Sizes>({
    ram: state.ram_pages,
    flash: state.flash_pages,
  });
  const written = useRef(sizes);
  const { ram_pages: ram, flash_pages: flash } = state;

  // The address was changed by something else (back button, another workload).
  useEffect(() => {
    if (written.current.ram !== ram || written.current.flash !== flash) {
      written.current = { ram, flash };
      setSizes({ ram, flash });
    }
  }, [ram, flash]);

  useEffect(() => {
    if (sizes.ram === written.current.ram && sizes.flash === written.current.flash) {
      return;
    }
    const timer = window.setTimeout(() => {
      written.current = sizes;
      patch({ ram_pages: sizes.ram, flash_pages: sizes.flash });
    }, ADDRESS_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [sizes, patch]);

  const [asked] = useDebouncedValue(sizes, ASK_AFTER_MS);
  const point = useMemo<AnalysisState>(
    () => ({ ...state, ram_pages: asked.ram, flash_pages: asked.flash }),
    [state, asked],
  );
  return { sizes, setSizes, point };
}
