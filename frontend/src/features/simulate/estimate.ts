/** What an estimate of all sizes says: lines to draw, the finding in words, rows to export. */
import type { MiniatureIn, MiniatureOut, MiniatureRow } from "@/api/miniatures";
import type { CsvCell } from "@/charts/csv";
import {
  bytes,
  bytesOfPages,
  counted,
  formatBytes,
  formatCount,
  formatPagesAndBytes,
  formatPercent,
  formatShort,
  pages,
  ratio,
  UNKNOWN,
} from "@/units/quantity";
import { countedIn } from "./results";

/** Scaled caches of fewer pages may behave unlike large ones. */
export const LEAST_SCALED_PAGES = 32;
export const MINIATURES = 8;
const DIGITS = 4;

type Known = MiniatureRow & {
  readonly hit_ratio: number;
  readonly lru_hit_ratio: number;
};
type Stated = Known & { readonly hit_ratio_interval95: readonly [number, number] };

const isKnown = (row: MiniatureRow): row is Known =>
  row.hit_ratio !== null && row.lru_hit_ratio !== null;

export const knownRows = (made: Pick<MiniatureOut, "rows">): readonly Known[] =>
  made.rows.filter(isKnown);

/** Those of whose estimate an interval can be stated. */
export const statedRows = (rows: readonly Known[]): readonly Stated[] =>
  rows.filter((row): row is Stated => row.hit_ratio_interval95 !== null);

export const percent = (value: number) => formatPercent(ratio(value), DIGITS);

/** Smallest cache whose miniatures are large enough at a rate. [pages] */
export const leastPagesAt = (rate: number): number =>
  Math.ceil((LEAST_SCALED_PAGES * MINIATURES) / rate);

/** Why the policy cannot be distinguished from LRU at any size. */
function withoutIntervals(known: readonly Known[], title: string): string {
  if (known.every((row) => row.too_small === true)) {
    return `All scaled caches are too small to distinguish ${title} from LRU`;
  }
  return known.every((row) => row.warnings.some(({ name }) => name === "cliff"))
    ? `The curve of ${title} has a cliff at ${known.length === 1 ? "this size" : `each of ${counted(known.length, "size")}`}, so it cannot be distinguished from LRU`
    : `No scaled cache represents one under ${title} well enough to distinguish it from LRU`;
}

/** The policy beside the exact curve of LRU, as far as the intervals tell them apart. */
export function estimateFinding(made: Pick<MiniatureOut, "rows" | "title">): string {
  const known = knownRows(made);
  if (known.length === 0) {
    return `No estimate of ${made.title} yet`;
  }
  const rows = statedRows(known);
  if (rows.length === 0) {
    return withoutIntervals(known, made.title);
  }
  const above = rows.filter(
    (row) => row.hit_ratio_interval95[0] > row.lru_hit_ratio,
  ).length;
  const below = rows.filter(
    (row) => row.hit_ratio_interval95[1] < row.lru_hit_ratio,
  ).length;
  const all =
    counted(rows.length, "size") +
    (rows.length < known.length ? " with an interval" : "");
  if (made.title.toLowerCase() === "lru") {
    return `The LRU estimate contains the exact curve at ${rows.length - above - below} of ${all}`;
  }
  if (above === 0 && below === 0) {
    return `${made.title} and LRU cannot be distinguished at any of ${all}`;
  }
  if (below === 0) {
    return `${made.title} hits more than LRU at ${above} of ${all}, beyond its interval`;
  }
  return above === 0
    ? `${made.title} hits less than LRU at ${below} of ${all}, beyond its interval`
    : `${made.title} hits more than LRU at ${above} and less at ${below} of ${all}, beyond its interval`;
}

/** Policy, interval and LRU at the size in the middle. */
export function estimateSentence(made: MiniatureOut): string | undefined {
  const rows = knownRows(made);
  const row = rows[Math.floor(rows.length / 2)];
  if (row === undefined) {
    return undefined;
  }
  const size = formatPagesAndBytes(pages(row.pages), bytes(made.page_bytes));
  const ends = row.hit_ratio_interval95;
  const reach =
    ends === null
      ? "no interval can be stated"
      : `${percent(ends[0])} to ${percent(ends[1])} in ${percent(made.interval_confidence)} of samples`;
  const sentence = `At ${size}: ${made.title} hits about ${percent(row.hit_ratio)} (${reach}), LRU exactly ${percent(row.lru_hit_ratio)}.`;
  const there = missesInProduction(row);
  return there === undefined ? sentence : `${sentence} ${there}`;
}

