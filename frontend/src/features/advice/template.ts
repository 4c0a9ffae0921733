/** A template beside the form: what the form states of it, and the form of what it states. */
import type { TemplateIn } from "@/api/advice-templates";
import { CandidatesIn } from "@/api/gen/bounds.gen";
import {
  type AdviceNumbers,
  type AdviceSearch,
  GOALS,
  KINDS,
  type Kind,
  USUAL_KINDS,
} from "@/questions/advice";
import { type AnalysisSearch, type AnalysisState, NONE } from "@/questions/point";
import { adviceQuestion, listedFor } from "./question";

const GIB = 2 ** 30;
const USUAL_MONTHS = 36;

/** A template as the server keeps it: what was stated, amounts as texts. */
export type Stated = Readonly<Record<string, unknown>>;

/** What the form asks, without the workload and what there is today. */
export function templateOf(state: AnalysisState, search: AdviceSearch): TemplateIn {
  const asked = adviceQuestion(state, search, false);
  return {
    objective: asked.objective ?? "usd",
    candidates: asked.candidates ?? {},
    constraints: asked.constraints ?? {},
    horizon_months: asked.horizon_months ?? USUAL_MONTHS,
    ...Object.fromEntries(
      (["price_book_id", "flash_device_id", "disk_device_id"] as const).flatMap(
        (key) => (asked[key] == null ? [] : [[key, asked[key]]]),
      ),
    ),
  };
}

const isTable = (value: unknown): value is Stated =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const tableOf = (value: unknown): Stated => (isTable(value) ? value : {});

const numberOf = (value: unknown, factor = 1): number | undefined => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number)
    ? number / factor
    : undefined;
};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

const joined = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : names.join(",");

type Part = "candidates" | "constraints";

/** Numbers of the form by where a template states them, and how many of its units one is. */
const NUMBERS: readonly (readonly [
  part: Part,
  key: string,
  name: keyof AdviceNumbers,
  factor?: number,
])[] = [
  ["constraints", "usd_per_month", "most_usd"],
  ["constraints", "purchase_usd", "most_purchase_usd"],
  ["constraints", "io_time_us_per_access", "most_io_us"],
  ["constraints", "response_mean_us", "most_mean_us"],
  ["constraints", "response_p50_us", "most_p50_us"],
  ["constraints", "response_p99_us", "most_p99_us"],
  ["constraints", "restart_s", "most_restart_s"],
  ["constraints", "ram_bytes", "most_ram_gib", GIB],
  ["constraints", "flash_bytes", "most_flash_gib", GIB],
  ["constraints", "power_watts", "most_watts"],
  ["constraints", "rack_units", "most_units"],
  ["constraints", "throughput_accesses_per_s", "least_per_s"],
  ["constraints", "flash_life_years", "least_life"],
  ["constraints", "peak_busy", "most_busy"],
  ["constraints", "machines", "limit_machines"],
  ["candidates", "machine_usd", "machine_usd"],
  ["candidates", "usd_per_kwh", "kwh_usd"],
];

/** Fields of the form for limits, by the constraint: the field, and how many units of the constraint one of it is. */
export const LIMIT_FIELDS: ReadonlyMap<
  string,
  readonly [name: keyof AdviceNumbers, factor: number]
> = new Map(
  NUMBERS.filter(([part]) => part === "constraints").map(
    ([, key, name, factor = 1]) => [key, [name, factor]],
  ),
);

/**
 * Up to how many equal machines a template lists options; absent where the form lists as many for its limit.
 * The form lists more for a limit than a template that states none.
 */
function machinesListed({ candidates, constraints }: Record<Part, Stated>) {
  const forLimit = listedFor(numberOf(constraints["machines"]));
  const listed =
    numberOf(candidates["max_machines"]) ??
    (forLimit === undefined ? undefined : CandidatesIn.max_machines.usual);
  return listed === forLimit ? undefined : listed;
}

