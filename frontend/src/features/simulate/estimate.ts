/** What an estimate of all sizes says: lines to draw, the finding in words, rows to export. */
import type { MiniatureIn, MiniatureOut, MiniatureRow } from "@/api/miniatures";
import type { CsvCell } from "@/charts/csv";
import {
  bytes,
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
const note = (row: MiniatureRow): string =>
  row.error ?? row.warnings.map(({ name }) => NOTES[name] ?? name).join("; ");

/** Ends of an interval, as two cells. */
const interval = (ends: readonly number[] | null | undefined) =>
  ends == null ? [null, null] : [ends[0] ?? null, ends[1] ?? null];

export const shown = (value: number | null) =>
  value === null ? UNKNOWN : percent(value);
export const count = (value: number | null) =>
  value === null ? UNKNOWN : formatCount(Math.round(value));
const rate = (value: number | null) => (value === null ? UNKNOWN : formatShort(value));

/** What the rows of a table are of. */
const estimateCaption = (made: MiniatureOut): string =>
  `${formatCount(made.rows.length)} of ${counted(made.sizes.length, "size")}, ${countedIn({ ...made, warm_up_until_full: false })}; ends of ${percent(made.interval_confidence)} intervals.`;

type Ends = readonly number[] | null | undefined;

/** A column of the table, and of the ends of its interval where it has one. */
export interface EstimateColumn {
  readonly title: string;
  readonly value: (row: MiniatureRow) => number | null | undefined;
  readonly show: (value: number | null) => string;
  readonly ends?: (row: MiniatureRow) => Ends;
}

/** Pages and bytes of a size, of a cache or of flash. */
export const sizeColumns = (
  of: string,
  made: MiniatureOut,
): readonly EstimateColumn[] => [
  { title: `${of} [pages]`, value: (row) => row.pages, show: count },
  {
    title: `${of} [bytes]`,
    value: (row) => row.pages * made.page_bytes,
    show: (size) => (size === null ? UNKNOWN : formatBytes(bytes(size))),
  },
];

/** Rates of one machine of production, each by its title and the name of its counter; none without production. */
export const rateColumns = (
  made: MiniatureOut,
  rates: readonly (readonly [title: string, name: string])[],
): readonly EstimateColumn[] =>
  made.rows.every((row) => row.in_production === null)
    ? []
    : rates.map(([title, name]) => ({
        title: `${title} in production [1/s]`,
        value: (row) => row.in_production?.per_s[name],
        show: rate,
        ends: (row) => row.per_s_interval95?.[name],
      }));

/** The rows in these columns, with every digit and as they are shown. */
export function tableOf(made: MiniatureOut, columns: readonly EstimateColumn[]) {
  const cells = ({ value, ends }: EstimateColumn, row: MiniatureRow) => [
    value(row) ?? null,
    ...(ends === undefined ? [] : interval(ends(row))),
  ];
  return {
    header: [
      ...columns.flatMap(({ title, ends }) =>
        ends === undefined ? [title] : [title, "at least", "at most"],
      ),
      "Note",
    ],
    rows: made.rows.map((row): CsvCell[] => [
      ...columns.flatMap((column) => cells(column, row)),
      note(row),
    ]),
    shown: made.rows.map((row) => [
      ...columns.flatMap((column) => cells(column, row).map(column.show)),
      note(row),
    ]),
    caption: estimateCaption(made),
  };
}

export const estimateTable = (made: MiniatureOut) =>
  tableOf(made, [
    ...sizeColumns("Cache", made),
    {
      title: "Hit ratio, estimated",
      value: (row) => row.hit_ratio,
      show: shown,
      ends: (row) => row.hit_ratio_interval95,
    },
    { title: "LRU hit ratio, exact", value: (row) => row.lru_hit_ratio, show: shown },
    {
      title: "Misses, estimated",
      value: (row) => row.misses,
      show: count,
      ends: (row) => row.misses_interval95,
    },
    {
      title: "Disk writes, estimated",
      value: (row) => row.disk_writes,
      show: count,
      ends: (row) => row.disk_writes_interval95,
    },
    ...rateColumns(made, [
      ["Misses", "misses"],
      ["Disk writes", "disk_writes"],
    ]),
  ]);

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
