/** What a sweep says: series to draw, the finding in words, rows to export. */
import type { SimulatorCounter, SimulatorOut } from "@/api/simulator";
import type { ContenderOut, ReplayOut, SweepOut } from "@/api/sweeps";
import type { CsvCell } from "@/charts/csv";
import type { Dash } from "@/charts/scheme-mark";
import {
  bytes,
  bytesOfPages,
  counted,
  formatBytes,
  formatCount,
  formatNumber,
  formatPercent,
  formatShort,
  pages,
  ratio,
  UNKNOWN,
} from "@/units/quantity";

export type Axis = "ram" | "flash";

export interface Measure {
  readonly id: string;
  readonly title: string;
  /** For the axis, with its unit. */
  readonly axis: string;
  /** "misses least", "needs the least I/O time" */
  readonly wins: string;
  readonly of: (row: ReplayOut) => number | null;
  readonly format: (value: number) => string;
}

const perAccess = (value: number) => `${formatShort(value, 4)} per access`;
const share =
  (count: (row: ReplayOut) => number | null) =>
  (row: ReplayOut): number | null => {
    const found = count(row);
    return found === null || !row.accesses ? null : found / row.accesses;
  };

export const MEASURES: readonly Measure[] = [
  {
    id: "miss_ratio",
    title: "Miss ratio",
    axis: "miss ratio [%]",
    wins: "misses least",
    of: (row) => (row.miss_ratio === null ? null : 100 * row.miss_ratio),
    format: (value) => `${formatShort(value, 4)} %`,
  },
  {
    id: "io_time",
    title: "I/O time",
    axis: "I/O time [µs per access]",
    wins: "needs the least I/O time",
    of: (row) => row.io_time_us_per_access,
    format: (value) => `${formatShort(value, 4)} µs`,
  },
  {
    id: "disk_reads",
    title: "Disk reads",
    axis: "disk reads [pages per access]",
    wins: "reads the disk least",
    of: share((row) => row.disk_reads),
    format: perAccess,
  },
  {
    id: "disk_writes",
    title: "Disk writes",
    axis: "disk writes [pages per access]",
    wins: "writes the disk least",
    of: share((row) => row.disk_writes),
    format: perAccess,
  },
  {
    id: "flash_writes",
    title: "Flash writes",
    axis: "flash writes [pages per access]",
    wins: "writes flash least",
    of: share((row) => row.flash_writes),
    format: perAccess,
  },
];

export const measureOf = (id: string | undefined): Measure => {
  const found = MEASURES.find((measure) => measure.id === id) ?? MEASURES[0];
  if (found === undefined) {
    throw new Error("there is no measure");
  }
  return found;
};

/** "2Q", or "2Q (k_in 0.5)" */
export function labelOf(contender: Pick<ContenderOut, "title" | "options">): string {
  const options = Object.entries(contender.options).map(
    ([name, value]) => `${name} ${value}`,
  );
  return options.length === 0
    ? contender.title
    : `${contender.title} (${options.join(", ")})`;
}

const DASHES: readonly Dash[] = ["solid", "dashed", "dotted"];

/** Variants of one name keep its colour and differ in the line. */
export function dashesOf(
  contenders: readonly Pick<ContenderOut, "family" | "name">[],
): Dash[] {
  const seen = new Map<string, number>();
  return contenders.map(({ family, name }) => {
    const key = `${family}:${name}`;
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return DASHES[count % DASHES.length] ?? "solid";
  });
}

export interface ResultSeries {
  readonly contender: number;
  readonly label: string;
  readonly name: string;
  readonly dash: Dash;
  readonly points: readonly (readonly [number, number])[];
}

/** Which sizes vary, and at which size the other tier can be held. */
export interface View {
  readonly axis: Axis;
  readonly held: number | null;
}

export function viewOf(
  sweep: Pick<SweepOut, "ram_pages" | "flash_pages">,
  over: Axis | undefined,
  held: number | undefined,
): View {
  const usual: Axis =
    sweep.ram_pages.length > 1 || sweep.flash_pages.length < 2 ? "ram" : "flash";
  const axis =
    over === "flash" && sweep.flash_pages.length === 0 ? "ram" : (over ?? usual);
  const others = axis === "ram" ? sweep.flash_pages : sweep.ram_pages;
  const last = others.at(-1) ?? null;
  return { axis, held: held !== undefined && others.includes(held) ? held : last };
}

