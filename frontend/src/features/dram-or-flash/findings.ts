/** Series, tables and words of "DRAM or flash". */

import type { BreakEvenOut } from "@/api/dram-or-flash";
import type { SimulationOut } from "@/api/simulations";
import type { CsvCell } from "@/charts/csv";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, chartInk } from "@/charts/palette";
import type { DirtyEndName } from "@/components/dirty-end";
import { shownCurrency } from "@/units/currency";
import {
  counted,
  formatAmount,
  formatCount,
  formatNumber,
  formatShort,
  UNKNOWN,
  usd,
} from "@/units/quantity";

export type NextMoney = NonNullable<BreakEvenOut["next_money"]>;
type SchemeStep = BreakEvenOut["steps"][number]["schemes"][number];

export const DRAM = { light: "#364fc7", dark: "#91a7ff" } as const;
export const FLASH = { light: "#c4500a", dark: "#f08a3c" } as const;
export const NOW = { light: "#006b4f", dark: "#4fd6ad" } as const;

type Point = readonly [number, number];

/** The rest of a line, from the last point that the recording tells about. */
function parts(
  line: Pick<LineSeries, "name" | "color" | "dash">,
  points: readonly Point[],
  last: number | null,
): LineSeries[] {
  const beyond = last === null ? -1 : points.findIndex(([x]) => x > last);
  if (beyond < 0) {
    return [{ ...line, points }];
  }
  return [
    { ...line, points: points.slice(0, beyond) },
    {
      ...line,
      name: `${line.name}, trend`,
      dash: "dotted",
      points: points.slice(Math.max(0, beyond - 1)),
    },
  ];
}

/** Money spent before up to which the sizes reached are ones that the recording tells about. */
function lastTold(from: string | null, money: NextMoney, view: View): number | null {
  if (from === null) {
    return null;
  }
  return view === "total" ? Number(from) : Number(from) - Number(money.usd);
}

/** Says from where on the lines are a trend; empty where nothing drawn is. */
export function trendNote(money: NextMoney): string {
  const dram = money.dram_trend_from_usd;
  const flash = money.flash_trend_from_usd;
  const most = Number(money.spent_usd.at(-1) ?? 0);
  if (dram === null || flash === null || Math.min(Number(dram), Number(flash)) > most) {
    return "";
  }
  return `The recording is too short for caches beyond ${dollars(dram)} of DRAM or ${dollars(flash)} of flash: the dotted lines extrapolate from smaller ones.`;
}

/** Where the lines end, as a curve from counters speaks of no larger sizes. */
export const knownNote = ({ most_usd: most }: Pick<NextMoney, "most_usd">): string =>
  most === null
    ? ""
    : `Up to ${dollars(most)}, DRAM and flash are both known. Each line ends where the counters speak of no larger size: what more of it gains is unknown, not nothing.`;

/** What the answer leaves out, as the counters do not speak of the sizes; empty where that is nothing. */
export function unknownText({ warnings }: Pick<BreakEvenOut, "warnings">): string {
  const about = warnings.find(({ name }) => name === "sizes_unknown");
  return about === undefined
    ? ""
    : `${about.message.charAt(0).toUpperCase()}${about.message.slice(1)}.`;
}

/** Points whose value is known. */
const known = (
  xs: readonly number[],
  ys: readonly (number | null)[],
  scale = 1,
): Point[] =>
  xs.flatMap((x, index) => {
    const y = ys[index] ?? null;
    return y === null ? [] : [[x, y * scale] as const];
  });

export type View = "next" | "total";

/**
 * What the next sum saves a dollar, over what was spent before, with the first sum as
 * markers at the left; or what all of a sum saves.
 */
export function moneySeries(
  money: NextMoney,
  view: View,
  colors: ColorScheme,
): LineSeries[] {
  const spent = money.spent_usd.map(Number);
  const total = view === "total";
  const equal = money.equal_money[0];
  const first = (gain: number | null | undefined): Point[] =>
    gain === null || gain === undefined || total
      ? []
      : [[spent[0] ?? 0, gain / Number(money.usd)]];
  return [
    ...parts(
      { name: "DRAM", color: DRAM[colors] },
      known(spent, total ? money.dram_gain_us : money.dram_next),
      lastTold(money.dram_trend_from_usd, money, view),
    ),
    ...parts(
      { name: "Flash", color: FLASH[colors], dash: "dashed" },
      known(spent, total ? money.flash_gain_us : money.flash_next),
      lastTold(money.flash_trend_from_usd, money, view),
    ),
    ...(total
      ? []
      : [
          {
            name: "First amount in DRAM",
            color: DRAM[colors],
            symbol: "circle" as const,
            symbolSize: 11,
            line: false,
            points: first(equal?.dram_gain_us),
          },
          {
            name: "First amount in flash",
            color: FLASH[colors],
            symbol: "diamond" as const,
            symbolSize: 13,
            line: false,
            points: first(equal?.flash_gain_us),
          },
        ]),
  ];
}

