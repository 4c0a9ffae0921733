/**
 * What the page of sweeps shows, as it stands in the address: contenders with their
 * options, sizes, and how the result is looked at. Texts are short and can be read.
 */
import { DecisionIn, MiniatureIn, SizeRange } from "@/api/gen/bounds.gen";
import {
  type ContenderIn,
  type Family,
  itemOf,
  type SimulatorOut,
} from "@/api/simulator";
import type { SweepIn } from "@/api/sweeps";
import type { Replays } from "@/api/workloads";
import {
  bounded,
  identifier,
  namedFields,
  oneOf,
  type Refused,
  readAddress,
  text,
  whole,
} from "./address";

export interface SweepSearch {
  /** `policy:lru,policy:2q~k_in=0.5` */
  contenders?: string | undefined;
  /** `10..30000x12` or `100,1000`, in pages. */
  sizes?: string | undefined;
  flash_sizes?: string | undefined;
  /** `100000`, `50%` or `full`; absent: `usualWarmUp`. */
  warm_up?: string | undefined;
  sweep?: string | undefined;
  measure?: string | undefined;
  over?: "ram" | "flash" | undefined;
  /** The size that the other tier is held at, in pages. */
  held?: number | undefined;
  /** All sizes of one policy or flash cache, estimated: which one is shown, and what is asked for. */
  estimate?: string | undefined;
  estimated?: string | undefined;
  estimate_sizes?: string | undefined;
  /** RAM above flash whose sizes are estimated, in pages. */
  estimate_ram?: number | undefined;
  /** Share of the pages to follow. [1] */
  estimate_rate?: number | undefined;
}

const MAX_TEXT = 6000;

const FIELDS = namedFields({
  contenders: text(MAX_TEXT),
  sizes: text(MAX_TEXT),
  flash_sizes: text(MAX_TEXT),
  warm_up: text(MAX_TEXT),
  sweep: identifier("the id of a sweep"),
  measure: text(MAX_TEXT),
  over: oneOf(["ram", "flash"]),
  held: bounded(DecisionIn.flash_pages),
  estimate: identifier("the id of an estimate"),
  estimated: text(MAX_TEXT),
  estimate_sizes: text(MAX_TEXT),
  estimate_ram: whole(MiniatureIn.ram_pages, "pages"),
  estimate_rate: bounded(MiniatureIn.sample_rate),
});

/** Reads the page's own parameters; what texts hold is judged where they are used. */
export const parseSweepSearch = (raw: Record<string, unknown>): SweepSearch & Refused =>
  readAddress(FIELDS, raw);

/** Leads to an estimate alone: its own contender, sizes and rate stand in for those before. */
export function estimateOf<T extends object>(
  previous: T,
  estimate: string,
): T & SweepSearch {
  return {
    ...previous,
    estimated: undefined,
    estimate_sizes: undefined,
    estimate_ram: undefined,
    estimate_rate: undefined,
    estimate,
  };
}

/** Leads to a sweep alone: its own contenders and sizes stand in for those before. */
export function sweepOf<T extends object>(previous: T, sweep: string): T & SweepSearch {
  return {
    ...previous,
    contenders: undefined,
    sizes: undefined,
    flash_sizes: undefined,
    warm_up: undefined,
    measure: undefined,
    over: undefined,
    held: undefined,
    sweep,
  };
}

// --- contenders ----------------------------------------------------------------

