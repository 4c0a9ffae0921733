import { useMemo } from "react";
import { useSettled } from "@/components/use-settled";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";

export interface Sizes {
  readonly ram: number;
  readonly flash: number;
}

const sameSizes = (one: Sizes, other: Sizes): boolean =>
  one.ram === other.ram && one.flash === other.flash;

/** The sizes under the sliders, and the point that the server is asked for. */
export function useSizes(
  state: AnalysisState,
  patch: (change: AnalysisSearch) => void,
) {
  const { ram_pages: ram, flash_pages: flash } = state;
  const address = useMemo<Sizes>(() => ({ ram, flash }), [ram, flash]);
  const { value, asked, setValue } = useSettled(
    address,
    (sizes) => patch({ ram_pages: sizes.ram, flash_pages: sizes.flash }),
    sameSizes,
  );
  const point = useMemo<AnalysisState>(
    () => ({ ...state, ram_pages: asked.ram, flash_pages: asked.flash }),
    [state, asked],
  );
  return { sizes: value, setSizes: setValue, point };
}