/** One line a contender over the sizes of the axis, as far as the sweep is. */
export function seriesOf(
  sweep: SweepOut,
  measure: Measure,
  view: View,
): ResultSeries[] {
  const dashes = dashesOf(sweep.contenders);
  return sweep.contenders.map((contender, index) => {
    const own = sweep.rows.filter((row) => row.contender === index);
    return {
      contender: index,
      label: labelOf(contender),
      name: contender.name,
      dash: dashes[index] ?? "solid",
      points: own.flatMap((row) => {
        const value = measure.of(row);
        return value === null
          ? []
          : placesOf(row, sweep, view).map((size) => [size, value] as const);
      }),
    };
  });
}

/** Where a row stands on the axis; one cache stands at every flash size. */
function placesOf(
  row: ReplayOut,
  sweep: Pick<SweepOut, "flash_pages">,
  { axis, held }: View,
): readonly number[] {
  if (axis === "ram") {
    return row.flash_pages === null || row.flash_pages === held ? [row.ram_pages] : [];
  }
  if (row.ram_pages !== held) {
    return [];
  }
  // A logarithmic axis has no place for zero.
  return (row.flash_pages === null ? sweep.flash_pages : [row.flash_pages]).filter(
    (size) => size > 0,
  );
}

/** Contenders nearer to the best than this are level with it: no ground for a choice. */
const LEVEL = 0.01;

/** Those at one size that are as good as the best. */
function bestAt(real: readonly ResultSeries[], size: number): readonly ResultSeries[] {
  const values = real.map((one) => valueAt(one, size) ?? Number.POSITIVE_INFINITY);
  const least = Math.min(...values);
  return real.filter(
    (_, place) => (values[place] ?? 0) <= least + Math.abs(least) * LEVEL,
  );
}

const namesOf = (series: readonly ResultSeries[]): string =>
  new Intl.ListFormat("en-GB").format(series.map(({ label }) => label));

/** Who is best at how many of the sizes that all contenders have. */
export function findingOf(
  series: readonly ResultSeries[],
  sweep: Pick<SweepOut, "contenders">,
  measure: Measure,
  bounds: ReadonlySet<string>,
): string {
  const isBound = (one: ResultSeries) => {
    const contender = sweep.contenders[one.contender];
    return (
      contender !== undefined && bounds.has(`${contender.family}:${contender.name}`)
    );
  };
  const real = series.filter((one) => !isBound(one) && one.points.length > 0);
  const [first, ...others] = real;
  if (first === undefined) {
    return series.some((one) => one.points.length > 0)
      ? `${measure.title} of a policy that knows the future: a bound for all others`
      : `${measure.title}: no results yet`;
  }
  if (others.length === 0) {
    return `${measure.title} of ${first.label}`;
  }
  const common = first.points
    .map(([size]) => size)
    .filter((size) => others.every((one) => valueAt(one, size) !== null));
  return common.length === 0
    ? "The contenders have no size in common yet"
    : rankingOf(
        real,
        common.map((size) => bestAt(real, size)),
        measure,
      );
}

/** The ranking in words, from who is among the best at each size. */
function rankingOf(
  real: readonly ResultSeries[],
  best: readonly (readonly ResultSeries[])[],
  measure: Measure,
): string {
  const all = counted(best.length, "size");
  if (best.every((level) => level.length === real.length)) {
    return `All contenders are level, within 1 % of each other, at ${all}`;
  }
  const leads = (one: ResultSeries) =>
    best.filter((level) => level.length === 1 && level[0] === one).length;
  const most = Math.max(...real.map(leads));
  const leaders = real.filter((one) => leads(one) === most);
  const [leader] = leaders;
  if (most > 0 && leader !== undefined && leaders.length === 1) {
    const level = best.filter(
      (names) => names.length > 1 && names.includes(leader),
    ).length;
    return level === 0
      ? `${leader.label} ${measure.wins} at ${most} of ${all}`
      : `${leader.label} ${measure.wins} at ${most} of ${all}, and is level with the best at ${level} more`;
  }
  if (most > 0) {
    return `Each of ${namesOf(leaders)} ${measure.wins} at ${most} of ${all}`;
  }
  const among = (one: ResultSeries) =>
    best.filter((names) => names.includes(one)).length;
  const usual = Math.max(...real.map(among));
  const level = real.filter((one) => among(one) === usual);
  return level.length === 1
    ? `${namesOf(level)} is best or within 1 % of the best at ${usual} of ${all}`
    : `${namesOf(level)} are level, within 1 % of the best, at ${usual} of ${all}`;
}

