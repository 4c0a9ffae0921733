import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import { LIMIT_WORDS } from "@/api/gen/bounds.gen";
import { converted, rateOf, shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  counted,
  formatAmount,
  formatBytes,
  formatDuration,
  formatPercent,
  formatShort,
  microseconds,
  ratio,
  usd,
} from "@/units/quantity";

/** The page flow of an option without a flash cache. */
export const NO_FLASH = "none";

/** The end of a sentence that another one follows; a point inside a name or a number is none. */
const END = /(?<=\.) (?=[A-Z])/;

/** The first sentence of a text, and what follows it. */
export function firstSentence(text: string): readonly [first: string, rest: string] {
  const at = text.search(END);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** A time with its unit. */
export const time = (us: number): string => formatDuration(microseconds(us));

/** A difference with its sign: "+2.66", "−12.00", "0.00". */
export const difference = (
  value: number,
  format: (size: number) => string = cents,
): string => {
  const size = format(Math.abs(value));
  const isNothing = !/[1-9]/.test(size);
  return isNothing ? size : `${value < 0 ? "−" : "+"}${size}`;
};

export const costOf = ({
  usd_per_month: cost,
}: Pick<AdviceOptionOut, "usd_per_month">): number | null =>
  cost === null ? null : Number(cost);

const UNKNOWN_END = "not known";

/** What has figures that may be ranges: an option, or a way to share systems. */
type Ranged = Pick<AdviceOptionOut, "ranges">;

/** The range of a figure that depends on which evicted pages are dirty; null where it is known. */
export function rangeOf(
  option: Ranged,
  figure: string,
  format: (value: number) => string,
): string | null {
  const ends = option.ranges[figure];
  if (ends === undefined) {
    return null;
  }
  const [low, high] = ends;
  if (low === null) {
    return high === null ? UNKNOWN_END : `up to ${format(high)}`;
  }
  return high === null ? `${format(low)} or more` : `${format(low)} to ${format(high)}`;
}

/** A figure of an option, or its range; null where neither is known. */
export function figureOf<T extends Ranged>(
  option: T,
  figure: keyof T & string,
  format: (value: number) => string,
): string | null {
  const value = option[figure];
  return typeof value === "number" ? format(value) : rangeOf(option, figure, format);
}

/** What an option is less than another; null where either is unknown. */
export const lessThan = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one - other;

/** A limit in words, with a capital. */
export function limitTitle(name: string): string {
  const words = LIMIT_WORDS[name] ?? name.replaceAll("_", " ");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Limits that are least values; all others are largest ones. */
export const LEAST: ReadonlySet<string> = new Set([
  "flash_life_years",
  "throughput_accesses_per_s",
]);
const MONEY: ReadonlySet<string> = new Set(["usd_per_month", "purchase_usd"]);

/** A value of a limit with its unit; money, which is in dollars, in the currency shown. */
export function limitValue(
  found: Parameters<typeof rateOf>[0],
  name: string,
  value: number,
): string {
  if (MONEY.has(name)) {
    // To the cent: a limit that is set to a rounded value may reject the option again.
    return `${cents(converted(value, rateOf(found)))} ${shownCurrency()}`;
  }
  if (name === "peak_busy") {
    return formatPercent(ratio(value));
  }
  if (name.endsWith("_bytes")) {
    return formatBytes(bytes(value));
  }
  if (name === "machines") {
    return formatShort(value);
  }
  if (name === "restart_s") {
    return time(value * 1e6);
  }
  if (name === "power_watts" || name === "rack_units") {
    return `${formatShort(value)} ${name === "power_watts" ? "W" : "U"}`;
  }
  if (name === "throughput_accesses_per_s") {
    return `${formatShort(value)} accesses/s`;
  }
  if (name === "flash_life_years") {
    return counted(formatShort(value), "year");
  }
  return time(value);
}

/** A limit as the answer says that it was applied: its money is in the currency shown already. */
export const statedLimit = (
  found: Parameters<typeof rateOf>[0],
  name: string,
  limit: string,
): string =>
  MONEY.has(name)
    ? `${cents(limit)} ${shownCurrency()}`
    : limitValue(found, name, Number(limit));

/** Whether a value keeps a limit that the answer says was applied; its money is in dollars. */
export function keeps(
  found: Parameters<typeof rateOf>[0],
  name: string,
  value: number,
  limit: string,
): boolean {
  const shown = MONEY.has(name) ? converted(value, rateOf(found)) : value;
  return LEAST.has(name) ? shown >= Number(limit) : shown <= Number(limit);
}

/** A text as a sentence begins. */
export const capital = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1);

/** Why an option has no response times; null where it has. */
export const noResponse = (option: AdviceOptionOut): string | null =>
  option.response_p99_us === null ? `${capital(option.response_reason)}.` : null;

/** Whether an option is rented, so that its drives, power and space are the provider's. */
export const isRentedOption = ({ kind }: AdviceOptionOut): boolean =>
  kind === "instances" || kind === "volumes";

/** Version of the model from which on a life counts the growth of the load; answers saved before do not. */
const GROWN_FROM = 18;

/** Says by how much a life of flash counts the load to grow; empty without growth. */
export function asLoadGrows(
  { when, versions }: Pick<AdviceOut, "when" | "versions">,
  { point }: Pick<AdviceOptionOut, "point">,
): string {
  const growth = when?.growth_per_year ?? point?.growth_per_year ?? 0;
  return growth > 0 && Number(versions["model"] ?? 0) >= GROWN_FROM
    ? `, as the load grows by ${formatPercent(ratio(growth))} a year`
    : "";
}

/** Why the life of the flash has no number. */
export function noLife(option: AdviceOptionOut): string {
  if (isRentedOption(option)) {
    return "Rented: the provider replaces its drives.";
  }
  return option.flash_bytes === 0
    ? "No flash that is bought is written, its endurance is not published, or the trace does not tell writes from reads."
    : "No endurance is published, the workload states no rate, or the trace does not tell writes from reads.";
}

/** Whether a flash cache of the simulator runs the recommendation, in place of page flow. */
export const runsCache = (found: Pick<AdviceOut, "flash_caches">): boolean =>
  found.flash_caches.some((row) => row.is_chosen);

/** Why it is not known how long RAM is cold. */
export const noRestart = (found: AdviceOut): string =>
  runsCache(found)
    ? "There is no formula for the restart of a flash cache."
    : found.accesses_per_s === null
      ? "The workload states no rate: scale it to production."
      : "No source states how long one read of its devices takes.";

/** Why it is not known when an option is too small. */
export const noMonths = (found: AdviceOut): string => {
  if (found.peak_accesses_per_s === null) {
    return "The workload states no rate: scale it to production.";
  }
  return found.when === null
    ? "The workload states no growth."
    : "More than 30 years, or not known: a time of its devices is not stated, or a replay decides.";
};

/** I/O time where the front draws it: with as many dirty pages as possible where their share is unknown. [µs] */
export const mostTimeOf = (option: AdviceOptionOut): number | null =>
  option.io_time_us_per_access ?? option.ranges["io_time_us_per_access"]?.[1] ?? null;

/** What the front says, from its two ends. */
export function frontFinding(front: readonly AdviceOptionOut[]): string {
  const [cheapest] = front;
  const fastest = front.at(-1);
  if (cheapest === undefined || fastest === undefined) {
    return "No option keeps every limit, so there is nothing to compare";
  }
  const [least, most] = [costOf(cheapest), costOf(fastest)];
  const [slow, quick] = [mostTimeOf(cheapest), mostTimeOf(fastest)];
  if (
    front.length === 1 ||
    least === null ||
    most === null ||
    slow === null ||
    quick === null
  ) {
    return "One option is both the cheapest and the fastest";
  }
  const ends = [
    `${time(slow)} per access for ${formatAmount(usd(least))} per month`,
    `${time(quick)} for ${formatAmount(usd(most))}`,
  ];
  return `More money buys less I/O time: ${ends.join(", ")}`;
}

export const perMonth = (): string => `${shownCurrency()} per month`;

/** Why power and rack space of an option are unknown. */
export const noPower = (option: AdviceOptionOut): string =>
  isRentedOption(option)
    ? "It is rented: power and space are the provider's."
    : "No source states it of every part.";

/** Accesses per second from which memory and processors are what limits, of which the model knows nothing. */
const MOST_PER_S = 1e9;
const isUnlimited = (rate: number): boolean => rate > MOST_PER_S;

/** A throughput; what its devices do not limit has no number. */
export const perSecond = (rate: number): string =>
  isUnlimited(rate) ? "over 1 billion /s" : `${formatShort(rate)} /s`;

/** How many times the busiest hour an option could carry; null where that is unknown. */
export function headroom(
  { peak_accesses_per_s: peak }: AdviceOut,
  { throughput_accesses_per_s: most }: AdviceOptionOut,
): string | null {
  return peak === null || peak === 0 || most === null
    ? null
    : isUnlimited(most)
      ? "not limited by its devices"
      : `${formatShort(most / peak)} times the busiest hour`;
}
