/** What the page Advise adds to the address: what is best, what may be bought, limits, and what there is. */
import type { AdviceIn as AdviceBody, CandidatesIn as Buyable } from "@/api/gen";
import { AdviceIn, CandidatesIn, ConstraintsIn, HaveIn } from "@/api/gen/bounds.gen";
import {
  type Bounds,
  bounded,
  type Field,
  identifier,
  inUnits,
  namedFields,
  oneOf,
  type Refused,
  readAddress,
  readBy,
  text as textUpTo,
} from "./address";
import { membersText } from "./members";

export type Kind = NonNullable<Buyable["kinds"]>[number];
export type Goal = NonNullable<AdviceBody["objective"]>;

export type HaveScheme = (typeof HaveIn.scheme.values)[number];

export const GOALS = AdviceIn.objective.values;

/** In the order of the form. */
export const KINDS = [
  "instances",
  "volumes",
  "chassis",
  "devices",
] as const satisfies readonly Kind[];

/** Whole systems: RAM and devices by themselves need the price of a machine beside them. */
export const USUAL_KINDS: readonly Kind[] = ["instances", "volumes", "chassis"];

export interface AdviceNumbers {
  /** Limits, largest values but for the life. Budget. [USD/month] */
  most_usd?: number | undefined;
  /** [USD] */
  most_purchase_usd?: number | undefined;
  /** Of an access. [µs] */
  most_io_us?: number | undefined;
  /** Response time in the busiest hour, 99th percentile. [µs] */
  most_mean_us?: number | undefined;
  most_p99_us?: number | undefined;
  /** The same, median. [µs] */
  most_p50_us?: number | undefined;
  /** Until RAM is warm. [s] */
  most_restart_s?: number | undefined;
  most_ram_gib?: number | undefined;
  most_flash_gib?: number | undefined;
  /** Of what is bought. [W], [U] */
  most_watts?: number | undefined;
  most_units?: number | undefined;
  /** Of all machines. [1/s] */
  least_per_s?: number | undefined;
  /** [years] */
  least_life?: number | undefined;
  /** Of a device in the busiest hour; absent: 0.7. [1] */
  most_busy?: number | undefined;
  /** Of all systems together. */
  limit_machines?: number | undefined;
  /** Up to so many equal machines options are listed: no limit of the question. */
  most_machines?: number | undefined;
  /** Prices that no list states. [USD], [USD/kWh] */
  chassis_usd?: number | undefined;
  machine_usd?: number | undefined;
  kwh_usd?: number | undefined;
  /** What there is today, of all machines; without RAM nothing is stated. */
  have_ram_gib?: number | undefined;
  have_machines?: number | undefined;
  have_disks?: number | undefined;
  have_flash_gib?: number | undefined;
  have_flashes?: number | undefined;
  have_usd?: number | undefined;
}

export interface AdviceSearch extends AdviceNumbers {
  /** All workloads where there are several: `orders:5000,logs`; the first is that of the page. */
  workloads?: string | undefined;
  goal?: Goal | undefined;
  /** Kinds of candidates, joined by commas; absent: whole systems. */
  kinds?: string | undefined;
  /** Providers that are allowed, joined by commas; absent: all. */
  providers?: string | undefined;
  /** Vendors of what is bought, joined by commas; absent: all. */
  vendors?: string | undefined;
  /** The user's own devices that are candidates, joined by commas; absent: none. */
  own?: string | undefined;
  /** Drives without stated rates are as fast as the devices chosen. */
  borrow?: true | undefined;
  have_disk?: string | undefined;
  have_flash?: string | undefined;
  have_scheme?: HaveScheme | undefined;
  /** Id of the template that was chosen last; all that it set is in the address itself. */
  template?: string | undefined;
  /** Id of the advice whose finalists are replayed; another advice is not checked yet. */
  checked?: string | undefined;
  /** The option of the front that is shown in full, as `optionId` names it. */
  selected?: string | undefined;
  /** Options of the front that are compared, as `optionId` names them, joined by bars. */
  pins?: string | undefined;
}

const GIB = 2 ** 30;