const RESERVED = /[%~,=:]/g;
const escaped = (value: string) =>
  value.replace(
    RESERVED,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
const unescaped = (value: string) =>
  value.replace(/%([0-9a-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );

export function writeContenders(contenders: readonly ContenderIn[]): string {
  return contenders
    .map(({ family, name, options }) =>
      [
        `${family}:${name}`,
        ...Object.entries(options ?? {}).map(
          ([key, value]) => `${key}=${escaped(value)}`,
        ),
      ].join("~"),
    )
    .join(",");
}

export interface ReadContenders {
  readonly contenders: readonly ContenderIn[];
  readonly faults: readonly string[];
}

/** Reads contenders; what the simulator does not know is left out and named. */
export function readContenders(text_: string, simulator: SimulatorOut): ReadContenders {
  const contenders: ContenderIn[] = [];
  const faults: string[] = [];
  for (const part of text_.split(",").filter((piece) => piece !== "")) {
    const [head = "", ...pairs] = part.split("~");
    const [family = "", name = ""] = head.split(":");
    const contender = { family: family as Family, name };
    if (itemOf(simulator, contender) === undefined) {
      faults.push(`"${head.slice(0, 60)}" is not a contender that the simulator knows`);
      continue;
    }
    const options = Object.fromEntries(
      pairs.flatMap((pair) => {
        const at = pair.indexOf("=");
        return at < 1 ? [] : [[pair.slice(0, at), unescaped(pair.slice(at + 1))]];
      }),
    );
    contenders.push({ ...contender, options });
  }
  return { contenders, faults };
}

// --- sizes ---------------------------------------------------------------------

export type SizeSpec =
  | { readonly kind: "range"; from: number; to: number; points: number }
  | { readonly kind: "list"; pages: readonly number[] };

export const MOST_SIZES = SizeRange.points.high;
const RANGE = /^(\d{1,16})\.\.(\d{1,16})x(\d{1,3})$/;

export const writeSizes = (spec: SizeSpec): string =>
  spec.kind === "range"
    ? `${spec.from}..${spec.to}x${spec.points}`
    : spec.pages.join(",");

/** Reads sizes in pages; null where the text is none. */
export function readSizes(text_: string, minimum: number): SizeSpec | null {
  const range = RANGE.exec(text_);
  if (range !== null) {
    const [from, to, points] = range.slice(1).map(Number);
    return from !== undefined &&
      to !== undefined &&
      points !== undefined &&
      from >= Math.max(1, minimum) &&
      to >= from &&
      points >= 1 &&
      points <= MOST_SIZES
      ? { kind: "range", from, to, points }
      : null;
  }
  const pages = text_.split(",").map((part) => Number(part.trim() || Number.NaN));
  return pages.length > 0 &&
    pages.length <= MOST_SIZES &&
    pages.every((size) => Number.isSafeInteger(size) && size >= minimum)
    ? { kind: "list", pages }
    : null;
}

/** How many different sizes come out. */
export function countSizes(spec: SizeSpec): number {
  if (spec.kind === "list") {
    return new Set(spec.pages).size;
  }
  // As the server rounds them.
  const ratio = Math.log(spec.to / spec.from);
  const sizes = Array.from({ length: spec.points }, (_, step) =>
    Math.round(spec.from * Math.exp((ratio * step) / Math.max(1, spec.points - 1))),
  );
  return new Set(spec.points === 1 ? sizes : [...sizes, spec.from, spec.to]).size;
}

export const sizesInput = (spec: SizeSpec): SweepIn["ram_pages"] =>
  spec.kind === "range"
    ? { from_pages: spec.from, to_pages: spec.to, points: spec.points }
    : [...spec.pages];

export function specOfInput(input: SweepIn["ram_pages"]): SizeSpec {
  return Array.isArray(input)
    ? { kind: "list", pages: input }
    : {
        kind: "range",
        from: input.from_pages,
        to: input.to_pages,
        points: input.points ?? USUAL_POINTS,
      };
}

// --- warm-up -------------------------------------------------------------------

export type WarmUp = NonNullable<SweepIn["warm_up"]>;

export const FULL = "full";
const PERCENT = /^(\d{1,2}(?:\.\d{1,6})?)%$/;

/** Reads a warm-up; null where the text is none. */
export function readWarmUp(text_: string): WarmUp | null {
  const percent = PERCENT.exec(text_);
  if (percent !== null) {
    return Number(percent[1]) / 100;
  }
  if (text_ === FULL) {
    return FULL;
  }
  const accesses = Number(text_.trim() || Number.NaN);
  return Number.isSafeInteger(accesses) && accesses >= 0 ? accesses : null;
}

/**
 * The warm-up unless another is chosen: none of a trace, and the first half of the recording that
 * stands for production, which has run for long.
 */
export const usualWarmUp = (replays: Replays): WarmUp =>
  replays === "recording" ? 0.5 : 0;

/** As it stands in the address; nothing where it is the usual one. */
export function writeWarmUp(warmUp: WarmUp, usual: WarmUp = 0): string | undefined {
  if (warmUp === usual) {
    return undefined;
  }
  const isShare = typeof warmUp === "number" && warmUp < 1;
  return isShare ? `${Number((100 * warmUp).toFixed(6))}%` : String(warmUp);
}

export const USUAL_POINTS = SizeRange.points.usual;

/** Pages that the recording has at least at a size of production for which it is replayed. */
const LEAST_RECORDED_PAGES = 1000;

/**
 * From a thousandth of the workload to all of it; of one that was scaled, from a size at which the recording is
 * large enough to be replayed.
 */
export const usualRange = (
  distinctPages: number,
  production: {
    readonly factor: number;
    readonly production: { readonly machines: number };
  } | null = null,
): SizeSpec => ({
  kind: "range",
  from: Math.min(
    Math.max(
      1,
      Math.round(distinctPages / 1000),
      production === null
        ? 1
        : Math.ceil(
            (LEAST_RECORDED_PAGES * production.factor) / production.production.machines,
          ),
    ),
    Math.max(1, distinctPages),
  ),
  to: Math.max(1, distinctPages),
  points: USUAL_POINTS,
});

/** One flash size, half the workload, as on the page that compares. */
export const usualFlash = (distinctPages: number): SizeSpec => ({
  kind: "list",
  pages: [Math.max(1, Math.round(distinctPages / 2))],
});

/** A few contenders to begin with: the first policies, and the bound that none beats. */
export function usualContenders(simulator: SimulatorOut): ContenderIn[] {
  const plain = simulator.policies.filter((item) => item.needs.length === 0);
  const bound = simulator.policies.filter((item) => item.needs.includes("future"));
  return [...plain.slice(0, 3), ...bound].map(({ family, name }) => ({ family, name }));
}
