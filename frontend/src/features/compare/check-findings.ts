import type { EvaluationOut, SimulationOut } from "@/api/compare";
import { counted, formatDuration, formatShort, microseconds } from "@/units/quantity";

export type CheckRow = NonNullable<SimulationOut["result"]>["rows"][number];

/** Titles of schemes by their id. */
export type Titles = ReadonlyMap<string, string>;

/** The counter of a check that the bars can be compared with. */
export const IO_TIME = "io_time_us_per_access";

const COUNTER_TITLES: Readonly<Record<string, string>> = {
  ram_hits: "RAM hits",
  flash_hits: "Flash hits",
  flash_misses: "Flash misses",
  flash_reads: "Flash reads",
  flash_writes: "Flash writes",
  hdd_reads: "Disk reads",
  hdd_writes: "Disk writes",
  disk_reads: "Disk reads",
  disk_writes: "Disk writes",
  io_time_us_per_access: "I/O time",
};

export const counterTitle = (counter: string): string =>
  COUNTER_TITLES[counter] ?? counter.replaceAll("_", " ");

export const titlesOf = (evaluation: EvaluationOut): Titles =>
  new Map(evaluation.schemes.map((scheme) => [scheme.scheme, scheme.title]));

// Model and simulation add the same terms in another order.
const ROUNDING = 1e-12;

/** A gap that is more than the rounding of a sum. */
export const hasGap = (row: CheckRow): boolean =>
  row.gap !== null && Math.abs(row.gap) > ROUNDING * Math.abs(row.simulated);

const LARGE_GAP = 0.05;

/** A gap of more than 5 %, or any where the simulation counted none. */
export const isLargeGap = (row: CheckRow): boolean =>
  hasGap(row) && (row.gap_relative === null || Math.abs(row.gap_relative) > LARGE_GAP);

/** Schemes whose counts the model claims to be equal to a simulation's. */
export const exactSchemes = (rows: readonly CheckRow[]): ReadonlySet<string> =>
  new Set(rows.filter((row) => row.exact).map((row) => row.scheme));

export const signedPercent = (ratio: number): string =>
  `${ratio > 0 ? "+" : "−"}${formatShort(Math.abs(ratio) * 100)}`;

/** The finding of a check: how far the model's I/O times and counters are off. */
export function summary(rows: readonly CheckRow[], titles: Titles): string {
  const times = rows.filter(
    (row) => row.counter === IO_TIME && row.gap_relative !== null,
  );
  const largest = largestCounterGap(rows);
  const counterGap =
    largest === null
      ? ""
      : ` Largest counter gap: ${signedPercent(largest.gap_relative)} % (${titles.get(largest.scheme) ?? largest.scheme}, ${counterTitle(largest.counter)}).`;
  if (times.length === 0) {
    const gaps = rows.filter(hasGap).length;
    const all = counted(rows.length, "counter");
    const agree = counted(
      rows.length - gaps,
      `of ${all} agrees exactly.`,
      `of ${all} agree exactly.`,
    );
    return `${agree}${counterGap}`;
  }
  const worst = Math.max(0, ...times.map((row) => Math.abs(row.gap_relative ?? 0)));
  return worst <= ROUNDING
    ? `Model and simulation agree exactly in the I/O time of every scheme.${counterGap}`
    : `The model's I/O times are within ${formatShort(worst * 100)} % of the simulation.${counterGap}`;
}

// Percentages of a handful of operations say nothing about the model.
const COUNTED_SHARE = 0.001;

function largestCounterGap(
  rows: readonly CheckRow[],
): (CheckRow & { readonly gap_relative: number }) | null {
  const accesses = accessesOf(rows);
  return rows
    .flatMap((row) =>
      row.counter !== IO_TIME &&
      row.gap_relative !== null &&
      hasGap(row) &&
      row.simulated >= COUNTED_SHARE * accesses
        ? [{ ...row, gap_relative: row.gap_relative }]
        : [],
    )
    .reduce<(CheckRow & { readonly gap_relative: number }) | null>(
      (most, row) =>
        most === null || Math.abs(row.gap_relative) > Math.abs(most.gap_relative)
          ? row
          : most,
      null,
    );
}

/** Every access is a RAM hit, a flash hit or a flash miss, whatever the scheme. */
function accessesOf(rows: readonly CheckRow[]): number {
  const parts = rows.filter(
    (row) =>
      row.scheme === rows[0]?.scheme &&
      ["ram_hits", "flash_hits", "flash_misses"].includes(row.counter),
  );
  return parts.reduce((sum, row) => sum + row.simulated, 0);
}

/**
 * The verdict of a simulation: the scheme with the least simulated I/O time and its
 * lead. `modelBest` is the scheme the model puts first. `null` without simulated times.
 */
export function verdict(
  rows: readonly CheckRow[],
  titles: Titles,
  modelBest: string | null,
): string | null {
  const ranked = rows
    .filter((row) => row.counter === IO_TIME)
    .toSorted((one, other) => one.simulated - other.simulated);
  const [first, ...rest] = ranked;
  if (first === undefined) {
    return null;
  }
  const title = (row: CheckRow) => titles.get(row.scheme) ?? row.scheme;
  const equal = [
    first,
    ...rest.filter((row) => row.simulated <= first.simulated * (1 + ROUNDING)),
  ];
  const next = ranked[equal.length];
  const named = equal.map(title);
  const lowest = time(first.simulated);
  const tied = `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
  const lead =
    next === undefined
      ? named.length === 1
        ? `In the simulation ${named[0]} costs ${lowest} per access.`
        : `In the simulation ${tied} cost the same: ${lowest} per access.`
      : named.length === 1
        ? `In the simulation ${named[0]} costs ${lowest} per access, ${lessThan(first, next, title(next))}.`
        : `In the simulation ${tied} cost the same: ${lowest} per access, ${lessThan(first, next, title(next))}.`;
  return modelBest === null || equal.some((row) => row.scheme === modelBest)
    ? lead
    : `${lead} The model puts ${titles.get(modelBest) ?? modelBest} first.`;
}

/** "3.1 % less than Lazy (1.2 ms)" */
const lessThan = (first: CheckRow, next: CheckRow, title: string): string =>
  `${leadPercent(1 - first.simulated / next.simulated)} less than ${title} (${time(next.simulated)})`;

const time = (value: number): string => formatDuration(microseconds(value));

/** A lead never reads as none: the two are known to differ. */
const leadPercent = (ratio: number): string =>
  ratio < 5e-5 ? "less than 0.01 %" : `${formatShort(ratio * 100, 2)} %`;