/** Those of the server, in the units of the page. */
export const ADVICE_BOUNDS: Readonly<Record<keyof AdviceNumbers, Bounds>> = {
  most_usd: ConstraintsIn.usd_per_month,
  most_purchase_usd: ConstraintsIn.purchase_usd,
  most_io_us: ConstraintsIn.io_time_us_per_access,
  most_mean_us: ConstraintsIn.response_mean_us,
  most_p99_us: ConstraintsIn.response_p99_us,
  most_p50_us: ConstraintsIn.response_p50_us,
  most_restart_s: ConstraintsIn.restart_s,
  most_ram_gib: inUnits(ConstraintsIn.ram_bytes, GIB),
  most_flash_gib: inUnits(ConstraintsIn.flash_bytes, GIB),
  most_watts: ConstraintsIn.power_watts,
  most_units: ConstraintsIn.rack_units,
  least_per_s: ConstraintsIn.throughput_accesses_per_s,
  least_life: ConstraintsIn.flash_life_years,
  most_busy: ConstraintsIn.peak_busy,
  limit_machines: ConstraintsIn.machines,
  most_machines: CandidatesIn.max_machines,
  chassis_usd: CandidatesIn.machine_usd,
  machine_usd: CandidatesIn.machine_usd,
  kwh_usd: CandidatesIn.usd_per_kwh,
  have_ram_gib: { ...inUnits(HaveIn.ram_bytes, GIB), exclusive: true },
  have_machines: HaveIn.machines,
  have_disks: HaveIn.disks,
  have_flash_gib: inUnits(HaveIn.flash_bytes, GIB),
  have_flashes: HaveIn.flash_devices,
  have_usd: HaveIn.usd_per_month,
};

const isKind = (text: string): text is Kind =>
  (KINDS as readonly string[]).includes(text);

/** Kinds as an address states them; `undefined` where one is unknown. */
export function readKinds(text: string): readonly Kind[] | undefined {
  const kinds = text.split(",").filter(isKind);
  return kinds.length === text.split(",").length
    ? KINDS.filter((kind) => kinds.includes(kind))
    : undefined;
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;
/** Names of one list, as of the server. */
export const MOST_NAMES = 20;

/** Names as an address states them; `undefined` where one cannot be used. */
export function readNames(text: string): readonly string[] | undefined {
  const names = text.split(",");
  return names.length <= MOST_NAMES && names.every((name) => NAME.test(name))
    ? names
    : undefined;
}

const VENDOR = /^[\p{L}\p{N}][\p{L}\p{N} .&_-]{0,99}$/u;

/** Names of vendors as an address states them; `undefined` where one cannot be used. */
export function readVendors(text: string): readonly string[] | undefined {
  const names = text.split(",");
  return names.length <= MOST_NAMES && names.every((name) => VENDOR.test(name))
    ? names
    : undefined;
}

/** As many as are told apart beside the recommendation. */
export const MOST_PINS = 4;
const MOST_OF_OPTION = 300;
const BETWEEN_PINS = "|";

/** Names of options as an address states them; `undefined` where one cannot be used. */
export function readPins(text: string): readonly string[] | undefined {
  const pins = text.split(BETWEEN_PINS);
  return pins.length <= MOST_PINS &&
    new Set(pins).size === pins.length &&
    pins.every((pin) => pin !== "" && pin.length <= MOST_OF_OPTION)
    ? pins
    : undefined;
}

/** The same as the address states them; absent where there are none. */
export const pinsText = (pins: readonly string[]): string | undefined =>
  pins.length === 0 ? undefined : pins.join(BETWEEN_PINS);

const textOf = (read: (text: string) => unknown, expected: string) =>
  readBy(
    (value) =>
      typeof value === "string" && read(value) !== undefined ? value : undefined,
    expected,
  );

const numberFields = Object.fromEntries(
  Object.entries(ADVICE_BOUNDS).map(([name, bounds]) => [name, bounded(bounds)]),
) as Record<keyof AdviceNumbers, Field<number>>;

const FIELDS = namedFields({
  ...numberFields,
  workloads: membersText,
  goal: oneOf(GOALS),
  kinds: textOf(readKinds, `some of ${KINDS.join(", ")}, joined by commas`),
  providers: textOf(readNames, "names of providers, joined by commas, such as aws,gcp"),
  vendors: textOf(readVendors, "names of vendors, joined by commas, such as Solidigm"),
  own: textOf(readNames, "ids of your own devices, joined by commas"),
  borrow: oneOf([true] as const),
  have_disk: identifier("the id of a device"),
  have_flash: identifier("the id of a device"),
  have_scheme: oneOf(HaveIn.scheme.values),
  template: identifier("the id of a template"),
  checked: identifier("the id of an advice"),
  selected: textUpTo(MOST_OF_OPTION),
  pins: textOf(readPins, `at most ${MOST_PINS} options, each once, joined by bars`),
});

/** Reads the page's own parameters. */
export const parseAdviceSearch = (
  raw: Record<string, unknown>,
): AdviceSearch & Refused => readAddress(FIELDS, raw);