/** Kinds that a template states, or that what it states implies. */
function kindsOf(stated: Stated): readonly Kind[] {
  const candidates = tableOf(stated["candidates"]);
  const named = namesOf(candidates["kinds"]);
  const kinds =
    named.length === 0 ? USUAL_KINDS : KINDS.filter((kind) => named.includes(kind));
  const addsDevices =
    namesOf(candidates["own"]).length > 0 ||
    (named.length === 0 && (textOf(stated["price_book_id"]) ?? NONE) !== NONE);
  return KINDS.filter(
    (kind) => kinds.includes(kind) || (kind === "devices" && addsDevices),
  );
}

/** The address of a template: every field that a template may state, set or cleared. */
export function searchOf(stated: Stated): AdviceSearch & AnalysisSearch {
  const parts = {
    candidates: tableOf(stated["candidates"]),
    constraints: tableOf(stated["constraints"]),
  };
  const { candidates } = parts;
  const kinds = kindsOf(stated);
  const isUsual = kinds.join() === USUAL_KINDS.join();
  const goal = GOALS.find((name) => name === stated["objective"]);
  const [flash, disk] = ["flash_device_id", "disk_device_id"].map((key) =>
    textOf(stated[key]),
  );
  return {
    ...Object.fromEntries(
      NUMBERS.map(([part, key, name, factor]) => [
        name,
        numberOf(parts[part][key], factor),
      ]),
    ),
    most_machines: machinesListed(parts),
    chassis_usd: numberOf(tableOf(candidates["part_usd"])["chassis"]),
    goal: goal === "usd" ? undefined : goal,
    kinds: isUsual ? undefined : joined(kinds),
    providers: joined(namesOf(candidates["providers"])),
    vendors: joined(namesOf(candidates["vendors"])),
    own: joined(namesOf(candidates["own"])),
    // Absent: the default one, as the server takes it; an address without one is filled with it.
    price_book: textOf(stated["price_book_id"]),
    months: numberOf(stated["horizon_months"]) ?? USUAL_MONTHS,
    borrow: flash === undefined && disk === undefined ? undefined : true,
    ...(flash === undefined ? {} : { flash_device: flash }),
    ...(disk === undefined ? {} : { disk_device: disk }),
  };
}

/** Every value by its place, `constraints.usd_per_month`; numbers are numbers however they are written. */
function leaves(value: unknown, place = ""): readonly (readonly [string, string])[] {
  if (isTable(value)) {
    return Object.entries(value).flatMap(([key, part]) =>
      leaves(part, place === "" ? key : `${place}.${key}`),
    );
  }
  if (Array.isArray(value)) {
    return [[place, [...value].map(String).toSorted().join(",")]];
  }
  return value == null ? [] : [[place, String(numberOf(value) ?? value)]];
}

/** Places of what one states and another does not state alike. */
const missing = (one: unknown, other: unknown): readonly string[] => {
  const known = new Map(leaves(other));
  return leaves(one)
    .filter(([place, value]) => known.get(place) !== value)
    .map(([place]) => place);
};

/** What the form asks after a template was chosen in it; `usual`: the default price book. */
const chosen = (
  state: AnalysisState,
  stated: Stated,
  usual: string | undefined,
): TemplateIn => {
  const search = searchOf(stated);
  const { months, flash_device, disk_device } = { ...state, ...search };
  const price_book = search.price_book ?? usual ?? NONE;
  return templateOf(
    { ...state, price_book, months, flash_device, disk_device },
    search,
  );
};

/** What a template states and the form does not show, by its place. */
export const notShown = (state: AnalysisState, stated: Stated): readonly string[] =>
  missing(stated, chosen(state, stated, undefined));

/** Whether the form asks what a template states; `usual`: the default price book, of one that states none. */
export function isAsked(
  state: AnalysisState,
  search: AdviceSearch,
  stated: Stated,
  usual: string | undefined,
): boolean {
  const now = templateOf(state, search);
  const then = chosen(state, stated, usual);
  return missing(now, then).length === 0 && missing(then, now).length === 0;
}
