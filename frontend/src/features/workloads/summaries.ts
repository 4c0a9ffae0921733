/** What the summaries of a workload say: findings, sentences, tables. */
import type { SummaryTables } from "@/api/analyses";
import type { CsvCell } from "@/charts/csv";
import type { LineSeries } from "@/charts/line-option";
import type { Column } from "@/components/columns";
import {
  bytes,
  bytesOfPages,
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
  formatShort,
  microseconds,
  pages,
  ratio,
} from "@/units/quantity";

export type Along = "accesses" | "time";

/** Windows along one axis, with the middle of each. */
export interface WindowView {
  readonly along: Along;
  /** "2,000 accesses" or "20 ms" */
  readonly length: string;
  readonly middles: readonly number[];
  readonly ends: readonly number[];
  readonly starts: readonly number[];
  readonly accesses: readonly number[];
  readonly writes: readonly number[];
  readonly working: readonly number[];
  readonly footprint: readonly number[];
}

export const percent = (part: number, whole: number): string =>
  whole === 0 ? "–" : formatPercent(ratio(part / whole));

export const seconds = (value: number): string =>
  formatDuration(microseconds(value * 1e6));

const size = (tables: SummaryTables, count: number): string =>
  formatBytes(bytesOfPages(pages(count), bytes(tables.page_bytes)));

/** The windows along time, or along accesses where there are no times. */
export function windowView(tables: SummaryTables, along: Along): WindowView {
  const timed = along === "time" ? tables.time_windows : null;
  const windows = timed ?? tables.windows;
  const step = timed === null ? tables.windows.window_accesses : timed.window_s;
  const end = timed === null ? tables.accesses : (tables.duration_s ?? 0);
  const starts = windows.accesses.map((_, number) => number * step);
  const ends = starts.map((start) => Math.max(start, Math.min(start + step, end)));
  return {
    along: timed === null ? "accesses" : "time",
    length: timed === null ? counted(step, "access") : seconds(step),
    starts,
    ends,
    middles: starts.map((start, number) => (start + (ends[number] ?? start)) / 2),
    accesses: windows.accesses,
    writes: windows.write_accesses,
    working: windows.distinct_pages,
    footprint: windows.footprint_pages,
  };
}

export const axisName = (view: WindowView): string =>
  view.along === "time"
    ? "time since the start [s]"
    : "position in the trace [accesses]";

const busy = (view: WindowView): number[] =>
  view.accesses.flatMap((count, number) => (count > 0 ? [number] : []));

const at = (values: readonly number[], number: number): number => values[number] ?? 0;

/** One value a window; not a number where that is undefined, which leaves a gap. */
export function windowLine(
  view: WindowView,
  value: (number: number) => number,
): LineSeries["points"] {
  return view.middles.map((middle, number) => [middle, value(number)] as const);
}

export const hasIdle = (view: WindowView): boolean => view.accesses.includes(0);

export function workingSetFinding(tables: SummaryTables, view: WindowView): string {
  const most = Math.max(...view.working);
  if (most >= tables.distinct_pages) {
    return `A window of ${view.length} touches the whole footprint of ${size(tables, most)}`;
  }
  return `No window of ${view.length} touches more than ${size(tables, most)} of the ${size(tables, tables.distinct_pages)} footprint`;
}

/** The value that `share` of the others do not exceed. */
const ranked = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
};

export function workingSetSentence(tables: SummaryTables, view: WindowView): string {
  const counts = busy(view).map((number) => at(view.working, number));
  const idle = view.accesses.length - counts.length;
  const typical = ranked(counts, 0.5);
  const windows = counted(counts.length, "window");
  const touched = `${counted(typical, "page")} (${size(tables, typical)})`;
  const half =
    counts.length === 1
      ? `The only window with accesses touches ${touched}`
      : `Half of the ${windows} with accesses touch ${touched} or fewer`;
  return `${half}; the minimum is ${formatCount(Math.min(...counts))}, the maximum ${formatCount(Math.max(...counts))}.${
    idle > 0
      ? ` ${counted(idle, "more window has", "more windows have")} no accesses.`
      : ""
  }`;
}

/**
 * Share of the footprint first touched in the last tenth of the accesses, or in what the
 * windows have nearest to it; null where there is but one window.
 */
export function lateShare(
  tables: SummaryTables,
): { readonly share: number; readonly span: number } | null {
  const { window_accesses, footprint_pages } = tables.windows;
  const before = Math.floor((0.9 * tables.accesses) / window_accesses) - 1;
  return before < 0
    ? null
    : {
        share: 1 - at(footprint_pages, before) / Math.max(1, tables.distinct_pages),
        span: 1 - ((before + 1) * window_accesses) / tables.accesses,
      };
}

