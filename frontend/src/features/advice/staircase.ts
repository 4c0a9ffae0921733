/** What a limit buys at every value of it: looked up in the answer, so that a slider needs no request. */
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import { cents, formatAmount, usd } from "@/units/quantity";
import { LIMIT_FIELDS } from "./template";
import {
  costOf,
  LEAST,
  limitTitle,
  limitValue,
  NO_FLASH,
  perMonth,
  time,
} from "./words";

export type Staircase = AdviceOut["staircases"][number];
export type Step = Staircase["steps"][number];

/** Share by which a value may pass a limit and keep it, as the models have it; not where whole units are limited. */
const ROUNDING = 1e-9;
/** Units that 1 of a limit has where it is of whole ones: cents of money, bytes, machines. */
const UNITS: Readonly<Record<string, number>> = {
  machines: 1,
  ram_bytes: 1,
  flash_bytes: 1,
  usd_per_month: 100,
  purchase_usd: 100,
};
/** By how much of a unit a limit that is a sum of binary numbers may miss the whole number that it stands for. */
const NOISE = 1e-6;
const RELATIVE_NOISE = 1e-14;

/** The largest whole number of units within a limit. */
function mostUnits(limit: number, of: number): number {
  const units = limit * of;
  const whole = Math.round(units);
  return Math.abs(units - whole) <= Math.max(NOISE, units * RELATIVE_NOISE)
    ? whole
    : Math.floor(units);
}

/** Whether larger values of a limit are the tighter ones. */
export const isLeast = ({ constraint }: Pick<Staircase, "constraint">): boolean =>
  LEAST.has(constraint);

function keeps(
  staircase: Pick<Staircase, "constraint">,
  value: number | null,
  limit: number,
): boolean {
  if (value === null) {
    return true;
  }
  const units = UNITS[staircase.constraint];
  if (units !== undefined && Number.isFinite(limit)) {
    return mostUnits(value, units) <= mostUnits(limit, units);
  }
  return isLeast(staircase)
    ? value >= limit * (1 - ROUNDING)
    : value <=
        limit * (staircase.constraint.startsWith("response_") ? 1 : 1 + ROUNDING);
}

/** Whether the answer says what a limit buys. */
export function isKnown(staircase: Staircase, limit: number): boolean {
  const { tightest_known: tightest, loosest_known: loosest } = staircase;
  return (
    staircase.steps.length > 0 &&
    (tightest === null || keeps(staircase, tightest, limit)) &&
    (loosest === null || keeps(staircase, limit, loosest))
  );
}

/** What a limit buys; null where no option keeps it. */
export const boughtAt = (staircase: Staircase, limit: number): Step | null =>
  staircase.steps.findLast(({ value }) => keeps(staircase, value, limit)) ?? null;

/** Staircases of the limits that the form has a field for. */
export const offered = (found: AdviceOut): readonly Staircase[] =>
  found.staircases.filter(({ constraint }) => LIMIT_FIELDS.has(constraint));

/** The one that is shown first: of a limit that was stated, or of the other of cost and time. */
export function usual(found: AdviceOut): string {
  const stated = offered(found).find(
    ({ constraint, limit }) => limit !== null && constraint !== "peak_busy",
  );
  return (
    stated?.constraint ??
    (found.objective === "io_time" ? "usd_per_month" : "io_time_us_per_access")
  );
}

/** Round values within a decade: each about a fifth more than the one before. */
const ROUND = [1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 4, 4.7, 5.6, 6.8, 8.2];
const DIGITS = 3;
/** How far beyond the outer steps the slider goes: there is where nothing is left, or nothing changes any more. */
const BEYOND = 1.25;
const MOST_BUSY = 1;

/** A limit that buys a step, with few digits: a little looser than its value, unless that buys another one. */
function roundLimit(staircase: Staircase, value: number): number {
  const step = boughtAt(staircase, value);
  for (let digits = DIGITS; digits <= 6 && value > 0; digits += 1) {
    const unit = 10 ** (Math.floor(Math.log10(value)) - digits + 1);
    const rounded = isLeast(staircase)
      ? Math.floor(value / unit) * unit
      : Math.ceil(value / unit) * unit;
    const limit = Number(rounded.toPrecision(digits));
    if (boughtAt(staircase, limit) === step && isPossible(staircase, limit)) {
      return limit;
    }
  }
  return value;
}

