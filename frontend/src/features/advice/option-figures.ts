/** The figures by which options are compared, and how one differs from another. */
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import type { PlacementOut } from "@/api/placements";
import { shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  counted,
  formatBytes,
  formatPercent,
  formatShort,
  listed,
  ratio,
} from "@/units/quantity";
import type { Titles } from "./option-parts";
import {
  costOf,
  difference,
  NO_FLASH,
  noLife,
  noMonths,
  noPower,
  noResponse,
  noRestart,
  perSecond,
  rangeOf,
  time,
} from "./words";

export type Value = number | string | null;

/** How the value of a figure is written. */
export interface Written {
  readonly name: string;
  readonly unit?: string;
  /** Of a number; a text stands for itself. */
  readonly format?: (value: number) => string;
  /** Of how much it differs; absent: as the number itself. */
  readonly formatDifference?: (value: number) => string;
}

/** Its name as the header of a row; amounts do not say their currency themselves. */
export const titleOf = ({ name, unit, format }: Written): string =>
  format === cents ? `${name} [${unit}]` : name;

export interface OptionFigure extends Written {
  readonly of: (option: AdviceOptionOut, titles: Titles) => Value;
  /** Why it is not known. */
  readonly unknown?: (option: AdviceOptionOut, found: AdviceOut) => string;
  /** Of all systems for several workloads; absent where each system has its own. */
  readonly ofAll?: (found: PlacementOut, titles: Titles) => Value;
}

const NO_CACHE = "none";
const size = (value: number) => formatBytes(bytes(value));
const share = (value: number) => formatPercent(ratio(value));
/** A share differs by points: 40 % and 42 % do not differ by 2 %. */
const points = (value: number) => counted(formatShort(100 * value), "point");
const watts = (value: number) => `${formatShort(value)} W`;
const units = (value: number) => `${formatShort(value)} U`;
const warm = (seconds: number) => (seconds === 0 ? "at once" : time(seconds * 1e6));

const money = (value: string | null): Value => (value === null ? null : Number(value));

const noCost = ({ kind }: AdviceOptionOut) =>
  kind === "have" ? "Its cost was not stated." : "A price is missing.";
const noRate = () => "The workload states no rate, or a rate of a device is unknown.";
const noResponseOf = (option: AdviceOptionOut) =>
  noResponse(option) ?? "A device cannot keep up.";

/** A number, or its range where that depends on which evicted pages are dirty. */
const known =
  (figure: keyof AdviceOptionOut, format: (value: number) => string) =>
  (option: AdviceOptionOut): Value => {
    const value = option[figure];
    return typeof value === "number" ? value : rangeOf(option, figure, format);
  };

/** A figure that has a number, a range or neither. */
const numeric = (
  figure: keyof AdviceOptionOut,
  written: Written & { readonly format: (value: number) => string },
  unknown: NonNullable<OptionFigure["unknown"]>,
): OptionFigure => ({ ...written, of: known(figure, written.format), unknown });

const REPLAYED = numeric(
  "replayed_io_time_us_per_access",
  { name: "I/O time per access, by replay", unit: "µs", format: time },
  () => "It was not replayed.",
);

/** The sum over the systems for several workloads. */
const sum =
  (of: (option: AdviceOptionOut) => number) =>
  ({ systems }: PlacementOut): number =>
    systems.reduce((total, { option }) => total + of(option), 0);

const flowOf = ({ scheme }: AdviceOptionOut, titles: Titles): string =>
  scheme === NO_FLASH ? "no flash cache" : (titles.get(scheme) ?? scheme);

/** Where pages are found, which is always known. */
const hits = (name: string, of: (option: AdviceOptionOut) => Value): OptionFigure => ({
  name,
  of,
  format: share,
  formatDifference: points,
});

/** What of a cost is not counted that other options have in theirs: said where some option lacks it. */
const MACHINE: OptionFigure = {
  name: "Price of the machine",
  of: (option) =>
    notCounted(machinesLacking(option), option.machines) ??
    (AS_STATED.has(option.kind) ? "as stated" : "in the cost"),
  ofAll: (found) =>
    notCounted(
      machinesLacking(found),
      found.systems.reduce((total, { option }) => total + option.machines, 0),
    ) ?? "in the cost",
};
const AS_STATED: ReadonlySet<string> = new Set(["have", "quotes"]);