const STILL_GROWING = 0.02;

export function footprintFinding(tables: SummaryTables): string {
  const late = lateShare(tables);
  if (late === null) {
    return `The trace touches ${size(tables, tables.distinct_pages)}; it is too short to show whether more would follow`;
  }
  const { share, span } = late;
  return `The footprint ${share > STILL_GROWING ? "still grows" : "is nearly complete"}: ${formatPercent(ratio(share))} of it is first touched in the last ${formatPercent(ratio(span))} of the accesses`;
}

export function footprintSentence(tables: SummaryTables): string {
  const grows = (lateShare(tables)?.share ?? 1) > STILL_GROWING;
  return `${counted(tables.distinct_pages, "distinct page")} (${size(tables, tables.distinct_pages)}) by the end of the trace.${
    grows
      ? " A longer recording may touch more, so answers for sizes near the whole footprint are uncertain."
      : ""
  }`;
}

/** Windows long enough to have a share: at least a tenth of the mean window. */
export function writeShares(view: WindowView): number[] {
  const counted = busy(view);
  const total = view.accesses.reduce((sum, count) => sum + count, 0);
  const enough = total / Math.max(1, counted.length) / 10;
  return counted
    .filter((number) => at(view.accesses, number) >= enough)
    .map((number) => at(view.writes, number) / at(view.accesses, number));
}

/** Of fewer windows a tenth is less than one. */
const FEWEST_FOR_NINE_OF_TEN = 10;

export function mixFinding(tables: SummaryTables, view: WindowView): string {
  if (tables.write_accesses === 0) {
    return "This workload writes nothing";
  }
  const shares = writeShares(view);
  const all = `Writes are ${percent(tables.write_accesses, tables.accesses)} of the accesses`;
  if (shares.length < 2) {
    return all;
  }
  const few = shares.length < FEWEST_FOR_NINE_OF_TEN;
  const low = formatPercent(ratio(ranked(shares, few ? 0 : 0.05)));
  const high = formatPercent(ratio(ranked(shares, few ? 1 : 0.95)));
  return low === high
    ? `${all}, the same in ${few ? "every window" : "nine of ten windows"}`
    : `${all}, ${low} to ${high} in ${few ? "single windows" : "nine of ten windows"}`;
}

export function mixSentence(tables: SummaryTables): string {
  const { only_read, only_written, both } = tables.popularity;
  const share = (count: number) => percent(count, tables.distinct_pages);
  return `Of the pages, ${share(only_read)} are only read, ${share(only_written)} only written and ${share(both)} both. Pages that are never written need no write-back.`;
}

export function windowTable(tables: SummaryTables, view: WindowView) {
  const timed = view.along === "time";
  return {
    header: [
      timed ? "Start [s]" : "First access",
      "Accesses",
      "Writes",
      "Working set [pages]",
      "Footprint so far [pages]",
      "Working set [bytes]",
    ],
    rows: view.starts.map((start, number): CsvCell[] => [
      start,
      at(view.accesses, number),
      at(view.writes, number),
      at(view.working, number),
      at(view.footprint, number),
      at(view.working, number) * tables.page_bytes,
    ]),
    shown: view.starts.map((start, number) => [
      timed ? formatShort(start, 6) : formatCount(start),
      formatCount(at(view.accesses, number)),
      formatCount(at(view.writes, number)),
      formatCount(at(view.working, number)),
      formatCount(at(view.footprint, number)),
      size(tables, at(view.working, number)),
    ]),
    caption: `Windows of ${view.length}; counts are exact.`,
  };
}

const VERDICTS = {
  close: "The law follows the shares of the accesses closely",
  rough: "The law follows the shares of the accesses only roughly",
  poor: "The law does not fit",
} as const;

export function popularityFinding(tables: SummaryTables): string {
  const one = tables.popularity.top.find(({ share }) => share === 0.01);
  return one === undefined
    ? "How accesses are spread over pages"
    : `The most accessed 1 % of the pages take ${formatPercent(ratio(one.access_share))} of the accesses`;
}

