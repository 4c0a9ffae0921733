/** What the page of pool splits adds to the address. */
export interface SplitSearch {
  /** R, where it is not that of the flash device. */
  asymmetry?: number | undefined;
  /** A pool split to open; its workload and buffer are then shown. */
  split?: string | undefined;
}

export const MIN_ASYMMETRY = 1;
export const MAX_ASYMMETRY = 512;
const IDENTIFIER = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** Reads the page's own parameters; what cannot be used counts as absent. */
export function parseSplitSearch(raw: Record<string, unknown>): SplitSearch {
  const { asymmetry, split } = raw;
  const id = typeof split === "number" ? String(split) : split;
  return {
    asymmetry:
      typeof asymmetry === "number" && asymmetry > 0 && asymmetry <= 1e6
        ? asymmetry
        : undefined,
    split: typeof id === "string" && IDENTIFIER.test(id) ? id : undefined,
  };
}