const isPossible = ({ constraint }: Staircase, limit: number): boolean =>
  limit > 0 && (constraint !== "peak_busy" || limit <= MOST_BUSY);

/** Sizes are told in powers of two: half a power more is round as well. */
function roundSizes(low: number, high: number): number[] {
  const sizes = [];
  for (let size = 2 ** Math.floor(Math.log2(low)); size <= high; size *= 2) {
    sizes.push(size, 1.5 * size);
  }
  return sizes;
}

/** Of machines there are whole numbers only, and beyond the most that a step has it is not known what more would buy. */
function wholeNumbers({ limit }: Staircase, values: readonly number[]): number[] {
  const [low, high] = [Math.max(Math.min(...values) - 1, 1), Math.max(...values)];
  const all = Array.from({ length: high - low + 1 }, (_, at) => low + at);
  return [...new Set([...all, ...(limit === null ? [] : [limit])])].toSorted(
    (one, other) => one - other,
  );
}

function roundValues(low: number, high: number): number[] {
  const values = [];
  for (
    let decade = Math.floor(Math.log10(low));
    decade <= Math.log10(high);
    decade += 1
  ) {
    values.push(...ROUND.map((digit) => Number(`${digit}e${decade}`)));
  }
  return values;
}

/**
 * The limits that a slider offers, from the smallest on: one at each step, round values between them and a
 * little beyond, and the limit that was asked. All of them are known.
 */
export function stopsOf(staircase: Staircase): readonly number[] {
  const values = staircase.steps.flatMap(({ value }) =>
    value === null ? [] : [value],
  );
  const asked = staircase.limit === null ? [] : [staircase.limit];
  if (staircase.constraint === "machines" && values.length > 0) {
    return wholeNumbers(staircase, values).filter((limit) => isKnown(staircase, limit));
  }
  const positive = [...values, ...asked].filter((value) => value > 0);
  if (positive.length === 0) {
    return [...new Set(values)];
  }
  const [low, high] = [Math.min(...positive) / BEYOND, Math.max(...positive) * BEYOND];
  const round = staircase.constraint.endsWith("_bytes")
    ? roundSizes(low, high)
    : roundValues(low, high);
  const stops = [
    ...values.map((value) => roundLimit(staircase, value)),
    ...[...round, low, high]
      .filter((value) => value >= low && value <= high)
      .map((value) => Number(value.toPrecision(DIGITS))),
    ...asked,
  ];
  return [...new Set(stops)]
    .filter((limit) => limit === 0 || isPossible(staircase, limit))
    .filter((limit) => isKnown(staircase, limit))
    .toSorted((one, other) => one - other);
}

/** Where the slider stands at first: at the limit that was asked, or where the recommendation is bought. */
export function startOf(staircase: Staircase, stops: readonly number[]): number {
  if (staircase.limit !== null && stops.includes(staircase.limit)) {
    return staircase.limit;
  }
  const loosest = isLeast(staircase) ? stops[0] : stops.at(-1);
  return loosest ?? 0;
}

const isSame = (step: Step, best: AdviceOptionOut): boolean =>
  step.name === best.name &&
  step.scheme === best.scheme &&
  Number(step.usd_per_month) === costOf(best);

/** "An I/O time of an access of at most 500 µs". */
export const limitWords = (
  found: AdviceOut,
  { constraint }: Staircase,
  limit: number,
): string =>
  `${limitTitle(constraint)} ${LEAST.has(constraint) ? "at least" : "at most"} ${limitValue(found, constraint, limit)}`;

/** An option with its page flow where it has a flash cache that one runs: the same hardware may take other times under another. */
export const withFlow = (
  { name, scheme }: Pick<Step, "name" | "scheme">,
  titles: ReadonlyMap<string, string>,
): string =>
  scheme === NO_FLASH ? name : `${name}, page flow ${titles.get(scheme) ?? scheme}`;