/** What a size misses at the rate of one machine of production. */
export function missesInProduction(
  row: MiniatureRow,
  name: "misses" | "flash_misses" = "misses",
): string | undefined {
  const { in_production: at, per_s_interval95: ends } = row;
  const misses = at?.per_s[name];
  if (at == null || misses === undefined) {
    return undefined;
  }
  const [low, high] = ends?.[name] ?? [];
  const about = `One machine of production has ${formatShort(at.accesses_per_s)} accesses per second, of which it misses about ${formatShort(misses)}`;
  return low === undefined || high === undefined
    ? `${about}.`
    : `${about} (${formatShort(low)} to ${formatShort(high)}).`;
}

/** Short forms of what rows say of themselves; the notes below the table say it in full. */
const NOTES: Readonly<Record<string, string>> = {
  too_small: `part of a scaled cache below ${LEAST_SCALED_PAGES} pages: no interval`,
  does_not_shrink: "the policy does not scale with its cache: no interval",
  cliff: "the curve has a cliff at this size: no interval",
};

/** What a row says of itself, in a cell. */
export const note = (row: MiniatureRow): string =>
  row.error ?? row.warnings.map(({ name }) => NOTES[name] ?? name).join("; ");

/** Ends of an interval, as two cells. */
export const interval = (ends: readonly number[] | null | undefined) =>
  ends == null ? [null, null] : [ends[0] ?? null, ends[1] ?? null];

export const shown = (value: number | null) =>
  value === null ? UNKNOWN : percent(value);
export const count = (value: number | null) =>
  value === null ? UNKNOWN : formatCount(Math.round(value));
export const rate = (value: number | null) =>
  value === null ? UNKNOWN : formatShort(value);

/** What the rows of a table are of. */
export const estimateCaption = (made: MiniatureOut): string =>
  `${formatCount(made.rows.length)} of ${counted(made.sizes.length, "size")}, ${countedIn({ ...made, warm_up_until_full: false })}; ends of ${percent(made.interval_confidence)} intervals.`;

export function estimateTable(made: MiniatureOut) {
  const produces = made.rows.some((row) => row.in_production !== null);
  const rates = (row: MiniatureRow) =>
    !produces
      ? []
      : ["misses", "disk_writes"].flatMap((name) => [
          row.in_production?.per_s[name] ?? null,
          ...interval(row.per_s_interval95?.[name] ?? null),
        ]);
  return {
    header: [
      "Cache [pages]",
      "Cache [bytes]",
      "Hit ratio, estimated",
      "at least",
      "at most",
      "LRU hit ratio, exact",
      "Misses, estimated",
      "at least",
      "at most",
      "Disk writes, estimated",
      "at least",
      "at most",
      ...(produces
        ? [
            "Misses in production [1/s]",
            "at least",
            "at most",
            "Disk writes in production [1/s]",
            "at least",
            "at most",
          ]
        : []),
      "Note",
    ],
    rows: made.rows.map((row): CsvCell[] => [
      row.pages,
      row.pages * made.page_bytes,
      row.hit_ratio,
      ...interval(row.hit_ratio_interval95),
      row.lru_hit_ratio,
      row.misses,
      ...interval(row.misses_interval95),
      row.disk_writes,
      ...interval(row.disk_writes_interval95),
      ...rates(row),
      note(row),
    ]),
    shown: made.rows.map((row) => [
      formatCount(row.pages),
      formatBytes(bytesOfPages(pages(row.pages), bytes(made.page_bytes))),
      shown(row.hit_ratio),
      ...interval(row.hit_ratio_interval95).map(shown),
      shown(row.lru_hit_ratio),
      count(row.misses),
      ...interval(row.misses_interval95).map(count),
      count(row.disk_writes),
      ...interval(row.disk_writes_interval95).map(count),
      ...rates(row).map(rate),
      note(row),
    ]),
    caption: estimateCaption(made),
  };
}

/** Warnings of the trace and of sizes, each named once. */
export function estimateNotes(made: MiniatureOut) {
  const failed = made.rows.find((row) => row.error !== null);
  const found = [
    ...made.warnings,
    ...made.rows.flatMap((row) => row.warnings),
    ...(failed === undefined
      ? []
      : [
          {
            name: "failed",
            message: `${counted(failed.pages, "page")}: ${failed.error}`,
            hint: failed.hint,
          },
        ]),
  ];
  return [...new Map(found.map((note) => [note.name, note])).values()];
}

export const USUAL_RATE = 0.1;

/** Whether an estimate was made of these very inputs. */
export function isSameEstimate(made: MiniatureIn, asked: MiniatureIn): boolean {
  const plain = (input: MiniatureIn) =>
    JSON.stringify([
      input.workload_id,
      input.family ?? "policy",
      input.policy,
      input.ram_pages ?? null,
      Object.entries(input.options ?? {}).sort(),
      input.sizes,
      input.sample_rate ?? USUAL_RATE,
      input.seed ?? 0,
    ]);
  return plain(made) === plain(asked);
}
