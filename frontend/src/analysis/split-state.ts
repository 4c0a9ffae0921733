/** What the page of pool splits adds to the address. */
export interface SplitSearch {
  /** R, where it is not that of the flash device. */
  asymmetry?: number | undefined;
  /** A pool split to open; its workload and buffer are then shown. */
  split?: string | undefined;
  /** What changes while the adaptive split is followed; absent: not asked. */
  dynamics?: Dynamics | undefined;
  /** Accesses of an epoch, and of a window of the advisor. */
  epoch?: number | undefined;
  window?: number | undefined;
  /** Factor of odd epochs. */
  factor?: number | undefined;
  /** Time of one estimation. [s] */
  estimation_s?: number | undefined;
}

export const DYNAMICS = ["steady", "wm1", "wm2", "rm1", "rm2"] as const;

export type Dynamics = (typeof DYNAMICS)[number];

type AdvisorKey = "epoch" | "window" | "factor" | "estimation_s";

/** The same bounds as the server's. */
export const ADVISOR_BOUNDS: Readonly<
  Record<AdvisorKey, { min: number; max: number; whole: boolean }>
> = {
  epoch: { min: 100, max: 2 ** 40, whole: true },
  window: { min: 1, max: 2 ** 40, whole: true },
  factor: { min: 0.01, max: 100, whole: false },
  estimation_s: { min: 1e-9, max: 1e6, whole: false },
};

function bounded(key: AdvisorKey, value: unknown): number | undefined {
  const { min, max, whole } = ADVISOR_BOUNDS[key];
  return typeof value === "number" &&
    value >= min &&
    value <= max &&
    (!whole || Number.isInteger(value))
    ? value
    : undefined;
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
    dynamics: DYNAMICS.find((known) => known === raw["dynamics"]),
    epoch: bounded("epoch", raw["epoch"]),
    window: bounded("window", raw["window"]),
    factor: bounded("factor", raw["factor"]),
    estimation_s: bounded("estimation_s", raw["estimation_s"]),
  };
}
