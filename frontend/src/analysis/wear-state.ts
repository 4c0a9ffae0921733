/** What the page of wear and recovery adds to the address; absent: the usual value. */
export interface WearSearch {
  /** Page accesses a second; absent: the workload's own. */
  rate?: number | undefined;
  /** Of the load, a year; 0.2: 20 % more. */
  growth?: number | undefined;
  devices?: number | undefined;
  written_tb?: number | undefined;
  rated_tb?: number | undefined;
  rated_years?: number | undefined;
  pe_cycles?: number | undefined;
  waf_in_place?: number | undefined;
  waf_appended?: number | undefined;
  /** Checkpoint interval. [s] */
  interval?: number | undefined;
  redo_pages?: number | undefined;
  redo_writes?: number | undefined;
  /** Share of redone pages that flash holds. */
  flash_share?: number | undefined;
  /** Of a fragment cache: the fragment. [KiB] */
  fragment_kib?: number | undefined;
  /** Address space behind it; absent: the pages of the workload. [GiB] */
  source_gib?: number | undefined;
  /** Of the reads that reach it; absent: from the workload. [1] */
  miss_rate?: number | undefined;
  /** Mean run of useful pages. [KiB] */
  run_kib?: number | undefined;
  /** Useful share of the space outside the runs. [1] */
  density?: number | undefined;
  /** Sleep of a population thread. [s] */
  period_s?: number | undefined;
}

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly whole?: boolean;
}

/** The same bounds as the server's. */
export const WEAR_BOUNDS: Readonly<Record<keyof WearSearch, Bounds>> = {
  rate: { low: 0, high: 1e12 },
  growth: { low: -0.99, high: 100 },
  devices: { low: 1, high: 10_000, whole: true },
  written_tb: { low: 0, high: 1e15 },
  rated_tb: { low: 1e-9, high: 1e15 },
  rated_years: { low: 1e-9, high: 1000 },
  pe_cycles: { low: 1e-9, high: 1e15 },
  waf_in_place: { low: 1e-9, high: 1e6 },
  waf_appended: { low: 1e-9, high: 1e6 },
  interval: { low: 1e-9, high: 1e9 },
  redo_pages: { low: 0, high: 1e15 },
  redo_writes: { low: 0, high: 1e15 },
  flash_share: { low: 0, high: 1 },
  fragment_kib: { low: 4, high: 2 ** 20, whole: true },
  source_gib: { low: 1e-5, high: 1e9 },
  miss_rate: { low: 0, high: 1 },
  run_kib: { low: 4, high: 1e12 },
  density: { low: 0, high: 1 },
  period_s: { low: 1e-6, high: 1e6 },
};

export const WEAR_KEYS = Object.keys(WEAR_BOUNDS) as (keyof WearSearch)[];

export function fitsWear(key: keyof WearSearch, value: number): boolean {
  const { low, high, whole = false } = WEAR_BOUNDS[key];
  return value >= low && value <= high && (!whole || Number.isInteger(value));
}

/** Reads the page's own parameters; what cannot be used counts as absent. */
export function parseWearSearch(raw: Record<string, unknown>): WearSearch {
  return Object.fromEntries(
    WEAR_KEYS.map((key) => {
      const value = raw[key];
      const good = typeof value === "number" && fitsWear(key, value);
      return [key, good ? value : undefined];
    }),
  );
}