/** How many machines a cost lacks; null where it lacks none. */
function notCounted(lacking: number, machines: number): string | null {
  if (lacking === 0) {
    return null;
  }
  if (lacking < machines) {
    return `not counted for ${formatShort(lacking)} of ${counted(machines, "machine")}`;
  }
  return machines === 1
    ? "not counted"
    : `not counted for ${counted(machines, "machine")}`;
}

/** What is bought with or without machines: an option, or the systems for several workloads. */
type Machined =
  | Pick<AdviceOptionOut, "without_machine" | "machines">
  | Pick<PlacementOut, "systems">;

/** How many of the machines that RAM and devices need a cost lacks: of an option, or of several systems together. */
export const machinesLacking = (of: Machined): number =>
  "systems" in of
    ? of.systems.reduce((total, { option }) => total + machinesLacking(option), 0)
    : of.without_machine === true
      ? of.machines
      : 0;

/** Whether a cost lacks a machine that RAM and devices need: of an option, or of one of several systems. */
export const lacksMachine = (of: Machined): boolean => machinesLacking(of) > 0;

/** Says behind the cost of systems which machines it lacks, by system; empty where it lacks none. */
export function leftOutText(lacking: readonly number[]): string {
  const some = lacking.filter((machines) => machines > 0);
  const [first] = some;
  if (first === undefined) {
    return "";
  }
  if (some.length === lacking.length) {
    const isOne = lacking.length === 1;
    return `${isOne ? "its" : "their"} ${isOne && first === 1 ? "machine" : "machines"} not counted`;
  }
  const noun = some.length === 1 && first === 1 ? "machine" : "machines";
  return `the ${noun} of ${formatShort(some.length)} of them not counted`;
}

/** The machines that a cost lacks, as many as they are, with their verb. */
export const machineWords = (of: Machined): readonly [noun: string, verb: string] =>
  machinesLacking(of) === 1 ? ["machine", "is"] : ["machines", "are"];

/** Whether two values of a figure may be set against each other: amounts only where they lack equally many machines. */
export const isComparable = (
  { format }: Written,
  lacking: number,
  other: number,
): boolean => format !== cents || lacking === other;

/** In the order in which a decision reads them; replays and what is not counted where an option has one. */
export const optionFigures = (
  options: readonly AdviceOptionOut[] = [],
): readonly OptionFigure[] => [
  {
    name: "Page flow",
    of: flowOf,
    ofAll: ({ systems }, titles) =>
      listed([...new Set(systems.map(({ option }) => flowOf(option, titles)))]),
  },
  {
    name: "Cost per month",
    unit: shownCurrency(),
    of: (option) => money(option.usd_per_month),
    ofAll: (found) => money(found.usd_per_month),
    format: cents,
    unknown: noCost,
  },
  {
    name: "Paid at purchase",
    unit: shownCurrency(),
    of: (option) => money(option.purchase_usd),
    ofAll: (found) => money(found.purchase_usd),
    format: cents,
    unknown: noCost,
  },
  ...(options.some(lacksMachine) ? [MACHINE] : []),
  {
    ...numeric(
      "io_time_us_per_access",
      { name: "I/O time per access", unit: "µs", format: time },
      () => "A rate of a device is unknown.",
    ),
    ofAll: (found) =>
      found.io_time_us_per_access ?? rangeOf(found, "io_time_us_per_access", time),
  },
  ...(options.some((one) => one.replayed_io_time_us_per_access !== null)
    ? [REPLAYED]
    : []),
  hits("Found in RAM", (option) => option.ram_hit_share),
  hits("Found in the flash cache", (option) =>
    option.flash_bytes > 0 ? option.flash_hit_share : NO_CACHE,
  ),
  hits("Read from what holds the data", (option) => option.disk_share),
  numeric(
    "response_p50_us",
    { name: "Response time, median, busiest hour", unit: "µs", format: time },
    noResponseOf,
  ),
  numeric(
    "response_p99_us",
    { name: "Response time, p99, busiest hour", unit: "µs", format: time },
    noResponseOf,
  ),
  numeric(
    "peak_busy",
    { name: "Busy, busiest hour", format: share, formatDifference: points },
    noRate,
  ),
  numeric(
    "throughput_accesses_per_s",
    { name: "Throughput", unit: "accesses/s", format: perSecond },
    noRate,
  ),
  numeric(
    "flash_life_years",
    {
      name: "Life of the flash",
      unit: "years",
      format: (years) => counted(formatShort(years), "year"),
    },
    noLife,
  ),
  numeric(
    "restart_s",
    { name: "Warm after a restart", unit: "s", format: warm },
    (_, found) => noRestart(found),
  ),
  {
    name: "Large enough for",
    unit: "months",
    // Whole ones, so that what differs is the difference of what is shown.
    of: ({ months_until_too_small: months }) =>
      months === null ? null : Math.floor(months),
    format: (months) => counted(months, "month"),
    unknown: (_, found) => noMonths(found),
  },
  numeric("power_watts", { name: "Power", unit: "W", format: watts }, noPower),
  numeric("rack_units", { name: "Rack space", unit: "U", format: units }, noPower),
  {
    name: "RAM",
    unit: "bytes",
    of: (option) => option.ram_bytes,
    ofAll: sum((option) => option.ram_bytes),
    format: size,
  },
  {
    name: "Flash cache",
    unit: "bytes",
    of: (option) => option.flash_bytes,
    ofAll: sum((option) => option.flash_bytes),
    format: (value) => (value === 0 ? NO_CACHE : size(value)),
    formatDifference: size,
  },
  {
    name: "Machines",
    of: ({ machines }) => machines,
    ofAll: sum(({ machines }) => machines),
    format: formatShort,
  },
];