/** Whether some option may keep a limit that none keeps together with the others. */
function mayBeKept(
  { constraints, infeasible }: AdviceOut,
  { constraint }: Staircase,
): boolean {
  const others = Object.keys(constraints).filter((name) => name !== constraint);
  const conflict = infeasible?.conflict ?? [];
  const isAlone =
    conflict.includes(constraint) && !others.some((name) => conflict.includes(name));
  return others.length > 0 && !isAlone;
}

/** What a limit buys, and what that costs against the recommendation. */
export function limitFinding(
  found: AdviceOut,
  staircase: Staircase,
  limit: number,
  titles: ReadonlyMap<string, string>,
): string {
  const words = limitWords(found, staircase, limit);
  const step = boughtAt(staircase, limit);
  if (step === null) {
    const others = mayBeKept(found, staircase) ? " with the other limits" : "";
    const tightest = staircase.steps[0]?.value;
    const nearest =
      tightest == null
        ? ""
        : ` The tightest limit that one keeps${others && " with them"} is ${limitValue(found, staircase.constraint, tightest)}.`;
    return `${words}: no option keeps it${others}.${nearest}`;
  }
  const best = found.recommendation;
  const own = best !== null && isSame(step, best);
  const [cost, us] = [Number(step.usd_per_month), step.io_time_us_per_access];
  const spent = `${cents(cost)} ${perMonth()}${beside(own ? null : best, costOf, cost, cents, "the recommendation")}`;
  const taken = `${time(us)} of I/O time per access${beside(own ? null : best, (one) => one.io_time_us_per_access, us, time)}`;
  return `${words}: ${own ? "the recommendation stays, " : ""}${withFlow(step, titles)} for ${spent}; ${taken}.`;
}

/** By how much a value is more or less than that of the recommendation: ", 12.00 more". */
function beside(
  best: AdviceOptionOut | null,
  of: (option: AdviceOptionOut) => number | null,
  value: number,
  format: (size: number) => string,
  than?: string,
): string {
  const other = best === null ? null : of(best);
  if (other === null) {
    return "";
  }
  const size = format(Math.abs(value - other));
  const compared = than === undefined ? "" : ` than ${than}`;
  if (!/[1-9]/.test(size)) {
    return than === undefined ? "" : `, as much as ${than}`;
  }
  return `, ${size} ${value > other ? "more" : "less"}${compared}`;
}

/** Whether a step keeps every limit: no largest value is below 0. */
const keepsAny = (staircase: Staircase, { value }: Step): boolean =>
  value === null || (value === 0 && !isLeast(staircase));

/** A limit that is as tight as can be. */
const howeverTight = (staircase: Staircase): string =>
  isLeast(staircase) ? "however large" : "however small";

/** What the whole staircase says: what its two ends buy. */
export function staircaseFinding(found: AdviceOut, staircase: Staircase): string {
  const { steps, constraint } = staircase;
  const [tightest, loosest] = [steps[0], steps.at(-1)];
  const title = limitTitle(constraint);
  if (tightest === undefined || loosest === undefined) {
    return `${title}: not known`;
  }
  const at = ({ value }: Step) => limitValue(found, constraint, value ?? 0);
  if (steps.length === 1) {
    return keepsAny(staircase, tightest)
      ? `${title}: no limit changes what is recommended`
      : `${title}: the same choice at every limit ${isLeast(staircase) ? "up to" : "from"} ${at(tightest)}${isLeast(staircase) ? "" : " on"}`;
  }
  const said = (step: Step) =>
    found.objective === "io_time"
      ? `leaves ${time(step.io_time_us_per_access)} of I/O time per access`
      : `costs ${formatAmount(usd(Number(step.usd_per_month)))} per month`;
  const tight =
    tightest.value === null ? howeverTight(staircase) : `of ${at(tightest)}`;
  return `${title}: a limit of ${at(loosest)} ${said(loosest)}, one ${tight} ${said(tightest)}`;
}
