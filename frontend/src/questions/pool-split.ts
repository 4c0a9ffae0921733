import { GetPoolAdvisorEpochsQuery, PoolAdvisorIn } from "@/api/gen/bounds.gen";
import {
  atLeast,
  type Bounds,
  bounded,
  identifier,
  namedFields,
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

export const DYNAMICS = PoolAdvisorIn.dynamics.values;

export type Dynamics = (typeof DYNAMICS)[number];

type AdvisorKey = "epoch" | "window" | "factor" | "estimation_s";

export const ADVISOR_BOUNDS: Readonly<Record<AdvisorKey, Bounds>> = {
  epoch: PoolAdvisorIn.epoch_accesses,
  window: PoolAdvisorIn.window_accesses,
  factor: PoolAdvisorIn.alternating_factor,
  estimation_s: atLeast(GetPoolAdvisorEpochsQuery.estimation_s, 1e-9),
};

export const MIN_ASYMMETRY = 1;
export const MAX_ASYMMETRY = 512;

const FIELDS = namedFields({
  asymmetry: bounded(PoolAdvisorIn.asymmetry),
  split: identifier("the id of a pool split"),
  dynamics: oneOf(DYNAMICS),
  epoch: bounded(ADVISOR_BOUNDS.epoch),
  window: bounded(ADVISOR_BOUNDS.window),
  factor: bounded(ADVISOR_BOUNDS.factor),
  estimation_s: bounded(ADVISOR_BOUNDS.estimation_s),
});

/** Reads the page's own parameters. */
export const parseSplitSearch = (raw: Record<string, unknown>): SplitSearch & Refused =>
  readAddress(FIELDS, raw);