/** How a value differs from the one that it is compared with; null where no difference is known. */
export function against(figure: Written, first: Value, value: Value): string | null {
  if (first === null || value === null || typeof first !== typeof value) {
    // A number may lie in a range, or be that of something which the other does not have.
    return null;
  }
  if (first === value) {
    return "equal";
  }
  return typeof first === "number" && typeof value === "number"
    ? difference(value - first, figure.formatDifference ?? figure.format)
    : "differs";
}

/** By what the cheapest and the fastest are told. */
export type Judged = Pick<
  AdviceOptionOut,
  "usd_per_month" | "io_time_us_per_access" | "replayed_io_time_us_per_access"
> &
  Machined;

interface Named {
  readonly name: string;
  readonly option: Judged | null;
}

/** Which of several costs least, and whether that holds without its machines alone. */
function costsText(all: readonly Named[], cheapest: readonly Named[]): string {
  const lackingOf = (some: readonly Named[]) =>
    some.map(({ option }) => (option === null ? 0 : machinesLacking(option)));
  const lacking = lackingOf(cheapest);
  const [fewest, most] = [Math.min(...lacking), Math.max(...lacking)];
  // With its machines it may cost more than one of which fewer are missing.
  const isUnlike = most > Math.min(...lackingOf(all));
  if (cheapest.length > 1) {
    return `Several cost the same${isUnlike ? lackingText(fewest, most) : ""}`;
  }
  const machines = most === 1 ? "machine" : `${formatShort(most)} machines`;
  return `${cheapest[0]?.name} costs least${isUnlike ? `, its ${machines} not counted` : ""}`;
}

/** What several equal costs lack, by how many machines the least and the most of them lack. */
function lackingText(fewest: number, most: number): string {
  if (fewest === 0) {
    return ", not all with their machine";
  }
  return fewest === most
    ? ", their machines not counted"
    : ", different numbers of machines not counted";
}

/** Those of several that have the least of a figure; none of them where it is not known of each. */
function leastOf(
  all: readonly Named[],
  of: (option: Judged) => number | null,
): readonly Named[] | undefined {
  const values = all.map(({ option }) => (option === null ? null : of(option)));
  const known = values.filter((value) => value !== null);
  return known.length < all.length
    ? undefined
    : all.filter((_, at) => values[at] === Math.min(...known));
}

/** Which of several costs least and which takes the least I/O time; or that it is not known of each. */
export function cheapestAndFastest(all: readonly Named[], unknown: string): string {
  const cheapest = leastOf(all, costOf);
  // Replays are held against replays: without one of each, all are by the model.
  const fastest =
    leastOf(all, (option) => option.replayed_io_time_us_per_access) ??
    leastOf(all, (option) => option.io_time_us_per_access);
  if (cheapest === undefined || fastest === undefined) {
    return unknown;
  }
  const costs = costsText(all, cheapest);
  const comma = costs.includes(",") ? "," : "";
  const [fast] = fastest;
  if (fastest.length > 1) {
    // Those that cost the least may not be those that take the least time.
    return cheapest.length > 1 && cheapest.every((one) => fastest.includes(one))
      ? `${costs}${comma} and take the same time`
      : `${costs}; several take the least I/O time`;
  }
  if (cheapest.length === 1 && cheapest[0] === fast) {
    return `${costs}${comma} and takes the least I/O time`;
  }
  const end = cheapest.length > 1 || comma !== "" ? ";" : ",";
  return `${costs}${end} ${fast?.name} takes the least I/O time`;
}
