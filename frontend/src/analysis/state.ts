/**
 * What an analysis page shows, as it stands in the address: workload, sizes, devices,
 * prices. One codec for links, saved scenarios and the page itself, so that an address
 * restores exactly what was on the screen.
 */
import type { EvaluationIn } from "@/api/evaluations";
import { currencyCode, statedRate } from "@/units/currency";

/** Written where a choice is deliberately empty, so that it is not filled by a default. */
export const NONE = "none";

/** From which start the counts are: a system that runs, or empty caches. */
export const STARTS = ["steady", "cold"] as const;
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

const MAX_REFUSED = 600;
const IDENTIFIER = /^[a-z0-9][a-z0-9._-]{0,99}$/;

const METADATA = /^[a-z0-9][a-z0-9._-]{0,99}(:\d{1,12}(\.\d{1,5})?GiB)?$/;

/** A preset of flash metadata, with the address space behind it where that is stated. */
export const metadataName = (value: unknown): string | undefined =>
  typeof value === "string" && METADATA.test(value) ? value : undefined;

type Reader<T> = (value: unknown) => T | null;

const identifier: Reader<string> = (value) => {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && IDENTIFIER.test(text) ? text : null;
};

const integer =
  (min: number, max: number): Reader<number> =>
  (value) => {
    const number =
      typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
    return typeof number === "number" &&
      Number.isSafeInteger(number) &&
      number >= min &&
      number <= max
      ? number
      : null;
  };

const READERS: {
  readonly [K in keyof AnalysisState]: {
    readonly read: Reader<AnalysisState[K]>;
    readonly expected: string;
  };
} = {
  workload: { read: identifier, expected: "the id of a workload" },
  ram_pages: {
    read: integer(1, Number.MAX_SAFE_INTEGER),
    expected: "a whole number of pages, at least 1",
  },
  flash_pages: {
    read: integer(0, Number.MAX_SAFE_INTEGER),
    expected: "a whole number of pages, at least 0",
  },
  flash_device: { read: identifier, expected: "the id of a device" },
  disk_device: { read: identifier, expected: "the id of a device" },
  ram_device: { read: identifier, expected: "the id of a device, or none" },
  price_book: { read: identifier, expected: "the id of a price book, or none" },
  months: { read: integer(1, 600), expected: "1 to 600 months" },
  start: {
    read: (value) => STARTS.find((name) => name === value) ?? null,
    expected: "steady or cold",
  },
};

/** An address may hold objects, which need not have a text of their own. */
const shown = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

function readKey<K extends keyof AnalysisState>(
  key: K,
  raw: Record<string, unknown>,
  into: AnalysisSearch,
  refused: string[],
): void {
  const value = raw[key];
  // The router lays this result over the raw parameters: what is refused must be
  // stated as absent, or the raw value would show through.
  into[key] = undefined;
  if (value === undefined || value === null || value === "") {
    return;
  }
  const read = READERS[key].read(value);
  if (read === null) {
    refused.push(
      `${key}=${shown(value).slice(0, 60)} (needs ${READERS[key].expected})`,
    );
  } else {
    // The reader of a key yields that key's type; the mapped type hides it here.
    (into as Record<string, unknown>)[key] = read;
  }
}

function readDirtyShare(raw: unknown, into: AnalysisSearch, refused: string[]): void {
  into.dirty_share = undefined;
  if (raw === undefined || raw === null || raw === "") {
    return;
  }
  const share = typeof raw === "string" ? Number(raw) : raw;
  if (typeof share === "number" && share >= 0 && share <= 1) {
    into.dirty_share = share;
  } else {
    refused.push(`dirty_share=${shown(raw).slice(0, 60)} (needs a share from 0 to 1)`);
  }
}

const newPages = integer(0, Number.MAX_SAFE_INTEGER);

function readNewPages(raw: unknown, into: AnalysisSearch, refused: string[]): void {
  into.new_pages = undefined;
  if (raw === undefined || raw === null || raw === "") {
    return;
  }
  const count = newPages(raw);
  if (count === null) {
    refused.push(
      `new_pages=${shown(raw).slice(0, 60)} (needs a whole number of pages, at least 0)`,
    );
  } else if (count > 0) {
    into.new_pages = count;
  }
}

/** Reads search parameters; what cannot be used is left out and named in `refused`. */
export function parseAnalysisSearch(raw: Record<string, unknown>): AnalysisSearch {
  const search: AnalysisSearch = {};
  const refused: string[] = [];
  for (const key of STATE_KEYS) {
    readKey(key, raw, search, refused);
  }
  search.check = identifier(raw["check"]) ?? undefined;
  search.scenario = identifier(raw["scenario"]) ?? undefined;
  readDirtyShare(raw["dirty_share"], search, refused);
  readNewPages(raw["new_pages"], search, refused);
  search.metadata = metadataName(raw["metadata"]);
  search.currency = currencyCode(raw["currency"]);
  search.per_usd =
    search.currency === undefined ? undefined : statedRate(raw["per_usd"]);
  const earlier = raw["refused"];
  if (typeof earlier === "string" && earlier !== "") {
    refused.push(...earlier.slice(0, MAX_REFUSED).split("; "));
  }
  if (refused.length > 0) {
    search.refused = [...new Set(refused)].join("; ");
  }
  return search;
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

/** The pages that the address states as new; a given curve has no first touches to be of. */
export const growthAsked = (
  search: Pick<AnalysisSearch, "new_pages">,
  given: boolean,
): { new_pages?: number } =>
  given || search.new_pages === undefined ? {} : { new_pages: search.new_pages };

/** The inverse of `evaluationInput`, for checks that are reopened. */
export function stateOfInputs(inputs: EvaluationIn): AnalysisSearch {
  return {
    workload: inputs.workload_id,
    ram_pages: inputs.ram_pages,
    flash_pages: inputs.flash_pages,
    flash_device: inputs.flash_device_id,
    disk_device: inputs.disk_device_id,
    ram_device: inputs.ram_device_id ?? NONE,
    price_book: inputs.price_book_id ?? NONE,
    months: inputs.amortisation_months,
    start: inputs.start ?? "steady",
    metadata: inputs.flash_metadata ?? undefined,
  };
}

export const sameState = (one: AnalysisState, other: AnalysisState): boolean =>
  STATE_KEYS.every((key) => one[key] === other[key]);
