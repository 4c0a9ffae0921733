/** How much RAM pays for itself, on the axis at the right of the hit-ratio curve. */
import type { BreakEvenOut } from "@/api/dram-or-flash";
import type { CsvCell } from "@/charts/csv";
import type { SecondAxis } from "@/charts/curve-option";
import type { ColorScheme } from "@/charts/palette";
import {
  bytes,
  bytesOfPages,
  counted,
  formatBytes,
  formatInterval,
  formatShort,
  pages,
  UNKNOWN,
} from "@/units/quantity";
import { type Curve, endsEarly } from "./curve-findings";

export type Paying = NonNullable<BreakEvenOut["paying"]>;
export type PayingSize = Paying["sizes"][number];

const INTERVAL = { light: "#a34a00", dark: "#ffb066" } as const;
const BREAK_EVEN = { light: "#006b4f", dark: "#4fd6ad" } as const;

const sizeText = (curve: Pick<Curve, "page_bytes">, size: number): string =>
  formatBytes(bytesOfPages(pages(size), bytes(curve.page_bytes)));

/** One more page beyond this size saves an access once in so long; `null`: it saves none. [s] */
export function intervalBeyond(paying: Paying, size: number): number | null {
  const at = paying.to_pages.findIndex((to) => size < to);
  return paying.interval_s[at] ?? null;
}

/** The last page of this size saves an access once in so long; `null`: it saves none. [s] */
function intervalUpTo(paying: Paying, size: number): number | null {
  const at = paying.to_pages.findIndex((to) => size <= to);
  return paying.interval_s[at] ?? null;
}

/** Steps of the interval over the sizes that the curve lists. */
function steps(paying: Paying, low: number, high: number): [number, number][] {
  const found = paying.to_pages.flatMap((to, at): [number, number][] => {
    const from = paying.from_pages[at] ?? 0;
    const interval = paying.interval_s[at] ?? null;
    return interval === null || to <= low || from >= high
      ? []
      : [
          [Math.max(from, low), interval],
          [Math.min(to, high), interval],
        ];
  });
  // Where a segment ends the next one begins; the end of the last is the end of the line.
  return found.filter(([size], at) => size !== found[at + 1]?.[0]);
}

/** The marginal interval, the break-even line, and where they cross. */
export function marginalAxis(
  curve: Curve,
  paying: Paying,
  limit: PayingSize,
  colors: ColorScheme,
): SecondAxis {
  const low = curve.pages[0] ?? 1;
  const high = curve.pages.at(-1) ?? low;
  const crosses = limit.pages >= low && limit.pages < high;
  return {
    name: "access saved every [s]",
    formatValue: formatInterval,
    series: [
      {
        name: "One more page saves an access every",
        color: INTERVAL[colors],
        step: true,
        points: steps(paying, low, high),
      },
      {
        name: `Break-even over ${limit.lower_name}`,
        color: BREAK_EVEN[colors],
        dash: "dashed",
        points: [
          [low, limit.break_even_s],
          [high, limit.break_even_s],
        ],
      },
      ...(crosses
        ? [
            {
              name: `RAM pays up to ${sizeText(curve, limit.pages)}`,
              color: BREAK_EVEN[colors],
              symbol: "diamond" as const,
              points: [[limit.pages, limit.break_even_s] as const],
            },
          ]
        : []),
    ],
  };
}

/** At which rate the interval is drawn, and whose rate that is. */
export const marginalBasis = (paying: Paying): string =>
  `Right axis: mean time between the accesses that one more page of RAM saves, at ${counted(formatShort(paying.accesses_per_s), "access", "accesses")} per second (${paying.rate_basis}).`;

/** Up to which size RAM pays for itself, what the page beyond it saves, and how sure that is. */
export function marginalSentence(
  curve: Curve,
  paying: Paying,
  limit: PayingSize,
): string {
  const sentence = sizeSentence(curve, paying, limit);
  return limit.law_sentence === "" ? sentence : `${sentence} ${limit.law_sentence}`;
}

function sizeSentence(curve: Curve, paying: Paying, limit: PayingSize): string {
  const last = curve.pages.at(-1) ?? 1;
  if (limit.pages === 0) {
    return nothingPays(paying, limit);
  }
  return limit.pages > last || (limit.pages === last && endsEarly(curve))
    ? paysBeyond(curve, paying, limit, last)
    : paysUpTo(curve, paying, limit);
}

function nothingPays(paying: Paying, limit: PayingSize): string {
  const first = intervalBeyond(paying, 0);
  return first === null
    ? `No RAM pays where misses are read from ${limit.lower_name}: it saves no access.`
    : `No RAM pays where misses are read from ${limit.lower_name}: even the first page saves an access only once in ${formatInterval(first)}, and must save one at least once in ${formatInterval(limit.break_even_s)} to pay.`;
}

function paysBeyond(
  curve: Curve,
  paying: Paying,
  limit: PayingSize,
  last: number,
): string {
  const interval = intervalUpTo(paying, last);
  const shown = sizeText(curve, last);
  const source = curve.kind === "curve" ? "curve" : "recording";
  return interval === null
    ? `RAM pays beyond what the ${source} shows, ${shown}, where misses are read from ${limit.lower_name}.`
    : `RAM pays beyond what the ${source} shows where misses are read from ${limit.lower_name}: the last page shown, at ${shown}, still saves an access once in ${formatInterval(interval)}, within the break-even interval of ${formatInterval(limit.break_even_s)}.`;
}

function paysUpTo(curve: Curve, paying: Paying, limit: PayingSize): string {
  const size = sizeText(curve, limit.pages);
  const breakEven = formatInterval(limit.break_even_s);
  const beyond = intervalBeyond(paying, limit.pages);
  const sentence =
    beyond === null
      ? `RAM pays up to ${size} where misses are read from ${limit.lower_name}: every page up to there saves an access at least once in ${breakEven}, the break-even interval, and a page beyond it saves none.`
      : `RAM pays up to ${size} where misses are read from ${limit.lower_name}: beyond it, one more page saves an access only once in ${formatInterval(beyond)}, less often than the break-even interval of ${breakEven}.`;
  return limit.is_trend
    ? `${sentence} That size is a trend: too few accesses of the recording show what caches of it miss.`
    : sentence;
}

/** Columns of the table of the curve: the interval at each size, and over what RAM up to it pays. */
export function marginalColumns(paying: Paying) {
  const cells = (size: number) => ({
    interval: intervalBeyond(paying, size),
    pays: paying.sizes.map((limit) => (size <= limit.pages ? "yes" : "no")),
  });
  return {
    header: [
      "Access saved every [s]",
      ...paying.sizes.map(({ lower_name }) => `Pays over ${lower_name}`),
    ],
    row: (size: number): CsvCell[] => {
      const { interval, pays } = cells(size);
      return [interval, ...pays];
    },
    shown: (size: number): string[] => {
      const { interval, pays } = cells(size);
      return [interval === null ? UNKNOWN : formatInterval(interval), ...pays];
    },
  };
}