export function popularitySentence(tables: SummaryTables): string {
  const { zipf, top, fitted, accesses } = tables.popularity;
  const parts = top
    .filter(({ share }) => share !== 0.01)
    .map(
      ({ share, access_share }) =>
        `${formatPercent(ratio(share))} of the pages ${formatPercent(ratio(access_share))}`,
    );
  const fit =
    zipf === null
      ? "There are too few pages to fit a law."
      : `Zipf α = ${formatShort(zipf.exponent)} by maximum likelihood, Kolmogorov–Smirnov distance ${formatShort(zipf.ks_distance, 2)} (0 is perfect). ${VERDICTS[zipf.verdict]}; the most accessed page has ${counted(accesses[0] ?? 0, "access")}, the law expects ${formatShort(fitted?.[0] ?? 0)}. The law says nothing about the order of accesses, so hit ratios come from the curves, not from the law.`;
  return `${fit} Shares of the accesses: ${parts.join(", ")}.`;
}

export function popularityTable(tables: SummaryTables) {
  const { rank, accesses, cumulative_share, fitted } = tables.popularity;
  return {
    header: ["Rank", "Accesses", "Zipf law", "Share of accesses up to here"],
    rows: rank.map((one, number): CsvCell[] => [
      one,
      accesses[number] ?? null,
      fitted?.[number] ?? null,
      cumulative_share[number] ?? null,
    ]),
    shown: rank.map((one, number) => [
      formatCount(one),
      formatCount(accesses[number] ?? 0),
      fitted === null ? "–" : formatShort(fitted[number] ?? 0),
      formatPercent(ratio(cumulative_share[number] ?? 0)),
    ]),
    caption:
      "Some ranks, evenly spread on a logarithmic axis; rank 1 is the most accessed page.",
  };
}

interface Bins {
  readonly lowest: readonly number[];
  readonly highest: readonly number[];
  /** One list for each stacked bar. */
  readonly counts: readonly (readonly number[])[];
}

/** A distribution by doublings: `from` to below twice that; `from` 0 holds zeros only. */
export interface Doublings {
  readonly from: readonly number[];
  readonly counts: readonly (readonly number[])[];
  readonly total: number;
}

// Powers of two may come out a hair below their exponent.
const octaveOf = (value: number): number =>
  value < 1 ? -1 : Math.floor(Math.log2(value) + 1e-9);
const startOf = (octave: number): number => (octave < 0 ? 0 : 2 ** octave);

export function doublings(bins: Bins): Doublings {
  const octaves = bins.lowest.map(octaveOf);
  const above = octaves.filter((octave) => octave >= 0);
  const first = Math.min(...above);
  const length = above.length === 0 ? 0 : Math.max(...above) - first + 1;
  // Zero stands right before the shortest of the others: there is no doubling between.
  const places = [
    ...(above.length < octaves.length ? [-1] : []),
    ...Array.from({ length }, (_, step) => first + step),
  ];
  const counts = bins.counts.map((column) =>
    places.map((place) =>
      column.reduce(
        (sum, count, number) => sum + (octaves[number] === place ? count : 0),
        0,
      ),
    ),
  );
  return {
    from: places.map(startOf),
    counts,
    total: counts.flat().reduce((sum, count) => sum + count, 0),
  };
}

/** The largest value of the bin that holds a quantile. */
export function quantile(bins: Bins, share: number): number | null {
  const total = bins.counts.flat().reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [number, highest] of bins.highest.entries()) {
    below += bins.counts.reduce((sum, column) => sum + at(column, number), 0);
    if (total > 0 && below >= share * total) {
      return highest;
    }
  }
  return null;
}

export const rangeText = (
  from: number,
  show: (value: number) => string,
  whole: boolean,
): string => {
  if (from === 0) {
    return show(0);
  }
  if (whole && from === 1) {
    return show(1);
  }
  return `${show(from)} to below ${show(2 * from)}`;
};

export const NS_PER_S = 1e9;

/** Reuse times along an axis: bins in accesses or in ns. */
export function reuseBins(tables: SummaryTables, along: Along): Bins {
  const timed = along === "time" ? tables.reuse_time : null;
  if (timed === null) {
    const { lowest, highest, reads, writes } = tables.reuse;
    return { lowest, highest, counts: [reads, writes] };
  }
  const nanoseconds = (values: readonly number[]) =>
    values.map((value) => Math.round(value * NS_PER_S));
  return {
    lowest: nanoseconds(timed.lowest_s),
    highest: nanoseconds(timed.highest_s),
    counts: [timed.reads, timed.writes],
  };
}

/** "12.3 ns" below a microsecond, else as durations are shown elsewhere. */
export const formatNs = (value: number): string =>
  value < 1000
    ? `${formatShort(value)} ns`
    : formatDuration(microseconds(value / 1000));