export const valueAt = (series: ResultSeries, size: number): number | null =>
  series.points.find(([place]) => place === size)?.[1] ?? null;

/** The contenders at one size, best first, in words. */
export function sentenceOf(
  series: readonly ResultSeries[],
  measure: Measure,
  size: number,
  sizeText: string,
): string {
  const ranked = series
    .flatMap((one) => {
      const value = valueAt(one, size);
      return value === null ? [] : [{ label: one.label, value }];
    })
    .sort((one, other) => one.value - other.value);
  return ranked.length === 0
    ? ""
    : `At ${sizeText}: ${ranked
        .map(({ label, value }) => `${label} ${measure.format(value)}`)
        .join(", ")}.`;
}

/** How many accesses each replay counts and how it starts, in the middle of a sentence. */
export function countedIn(
  sweep: Pick<SweepOut, "accesses" | "warm_up" | "warm_up_until_full">,
): string {
  if (sweep.warm_up_until_full || sweep.accesses === null) {
    return "all accesses after the one that fills flash, or the only cache";
  }
  const start = sweep.warm_up
    ? `after a warm-up of ${formatCount(sweep.warm_up)}`
    : "from a cold start";
  return `${counted(sweep.accesses, "access")} ${start}`;
}

/** Counts that flash caches of a sweep have names of their own for. */
export const ownCountersOf = (
  sweep: Pick<SweepOut, "contenders">,
  simulator: Pick<SimulatorOut, "flash_caches">,
): readonly SimulatorCounter[] =>
  simulator.flash_caches
    .filter(({ name }) =>
      sweep.contenders.some((one) => one.family === "flash_cache" && one.name === name),
    )
    .flatMap(({ counters }) => counters);

const titleOf = ({ name, unit }: SimulatorCounter): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")} [${unit}]`;

interface WornColumn {
  readonly title: string;
  readonly value: (row: ReplayOut) => number | null;
  /** Whether it has no value where flash is never worn out. */
  readonly endless?: boolean;
}

/** What becomes of flash: columns that some row has a value for. */
const wornColumns = (sweep: SweepOut): readonly WornColumn[] => {
  const amplification: WornColumn = {
    title: "Write amplification",
    value: ({ flash_life }) => flash_life?.waf ?? null,
  };
  const written: WornColumn = {
    title: "Written to flash [TB/day]",
    value: ({ flash_life }) => flash_life?.tb_per_day ?? null,
  };
  const life: WornColumn = {
    title: "Life of flash [years]",
    value: ({ flash_life }) => flash_life?.years ?? null,
    endless: true,
  };
  const has = ({ value }: WornColumn) => sweep.rows.some((row) => value(row) !== null);
  return [
    ...(has(amplification) ? [amplification] : []),
    ...(has(written) ? [written, life] : []),
  ];
};

