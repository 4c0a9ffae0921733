/**
 * The point that every question is asked at, as it stands in the address: workload, sizes,
 * devices, prices. One codec for links, saved scenarios and the page itself, so that an address
 * restores exactly what was on the screen.
 */
import type { EvaluationIn } from "@/api/compare";
import { DecisionIn, SweepIn } from "@/api/gen/bounds.gen";
import { BASE_CURRENCY, currencyCode, statedRate } from "@/units/currency";
import {
  atLeast,
  bounded,
  cacheNames,
  identifier,
  metadataName,
  namedFields,
  oneOf,
  optionTexts,
  readAddress,
  readBy,
  share,
  whole,
} from "./address";

/** Written where a choice is deliberately empty, so that it is not filled by a default. */
export const NONE = "none";

/** From which start the counts are: a system that runs, or empty caches. */
export const STARTS = DecisionIn.start.values;
export type Start = (typeof STARTS)[number];

export interface AnalysisState {
  readonly workload: string;
  readonly ram_pages: number;
  readonly flash_pages: number;
  readonly flash_device: string;
  readonly disk_device: string;
  /** A device id, or `NONE`. */
  readonly ram_device: string;
  /** A price book id, or `NONE`. */
  readonly price_book: string;
  readonly months: number;
  readonly start: Start;
}

/** The state as far as an address states it. */
export type AnalysisSearch = {
  -readonly [K in keyof AnalysisState]?: AnalysisState[K] | undefined;
} & {
  /** Id of the check by simulation that is shown. */
  check?: string | undefined;
  /** Flash caches that are replayed beside the schemes; see `CachesSearch`. */
  caches?: string | undefined;
  /** Options of these flash caches; see `CachesSearch`. */
  cache_options?: string | undefined;
  /** Rate of the accesses of a trace without times; see `CachesSearch`. */
  access_rate?: number | undefined;
  /** Dirty share of the evicted pages [1], for a workload that does not tell. */
  dirty_share?: number | undefined;
  /** Pages known to be newly allocated during the recording; absent: none is known. */
  new_pages?: number | undefined;
  /** Flash cache whose metadata are taken out of RAM; absent: nothing is charged. */
  metadata?: string | undefined;
  /** Currency that money is shown in; absent: US dollars. */
  currency?: string | undefined;
  /** A rate of the user's own for it: what one US dollar is, and the day. */
  per_usd?: string | undefined;
  /** Saved scenario that was opened, whose kept answer is shown beside the present one. */
  scenario?: string | undefined;
  /** Parts of the address that could not be used, to be shown to the reader. */
  refused?: string | undefined;
};

export const STATE_KEYS = [
  "workload",
  "ram_pages",
  "flash_pages",
  "flash_device",
  "disk_device",
  "ram_device",
  "price_book",
  "months",
  "start",
] as const satisfies readonly (keyof AnalysisState)[];

const FIELDS = namedFields({
  workload: identifier("the id of a workload"),
  ram_pages: whole(DecisionIn.ram_pages, "pages"),
  flash_pages: whole(DecisionIn.flash_pages, "pages"),
  flash_device: identifier("the id of a device"),
  disk_device: identifier("the id of a device"),
  ram_device: identifier("the id of a device, or none"),
  price_book: identifier("the id of a price book, or none"),
  months: whole(DecisionIn.amortisation_months, "months"),
  start: oneOf(STARTS),
  check: identifier("the id of a check"),
  caches: cacheNames,
  cache_options: optionTexts,
  access_rate: bounded(atLeast(SweepIn.accesses_per_s, 1e-6)),
  scenario: identifier("the id of a scenario"),
  dirty_share: share,
  new_pages: whole(DecisionIn.new_pages, "pages"),
  metadata: metadataName,
  currency: readBy(currencyCode, "the code of a currency, such as EUR"),
  per_usd: readBy(statedRate, "a rate and its day, such as 0.92@2026-11-20"),
});

/** Reads search parameters; what cannot be used is left out and named in `refused`. */
export function parseAnalysisSearch(raw: Record<string, unknown>): AnalysisSearch {
  // Dollars are what an absent currency says; a rate of them is left over from another one.
  const currency = raw["currency"] === BASE_CURRENCY ? undefined : raw["currency"];
  const per_usd = currencyCode(currency) === undefined ? undefined : raw["per_usd"];
  const search = readAddress(FIELDS, { ...raw, currency, per_usd });
  // None is what an absent number says.
  return {
    ...search,
    new_pages: search.new_pages === 0 ? undefined : search.new_pages,
  };
}

/** The state, once every part of it is there. */
export function completeState(search: AnalysisSearch): AnalysisState | null {
  const { workload, ram_pages, flash_pages, flash_device, disk_device } = search;
  const { ram_device, price_book, months, start } = search;
  if (
    workload === undefined ||
    ram_pages === undefined ||
    flash_pages === undefined ||
    flash_device === undefined ||
    disk_device === undefined ||
    ram_device === undefined ||
    price_book === undefined ||
    months === undefined ||
    start === undefined
  ) {
    return null;
  }
  return {
    workload,
    ram_pages,
    flash_pages,
    flash_device,
    disk_device,
    ram_device,
    price_book,
    months,
    start,
  };
}

/**
 * A whole question of an earlier version, whose answers all began cold: a link, or a saved
 * scenario, says what it said when it was made.
 */
export const isOfEarlierVersion = (search: AnalysisSearch): boolean =>
  search.start === undefined &&
  STATE_KEYS.every((key) => key === "start" || search[key] !== undefined);

export function evaluationInput(
  state: AnalysisState,
  metadata?: string | undefined,
): EvaluationIn {
  return {
    workload_id: state.workload,
    ram_pages: state.ram_pages,
    flash_pages: state.flash_pages,
    flash_device_id: state.flash_device,
    disk_device_id: state.disk_device,
    ram_device_id: state.ram_device === NONE ? null : state.ram_device,
    price_book_id: state.price_book === NONE ? null : state.price_book,
    amortisation_months: state.months,
    start: state.start,
    ...(metadata === undefined ? {} : { flash_metadata: metadata }),
  };
}

/**
 * What the address adds to a question: the metadata charged; for a given curve its dirty
 * share, or both ends of it where nobody knows.
 */
export const assumptions = (
  search: Pick<AnalysisSearch, "metadata" | "dirty_share">,
  given: boolean,
) => ({
  ...(search.metadata === undefined ? {} : { flash_metadata: search.metadata }),
  ...(given
    ? { dirty_share: search.dirty_share ?? null, dirty_share_range: true }
    : {}),
});