export const reuseText = (along: Along) => (value: number) =>
  along === "time" ? formatNs(value) : formatCount(value);

export function reuseFinding(tables: SummaryTables, along: Along): string {
  const middle = quantile(reuseBins(tables, along), 0.5);
  if (middle === null) {
    return "No page is accessed twice, so no cache has a hit";
  }
  const unit = along === "time" ? "" : " accesses";
  return `Half of the re-accesses come within ${reuseText(along)(middle)}${unit} of the previous access`;
}

export function reuseSentence(tables: SummaryTables, along: Along): string {
  const again = tables.accesses - tables.distinct_pages;
  const bins = reuseBins(tables, along);
  const late = quantile(bins, 0.9);
  const unit = along === "time" ? "" : " accesses";
  const base = `${percent(again, tables.accesses)} of the accesses are to a page that was accessed before; the others are first touches, which a cache that starts empty cannot hit.`;
  return late === null
    ? base
    : `${base} 90 % of the re-accesses come within ${reuseText(along)(late)}${unit}.`;
}

export function doublingsTable(
  found: Doublings,
  names: readonly string[],
  first: string,
  show: (value: number) => string,
) {
  return {
    header: [`From ${first}`, ...names, "Share"],
    rows: found.from.map((from, number): CsvCell[] => [
      from,
      ...found.counts.map((column) => at(column, number)),
      found.counts.reduce((sum, column) => sum + at(column, number), 0) /
        Math.max(1, found.total),
    ]),
    shown: found.from.map((from, number) => [
      show(from),
      ...found.counts.map((column) => formatCount(at(column, number))),
      percent(
        found.counts.reduce((sum, column) => sum + at(column, number), 0),
        found.total,
      ),
    ]),
    caption: "Each row goes from its value to below twice that; counts are exact.",
  };
}

export function sizeBins(tables: SummaryTables): Bins {
  const { lowest, highest, reads, writes } = tables.requests.sizes;
  return { lowest, highest, counts: [reads, writes] };
}

export const requestText = (tables: SummaryTables) => (value: number) =>
  tables.requests.unit === "bytes" ? formatBytes(bytes(value)) : formatCount(value);

/** Whether requests differ in length at all; key traces record one page each. */
export const hasSizes = (tables: SummaryTables): boolean =>
  tables.requests.unit === "bytes" ||
  tables.requests.sizes.highest.some((one) => one > 1);

export function sizeFinding(tables: SummaryTables): string {
  const found = doublings(sizeBins(tables));
  const sums = found.from.map((_, number) =>
    found.counts.reduce((sum, column) => sum + at(column, number), 0),
  );
  const most = sums.indexOf(Math.max(...sums));
  const unit = tables.requests.unit === "bytes" ? "" : " pages";
  const range = rangeText(at(found.from, most), requestText(tables), true);
  return `${percent(at(sums, most), found.total)} of the requests are of ${range}${unit}`;
}

export function sizeSentence(tables: SummaryTables): string {
  const { requests, read_amount, write_amount, sizes } = tables.requests;
  const show = requestText(tables);
  const unit = tables.requests.unit === "bytes" ? "" : " pages";
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
  const mean = (amount: number, count: number) =>
    count === 0 ? "–" : `${show(Math.round(amount / count))}${unit}`;
  return `${counted(requests, "request")}; a read is ${mean(read_amount, sum(sizes.reads))} on average, a write ${mean(write_amount, sum(sizes.writes))}.`;
}

export function runBins(tables: SummaryTables): Bins {
  const { lowest, highest, requests } = tables.requests.runs;
  return { lowest, highest, counts: [requests] };
}

const MOSTLY = 0.5;
const HARDLY = 0.1;

export function sequentialFinding(tables: SummaryTables): string {
  const { sequential, requests } = tables.requests;
  const share = sequential / Math.max(1, requests);
  const kind =
    share >= MOSTLY ? "Mostly sequential" : share >= HARDLY ? "Mixed" : "Mostly random";
  return `${kind}: ${percent(sequential, requests)} of the requests continue the previous one`;
}

export function sequentialSentence(tables: SummaryTables): string {
  const { runs, requests, longest_run } = tables.requests;
  const count = runs.runs.reduce((sum, one) => sum + one, 0);
  const rule =
    tables.devices === null
      ? `A request continues the previous one if it begins where that one ended, in ${tables.requests.unit}.`
      : `A request continues the previous one of its device or relation if it begins where that one ended, in ${tables.requests.unit}.`;
  return `${rule} The ${counted(requests, "request makes", "requests make")} ${counted(count, "run")} of ${counted(formatShort(requests / Math.max(1, count)), "request")} on average; the longest has ${formatCount(longest_run)}.`;
}