export function tableOf(sweep: SweepOut, own: readonly SimulatorCounter[] = []) {
  const size = (count: number) =>
    formatBytes(bytesOfPages(pages(count), bytes(sweep.page_bytes)));
  const percent = (value: number | null) =>
    value === null ? UNKNOWN : formatPercent(ratio(value), 4);
  const count = (value: number | null) =>
    value === null ? UNKNOWN : formatCount(value);
  const short = (value: number | null) =>
    value === null ? UNKNOWN : formatShort(value, 3);
  const countOrRatio = (value: number | null) =>
    Number.isInteger(value) ? count(value) : short(value);
  const label = (row: ReplayOut) => {
    const contender = sweep.contenders[row.contender];
    return contender === undefined ? "" : labelOf(contender);
  };
  const charged = sweep.inputs.flash_metadata != null;
  const spares = sweep.rows.some((row) => row.write_reduction !== null);
  const microseconds = (value: number | null) =>
    value === null ? UNKNOWN : formatNumber(value, 4);
  const taken = (value: number | null) =>
    value === null ? UNKNOWN : formatBytes(bytes(value));
  const ownCount = (row: ReplayOut, { name }: SimulatorCounter) =>
    row.counters[name] ?? null;
  const taxed = sweep.rows.some((row) => row.ram_tax_bytes !== null);
  const worn = wornColumns(sweep);
  const fills = sweep.warm_up_until_full;
  const produces = sweep.rows.some((row) => row.in_production !== null);
  const rate = (row: ReplayOut, operation: "reads" | "writes") => {
    const rates = row.in_production?.per_s;
    return rates?.[`disk_${operation}`] ?? rates?.[`hdd_${operation}`] ?? null;
  };
  return {
    header: [
      "Contender",
      "Cache or RAM [pages]",
      "Cache or RAM [bytes]",
      ...(charged ? ["RAM left by the metadata [pages]"] : []),
      "Flash [pages]",
      ...(fills ? ["Warm-up [accesses]", "Counted [accesses]"] : []),
      "Miss ratio",
      "RAM hit ratio",
      "Flash hit ratio",
      "Disk reads",
      "Disk writes",
      "Flash reads",
      "Flash writes",
      ...(spares ? ["Write reduction"] : []),
      ...own.map(titleOf),
      ...(taxed ? ["RAM of its directory [bytes]", "Of RAM"] : []),
      ...worn.map(({ title }) => title),
      "I/O time [µs/access]",
      ...(produces
        ? ["Disk reads in production [1/s]", "Disk writes in production [1/s]"]
        : []),
    ],
    rows: sweep.rows.map((row): CsvCell[] => [
      label(row),
      row.ram_pages,
      row.ram_pages * sweep.page_bytes,
      ...(charged ? [row.ram_pages_left] : []),
      row.flash_pages,
      ...(fills ? [row.warm_up, row.accesses] : []),
      row.miss_ratio,
      row.ram_hit_ratio,
      row.flash_hit_ratio,
      row.disk_reads,
      row.disk_writes,
      row.flash_reads,
      row.flash_writes,
      ...(spares ? [row.write_reduction] : []),
      ...own.map((counter) => ownCount(row, counter)),
      ...(taxed ? [row.ram_tax_bytes, row.ram_tax_share] : []),
      ...worn.map(({ value }) => value(row)),
      row.io_time_us_per_access,
      ...(produces ? [rate(row, "reads"), rate(row, "writes")] : []),
    ]),
    shown: sweep.rows.map((row) => [
      label(row),
      formatCount(row.ram_pages),
      size(row.ram_pages),
      ...(charged ? [count(row.ram_pages_left)] : []),
      count(row.flash_pages),
      ...(fills ? [count(row.warm_up), count(row.accesses)] : []),
      percent(row.miss_ratio),
      percent(row.ram_hit_ratio),
      percent(row.flash_hit_ratio),
      count(row.disk_reads),
      count(row.disk_writes),
      count(row.flash_reads),
      count(row.flash_writes),
      ...(spares ? [percent(row.write_reduction)] : []),
      ...own.map((counter) => countOrRatio(ownCount(row, counter))),
      ...(taxed ? [taken(row.ram_tax_bytes), percent(row.ram_tax_share)] : []),
      ...worn.map(({ value, endless }) =>
        endless && row.flash_life?.never_worn_out
          ? "never worn out"
          : short(value(row)),
      ),
      microseconds(row.io_time_us_per_access),
      ...(produces ? [short(rate(row, "reads")), short(rate(row, "writes"))] : []),
    ]),
    caption: `${formatCount(sweep.rows.length)} of ${counted(sweep.replays, "replay")}; each counts ${countedIn(sweep)}, exactly.`,
  };
}