const MOST_MARKERS = 3;

export const crossingMarkers = (money: NextMoney, view: View) =>
  (view === "total" ? money.total_crossings : money.crossings)
    .slice(0, MOST_MARKERS)
    .map((crossing) => ({
      name: `from here ${crossing.better_beyond === "dram" ? "DRAM" : "flash"}`,
      x: Number(crossing.usd),
    }));

const cell = (value: number | null, digits = 3) =>
  value === null ? UNKNOWN : formatNumber(value, digits);

export function marginalTable(money: NextMoney) {
  const rows = money.spent_usd.map((spent, index): CsvCell[] => [
    Number(spent),
    money.dram_gain_us[index] ?? null,
    money.flash_gain_us[index] ?? null,
    money.dram_next[index] ?? null,
    money.flash_next[index] ?? null,
  ]);
  return {
    header: [
      `Spent before [${shownCurrency()}]`,
      "DRAM saves [µs/access]",
      "Flash saves [µs/access]",
      `Next amount in DRAM [µs/access/${shownCurrency()}]`,
      `Next amount in flash [µs/access/${shownCurrency()}]`,
    ],
    rows,
    shown: rows.map(([spent, ...rest]) => [
      formatShort(Number(spent), 4),
      ...rest.map((value) => cell(value as number | null)),
    ]),
    caption: "Money spent on DRAM alone, or on flash alone.",
  };
}

/** Price ratio below which flash is the better buy, over the size of the step. */
export function flipSeries(found: BreakEvenOut, colors: ColorScheme): LineSeries[] {
  const { flips, prices } = found;
  const faint = chartInk(colors).faint;
  const line = (
    name: string,
    values: readonly (number | null)[],
    rest: Pick<LineSeries, "color" | "dash">,
  ): LineSeries => ({ name, ...rest, points: known(flips.delta, values, 100) });
  const first = flips.delta[0] ?? 0;
  const last = flips.delta.at(-1) ?? 1;
  return [
    ...(flips.full === null
      ? []
      : [
          line("Best scheme, writes counted", flips.full, {
            color: FLASH[colors],
            dash: "solid" as const,
          }),
        ]),
    line("Hits alone, by the curve", flips.curve, {
      color: DRAM[colors],
      dash: "dashed",
    }),
    line("Log model", flips.log, { color: faint, dash: "dotted" }),
    ...(prices.ratio === null
      ? []
      : [
          {
            name: "Prices above",
            color: NOW[colors],
            points: [
              [first, 100 * prices.ratio],
              [last, 100 * prices.ratio],
            ] as const,
          },
        ]),
  ];
}

export function flipTable(found: BreakEvenOut) {
  const { flips } = found;
  const { full } = flips;
  const rows = flips.delta.map((delta, index): CsvCell[] => [
    delta,
    delta * found.ram_pages,
    ...(full === null ? [] : [full[index] ?? null]),
    flips.curve[index] ?? null,
    flips.log[index] ?? null,
  ]);
  return {
    header: [
      "DRAM added [x existing DRAM]",
      "DRAM added [pages]",
      ...(full === null ? [] : ["Best scheme"]),
      "Hits alone",
      "Log model",
    ],
    rows,
    shown: rows.map(([delta, added, ...rest]) => [
      formatShort(Number(delta)),
      formatCount(Number(added)),
      ...rest.map((value) => cell(value as number | null)),
    ]),
    caption: [
      full === null
        ? "Flash price over DRAM price, per byte. A dash: no known amount of flash gains as much, or the DRAM gains nothing. Schemes are left out: the curve of this workload has no write-backs."
        : "Flash price over DRAM price, per byte. A dash: no known amount of flash gains as much, or the DRAM gains nothing.",
      unknownText(found),
    ]
      .filter(Boolean)
      .join(" "),
  };
}

/** Whether a step is behind the intervals; all others are behind sizes that break even. */
export const isInterval = ({ name }: { readonly name: string }) =>
  name.startsWith("interval ");

export const dollars = (value: string | number) => formatAmount(usd(Number(value)));

const WINNERS: Readonly<Record<string, string>> = {
  dram: "DRAM",
  flash: "flash",
  tie: "the same",
  neither: "neither gains",
};

const LITTLE = 0.001;

/** Steps of a plan up to the last that saves a thousandth of what the best one does. */
export function tellingSteps(
  plan: Pick<NonNullable<BreakEvenOut["plan"]>, "dram_gain_us" | "flash_gain_us">,
): number {
  const gains = plan.dram_gain_us.map((gain, index) =>
    Math.max(gain ?? 0, plan.flash_gain_us[index] ?? 0),
  );
  const least = LITTLE * Math.max(...gains, 0);
  return gains.findLastIndex((gain) => gain > 0 && gain >= least) + 1;
}