type Devices = NonNullable<SummaryTables["devices"]>;
export type DeviceRow = Devices["rows"][number];

/** The listed size that is nearest to `cursor` by its ratio, by its place. */
export function sizePlace(devices: Devices, cursor: number): number {
  const distance = (size: number) => Math.abs(Math.log(size / Math.max(1, cursor)));
  return devices.cache_pages.reduce(
    (best, size, place) =>
      distance(size) < distance(devices.cache_pages[best] ?? size) ? place : best,
    0,
  );
}

/** At which size the table of devices counts hits, and how it stands to the chosen one. */
export function devicesBasis(
  tables: SummaryTables,
  devices: Devices,
  cursor: number,
): string {
  const listed = devices.cache_pages[sizePlace(devices, cursor)] ?? 1;
  const head = `${counted(devices.devices, "device or relation", "devices or relations that share one LRU cache")}; hits are exact`;
  return listed === cursor
    ? `${head}, at the chosen size of ${size(tables, listed)}`
    : `${head} at ${size(tables, listed)}, the counted size nearest to the chosen ${size(tables, cursor)}`;
}

export const hitsAt = (row: DeviceRow, place: number): number | null =>
  row.hits === null ? null : (row.hits[place] ?? 0);

export function devicesFinding(tables: SummaryTables, devices: Devices): string {
  const first = devices.rows[0];
  return first === undefined
    ? "No device has accesses"
    : `${first.name} takes ${percent(first.accesses, tables.accesses)} of the accesses with ${percent(first.distinct_pages, tables.distinct_pages)} of the footprint`;
}

export function devicesColumns(
  tables: SummaryTables,
  devices: Devices,
  place: number,
): readonly Column<DeviceRow>[] {
  const allHits = deviceRows(devices).reduce(
    (sum, row) => sum + (hitsAt(row, place) ?? 0),
    0,
  );
  const hits = (row: DeviceRow) => hitsAt(row, place);
  const hitShare = (row: DeviceRow, whole: number) => {
    const count = hits(row);
    return count === null ? "–" : percent(count, whole);
  };
  return [
    {
      key: "device",
      head: "Device or relation",
      rowHeader: true,
      cell: (row) => (row.name === "" ? "(without a name)" : row.name),
      csv: (row) => row.name,
    },
    {
      key: "accesses",
      head: "Accesses",
      cell: (row) => formatCount(row.accesses),
      csv: (row) => row.accesses,
    },
    {
      key: "share of accesses",
      head: "of all",
      cell: (row) => percent(row.accesses, tables.accesses),
    },
    {
      key: "write_accesses",
      head: "Writes",
      cell: (row) => percent(row.write_accesses, row.accesses),
      csv: (row) => row.write_accesses,
    },
    {
      key: "footprint_pages",
      head: "Footprint",
      cell: (row) => size(tables, row.distinct_pages),
      csv: (row) => row.distinct_pages,
    },
    {
      key: `hits_at_${devices.cache_pages[place]}_pages`,
      head: `Hit ratio at ${size(tables, devices.cache_pages[place] ?? 1)}`,
      cell: (row) => hitShare(row, row.accesses),
      csv: hits,
    },
    {
      key: "share of hits",
      head: "of all hits",
      cell: (row) => hitShare(row, allHits),
    },
    { key: "requests", csv: (row) => row.requests },
    {
      key: "sequential_requests",
      head: "Sequential",
      cell: (row) => percent(row.sequential_requests, row.requests),
      csv: (row) => row.sequential_requests,
    },
  ];
}

/** The listed devices, and the others as one. */
export const deviceRows = (devices: Devices): readonly DeviceRow[] => [
  ...devices.rows,
  ...(devices.others === null ? [] : [devices.others]),
];

/** Value of a curve at a size, straight between the listed sizes. */
export function curveAt(
  sizes: readonly number[],
  counts: readonly number[],
  cursor: number,
): number {
  const after = sizes.findIndex((one) => one >= cursor);
  if (after <= 0) {
    return after === 0 ? at(counts, 0) : at(counts, counts.length - 1);
  }
  const [low, high] = [at(sizes, after - 1), at(sizes, after)];
  const share = (cursor - low) / (high - low);
  return at(counts, after - 1) + share * (at(counts, after) - at(counts, after - 1));
}
