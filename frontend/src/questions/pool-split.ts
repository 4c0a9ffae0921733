import {
  above,
  bounded,
  identifier,
  oneOf,
  type Refused,
  readAddress,
} from "./address";

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

export const MIN_ASYMMETRY = 1;
export const MAX_ASYMMETRY = 512;

const advisor = (key: AdvisorKey) => {
  const { min, max, whole } = ADVISOR_BOUNDS[key];
  return bounded({ low: min, high: max, whole });
};

const FIELDS = {
  asymmetry: above(0, 1e6),
  split: identifier("the id of a pool split"),
  dynamics: oneOf(DYNAMICS),
  epoch: advisor("epoch"),
  window: advisor("window"),
  factor: advisor("factor"),
  estimation_s: advisor("estimation_s"),
} as const;

/** Reads the page's own parameters. */
export const parseSplitSearch = (raw: Record<string, unknown>): SplitSearch & Refused =>
  readAddress(FIELDS, raw);
