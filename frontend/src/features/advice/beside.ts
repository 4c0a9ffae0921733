/** What several saved advices say, figure by figure. */
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import type { ScenarioOut } from "@/api/scenarios";
import { classNamed, NOT_FROM_COUNTERS } from "@/components/counters-note";
import { shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  counted,
  formatBytes,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import { difference, noLife, noResponse, time } from "./words";

/** A saved advice and its answer now. */
export interface Side {
  readonly scenario: Pick<ScenarioOut, "id" | "name">;
  readonly workload: string;
  readonly found: AdviceOut;
}

type Value = number | string | null;

/** One figure of every advice. */
export interface Figure {
  readonly name: string;
  readonly unit?: string;
  readonly of: (side: Side, titles: ReadonlyMap<string, string>) => Value;
  /** Of a number; a text stands for itself. */
  readonly format?: (value: number) => string;
  /** Why it is not known. */
  readonly unknown?: (side: Side) => string;
}

export const NO_OPTION = "No option keeps every limit.";

const best =
  (value: (option: AdviceOptionOut) => Value) =>
  ({ found }: Side): Value =>
    found.recommendation === null ? null : value(found.recommendation);

const money = (value: string | null): Value => (value === null ? null : Number(value));

const whyNot =
  (why: (side: Side, option: AdviceOptionOut) => string | null) =>
  (side: Side): string => {
    const option = side.found.recommendation;
    return option === null ? NO_OPTION : (why(side, option) ?? "It is unknown.");
  };

const NO_FLASH = "none";
const size = (value: number) => formatBytes(bytes(value));

/** In the order in which a decision reads them. */
export const figures = (): readonly Figure[] => [
  { name: "Workload", of: ({ workload }) => workload },
  {
    name: "Evidence of the curve",
    of: ({ found }) => classNamed(found.cautions)?.title ?? NOT_FROM_COUNTERS,
  },
  {
    name: "Recommendation",
    of: ({ found }) => found.recommendation?.name ?? NO_OPTION,
  },
  {
    name: "Page flow",
    of: (side, titles) =>
      best(({ scheme }) =>
        scheme === NO_FLASH ? "no flash cache" : (titles.get(scheme) ?? scheme),
      )(side),
  },
  {
    name: "Cost per month",
    unit: shownCurrency(),
    of: best((option) => money(option.usd_per_month)),
    format: cents,
    unknown: whyNot(() => "A price is missing."),
  },
  {
    name: "Paid at purchase",
    unit: shownCurrency(),
    of: best((option) => money(option.purchase_usd)),
    format: cents,
    unknown: whyNot(() => "A price is missing."),
  },
  {
    name: "I/O time per access",
    unit: "µs",
    of: best((option) => option.io_time_us_per_access),
    format: time,
    unknown: whyNot(() => "A rate of a device is unknown."),
  },
  {
    name: "Response time, p99, busiest hour",
    unit: "µs",
    of: best((option) => option.response_p99_us),
    format: time,
    unknown: whyNot((_, option) => noResponse(option)),
  },
  {
    name: "Busy, busiest hour",
    of: best((option) => option.peak_busy),
    format: (share) => formatPercent(ratio(share)),
    unknown: whyNot(() => "The workload states no rate: scale it to production."),
  },
  {
    name: "Life of the flash",
    unit: "years",
    of: best((option) => option.flash_life_years),
    format: (years) => counted(formatShort(years), "year"),
    unknown: whyNot((_, option) => noLife(option)),
  },
  {
    name: "RAM",
    unit: "bytes",
    of: best((option) => option.ram_bytes),
    format: size,
  },
  {
    name: "Flash cache",
    unit: "bytes",
    of: best((option) => option.flash_bytes),
    format: size,
  },
  { name: "Machines", of: best((option) => option.machines), format: formatShort },
];

/** How a figure differs from that of the first advice; null where there is nothing to compare. */
export function against(figure: Figure, first: Value, value: Value): string | null {
  if (first === null || value === null) {
    return null;
  }
  if (typeof first === "number" && typeof value === "number") {
    return first === value ? "equal" : difference(value - first, figure.format);
  }
  return first === value ? "equal" : "differs";
}

/** The finding above the figures: what costs least, and what is the fastest. */
export function besideFinding(sides: readonly Side[]): string {
  const least = (
    of: (option: AdviceOptionOut) => Value,
  ): readonly Side[] | undefined => {
    const values = sides.map((side) => best(of)(side));
    const known = values.filter((value) => typeof value === "number");
    return known.length < sides.length
      ? undefined
      : sides.filter((_, at) => values[at] === Math.min(...known));
  };
  const cheapest = least((option) => money(option.usd_per_month));
  const fastest = least((option) => option.io_time_us_per_access);
  if (cheapest === undefined || fastest === undefined) {
    return "Not every scenario has a recommendation with a cost and a time";
  }
  const [cheap, fast] = [cheapest[0], fastest[0]];
  if (cheapest.length > 1 && fastest.length > 1) {
    return "Several cost the same and take the same time";
  }
  if (cheapest.length === 1 && fastest.length === 1) {
    return cheap === fast
      ? `${cheap?.scenario.name} costs least and is the fastest`
      : `${cheap?.scenario.name} costs least, ${fast?.scenario.name} is the fastest`;
  }
  return cheapest.length === 1
    ? `${cheap?.scenario.name} costs least; several are the fastest`
    : `Several cost the same; ${fast?.scenario.name} is the fastest`;
}