/** What flash beyond all pages of the workload is worth, where a plan buys so much. */
export function surplusText(
  plan: Pick<NonNullable<BreakEvenOut["plan"]>, "flash_pages">,
  money: Pick<NextMoney, "flash_useful_pages">,
): string {
  const useful = money.flash_useful_pages;
  return useful !== null && plan.flash_pages.some((bought) => bought > useful)
    ? `Flash beyond ${counted(useful, "page")} gains nothing here, so a step may buy more than is useful.`
    : "";
}

export const winnerText = (winner: string) => WINNERS[winner] ?? winner;

const IO_TIME = "io_time_us_per_access";

type Simulated = Pick<SimulationOut, "result">;

/** I/O time of each scheme of a check. [µs per access] */
export function ioTimes(simulation: Simulated): ReadonlyMap<string, number> {
  return new Map(
    (simulation.result?.rows ?? [])
      .filter((row) => row.counter === IO_TIME)
      .map((row) => [row.scheme, row.simulated]),
  );
}

export interface CheckedGain {
  readonly alternative: "DRAM" | "flash";
  readonly scheme: string;
  readonly modelUs: number | null;
  readonly simulatedUs: number;
  readonly gapUs: number | null;
}

/** What both alternatives save by replay, beside what the model says. */
export function checkedGains(
  base: Simulated,
  dram: Simulated,
  flash: Simulated,
  equal: NextMoney["equal_money"][number] | undefined,
): CheckedGain[] {
  const before = ioTimes(base).get("none");
  const more = ioTimes(dram).get("none");
  if (before === undefined || more === undefined || equal === undefined) {
    return [];
  }
  const models = new Map(equal.flash_gains.map((each) => [each.scheme, each.gain_us]));
  const row = (
    alternative: CheckedGain["alternative"],
    scheme: string,
    time: number,
    model: number | null,
  ): CheckedGain => ({
    alternative,
    scheme,
    modelUs: model,
    simulatedUs: before - time,
    gapUs: model === null ? null : model - (before - time),
  });
  return [
    row("DRAM", "none", more, equal.dram_gain_us),
    ...[...ioTimes(flash)]
      .filter(([scheme]) => scheme !== "none")
      .map(([scheme, time]) =>
        row("flash", scheme, time, models.get(scheme) ?? equal.flash_gain_us),
      ),
  ];
}

/** Whether the replays agree with the model about the better buy. */
export function checkVerdict(
  gains: readonly CheckedGain[],
  winner: string,
  titles: ReadonlyMap<string, string>,
): string | null {
  const dram = gains.find((gain) => gain.alternative === "DRAM");
  const best = gains
    .filter((gain) => gain.alternative === "flash")
    .sort((one, other) => other.simulatedUs - one.simulatedUs)[0];
  if (dram === undefined || best === undefined) {
    return null;
  }
  const flashWins = best.simulatedUs > dram.simulatedUs;
  const title = titles.get(best.scheme) ?? best.scheme;
  const said = winner === (flashWins ? "flash" : "dram");
  const margin = `flash under ${title} saves ${formatShort(best.simulatedUs)} µs per access, DRAM ${formatShort(dram.simulatedUs)} µs`;
  return said
    ? `The replays confirm the decision: ${margin}.`
    : `The replays contradict the decision: ${margin}.`;
}

/** The answer with the numbers of the end that is to be drawn; its words tell both. */
export const atEnd = (found: BreakEvenOut, end: DirtyEndName): BreakEvenOut =>
  end === "least" && found.least !== null
    ? {
        ...found,
        steps: found.least.steps,
        next_money: found.least.next_money,
        flips: found.least.flips,
        flip_finding: found.least.flip_finding,
        // Of the other end only.
        plan: null,
      }
    : found;

const LEAST_SHOWN = 0.001;

/** Three digits; what is too small to matter is said to be so. */
export const orLess = (value: number): string =>
  value > 0 && value < LEAST_SHOWN ? `under ${LEAST_SHOWN}` : formatShort(value);

/** Flash that a scheme needs, with its stated error. */
export function schemeTheta(found: SchemeStep, reason: string) {
  const { theta: middle, theta_least: least, theta_most: most } = found;
  if (middle === null && least === null) {
    return { absent: reason };
  }
  const size =
    (middle === null ? "none" : `${orLess(middle)} x`) +
    (found.is_trend ? ", trend" : "");
  if (least === null || (least === middle && most === middle)) {
    return size;
  }
  return most === null
    ? `${size} (at least ${orLess(least)})`
    : `${size} (${orLess(least)} to ${orLess(most)})`;
}
