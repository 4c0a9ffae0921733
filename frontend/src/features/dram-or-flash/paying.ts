/** The RAM that pays for itself, as series and table; and the terms of break-even intervals. */
import type { BreakEvenOut } from "@/api/dram-or-flash";
import type { CsvCell } from "@/charts/csv";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, chartInk } from "@/charts/palette";
import type { BarPart, StackedBar } from "@/charts/stacked-bars-option";
import {
  bytes,
  formatBytes,
  formatCount,
  formatInterval,
  UNKNOWN,
} from "@/units/quantity";
import { DRAM, FLASH, NOW } from "./findings";

export type Paying = NonNullable<BreakEvenOut["paying"]>;

const MIB = 2 ** 20;

/** Sizes in MiB: an axis of round numbers, whatever the page. */
export const mebibytes = (pages: number, pageBytes: number): number =>
  (pages * pageBytes) / MIB;

const LIMIT_COLORS = [FLASH, NOW] as const;

/**
 * One page of a segment saves an access once in so long: steps over the size of RAM, with a level
 * line at each break-even interval.
 */
export function payingSeries(
  paying: Paying,
  pageBytes: number,
  colors: ColorScheme,
): LineSeries[] {
  const size = (pages: number) => mebibytes(Math.max(1, pages), pageBytes);
  const steps = paying.interval_s.flatMap((interval, index) => {
    const from = paying.from_pages[index] ?? 0;
    const to = paying.to_pages[index] ?? 0;
    // A segment of the first page alone has no length on a logarithmic axis.
    return interval === null
      ? []
      : ([
          [size(from), interval],
          [size(to), interval],
        ] as const);
  });
  const first = steps[0]?.[0];
  const last = steps.at(-1)?.[0];
  if (first === undefined || last === undefined) {
    return [];
  }
  return [
    { name: "One more page", color: DRAM[colors], points: steps },
    ...paying.sizes.map((limit, index) => ({
      name: `Break-even over ${limit.lower_name}`,
      color: (LIMIT_COLORS[index] ?? NOW)[colors] ?? chartInk(colors).faint,
      dash: "dashed" as const,
      points: [
        [first, limit.break_even_s],
        [last, limit.break_even_s],
      ] as const,
    })),
  ];
}

const APART = 2;

/** Where the existing RAM ends, and where RAM stops paying; labels that would overlap are left out. */
export function payingMarkers(paying: Paying, found: BreakEvenOut) {
  const ends = paying.sizes
    .map(({ pages }) => pages)
    .filter((pages, index, all) => {
      const others = [...all.slice(0, index), found.ram_pages];
      return (
        pages > 0 &&
        others.every(
          (other) => Math.max(pages, other) >= APART * Math.min(pages, other),
        )
      );
    });
  return [
    { name: "existing RAM", x: mebibytes(found.ram_pages, found.page_bytes) },
    ...ends.map((pages) => ({
      name: "pays up to here",
      x: mebibytes(pages, found.page_bytes),
    })),
  ];
}

export function payingTable(paying: Paying, pageBytes: number) {
  const rows = paying.to_pages.map((to, index): CsvCell[] => [
    paying.from_pages[index] ?? null,
    to,
    to * pageBytes,
    paying.interval_s[index] ?? null,
    ...paying.sizes.map((limit) => (to <= limit.pages ? "yes" : "no")),
  ]);
  return {
    header: [
      "From [pages]",
      "To [pages]",
      "To [bytes]",
      "One page saves an access every [s]",
      ...paying.sizes.map((limit) => `Pays over ${limit.lower_name}`),
    ],
    rows,
    shown: rows.map(([from, to, size, interval, ...pays]) => [
      formatCount(Number(from)),
      formatCount(Number(to)),
      formatBytes(bytes(Number(size))),
      interval === null || interval === undefined
        ? UNKNOWN
        : formatInterval(Number(interval)),
      ...pays.map(String),
    ]),
    caption:
      "Steps of the lower convex hull of the misses. A dash: more RAM saves no access.",
  };
}

const TERM_PARTS: readonly BarPart[] = [
  { name: "device_s", title: "Device", light: FLASH.light, dark: FLASH.dark },
  { name: "host_s", title: "Host", light: DRAM.light, dark: DRAM.dark },
  { name: "bandwidth_s", title: "DRAM bandwidth", light: NOW.light, dark: NOW.dark },
  {
    name: "device_power_s",
    title: "Power of the device",
    light: "#c08a1e",
    dark: "#e6b450",
  },
  {
    name: "memory_power_s",
    title: "Power of the memory",
    light: "#7a5c99",
    dark: "#b39ad1",
  },
];

const MOST_TIMES = 50;

type Terms = NonNullable<BreakEvenOut["intervals"][number]["terms"]>;

const hasPower = (terms: Terms) =>
  terms.device_power_s !== 0 || terms.memory_power_s !== 0;

/** Whether a price of electricity counts in any interval. */
export const countsPower = (found: BreakEvenOut): boolean =>
  found.intervals.some(({ terms }) => terms !== null && hasPower(terms));

/** The terms that are shown: those of power only where it is counted. */
export const termParts = (found: BreakEvenOut): readonly BarPart[] =>
  countsPower(found)
    ? TERM_PARTS
    : TERM_PARTS.filter(({ name }) => !name.endsWith("_power_s"));

/** Intervals with a share of the host or of power; those that would dwarf the shortest stand in the table. */
export function termBars(found: BreakEvenOut): StackedBar[] {
  const counted = found.intervals.flatMap(({ terms, upper_name, lower_name }) =>
    terms !== null && (terms.host_s + terms.bandwidth_s > 0 || hasPower(terms))
      ? [{ title: `${upper_name} over ${lower_name}`, parts: { ...terms } }]
      : [],
  );
  const total = ({ parts }: StackedBar) =>
    Object.values(parts).reduce((sum, value) => sum + value, 0);
  const least = Math.min(...counted.map(total));
  return counted.filter((bar) => total(bar) <= MOST_TIMES * least);
}
