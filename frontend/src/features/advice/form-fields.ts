/** Fields of the form of an advice, what its folded parts are called, and where a fault lies in it. */
import { toProblem } from "@/api/problem";
import type { AdviceNumbers, Goal, Kind } from "@/questions/advice";
import { LIMIT_FIELDS } from "./template";

/** Folded parts of the form. */
export type Section =
  | "workloads"
  | "template"
  | "limits"
  | "candidates"
  | "prices"
  | "have";

/** A place in the form: a folded part, where it has to be opened, and a field, where one is meant. */
export interface Place {
  readonly section: Section | null;
  readonly field: string | null;
}

export const GOAL_LABELS: Readonly<Record<Goal, string>> = {
  usd: "Least cost",
  io_time: "Least I/O time",
  pareto: "Both",
};

export const GOAL_MEANINGS: Readonly<Record<Goal, string>> = {
  usd: "The cheapest option a month that keeps every limit.",
  io_time: "The fastest option that keeps every limit; set a budget.",
  pareto:
    "Every option that no other beats in both; the cheapest of them is recommended.",
};

export const KIND_LABELS: Readonly<
  Record<Kind, readonly [label: string, meaning: string]>
> = {
  instances: [
    "Cloud instances",
    "The data on their local disks, which lose it when an instance stops.",
  ],
  volumes: ["Cloud volumes", "The data on block volumes of rented instances."],
  chassis: [
    "Servers built from parts",
    "Bought. No chassis has a list price: enter yours under Prices of your own.",
  ],
  devices: [
    "RAM and devices by themselves",
    "Bought, at the price book's prices; enter the price of the machine under Prices of your own.",
  ],
};

const NOWHERE: Place = { section: null, field: null };

export const isNowhere = ({ section, field }: Place): boolean =>
  section === null && field === null;

/** A kind of candidate inside a sentence: "cloud volumes", but "RAM and devices by themselves". */
export const kindWords = (kind: Kind): string =>
  KIND_LABELS[kind][0].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

export interface NumberSpec {
  readonly name: keyof AdviceNumbers;
  readonly label: string;
  readonly unit: string;
  readonly meaning: string;
  readonly placeholder?: string;
  readonly whole?: boolean;
  /** The address holds so many times less than the field shows. */
  readonly factor?: number;
}

export const FIRST_LIMITS: readonly NumberSpec[] = [
  {
    name: "most_usd",
    label: "Budget per month",
    unit: "USD",
    meaning: "Rent, and purchases spread over their months.",
  },
  {
    name: "most_purchase_usd",
    label: "Budget of the purchase",
    unit: "USD",
    meaning: "What is paid at once.",
  },
  {
    name: "most_io_us",
    label: "I/O time per access",
    unit: "µs",
    meaning: "Mean time that one access keeps devices busy.",
  },
  {
    name: "most_mean_us",
    label: "Mean response time",
    unit: "µs",
    meaning: "Of a page access in the busiest hour, waiting included.",
  },
  {
    name: "most_p99_us",
    label: "p99 response time",
    unit: "µs",
    meaning: "99th percentile of a page access in the busiest hour.",
  },
];

export const MORE_LIMITS: readonly NumberSpec[] = [
  {
    name: "most_busy",
    label: "Busy share in the busiest hour",
    unit: "%",
    meaning: "Of every device, at most.",
    placeholder: "70",
    factor: 100,
  },
  {
    name: "least_per_s",
    label: "Throughput",
    unit: "accesses/s",
    meaning:
      "Of all machines, at least, with no device busier than allowed; the load of the workload is always carried.",
  },
  {
    name: "least_life",
    label: "Life of bought flash",
    unit: "years",
    meaning: "At least, by its rated writes.",
  },
  {
    name: "most_restart_s",
    label: "Warm after a restart",
    unit: "s",
    meaning: "Until RAM serves 95 % of its hits, at most.",
  },
  {
    name: "most_ram_gib",
    label: "RAM of all machines",
    unit: "GiB",
    meaning: "At most.",
  },
  {
    name: "most_flash_gib",
    label: "Flash that caches, of all machines",
    unit: "GiB",
    meaning: "At most.",
  },
  {
    name: "most_p50_us",
    label: "Median response time",
    unit: "µs",
    meaning: "Of a page access in the busiest hour.",
  },
  {
    name: "most_watts",
    label: "Power",
    unit: "W",
    meaning:
      "Of servers that are bought, under load, at most; what is rented has none.",
  },
  {
    name: "most_units",
    label: "Rack space",
    unit: "U",
    meaning: "The same: height in a rack, at most.",
  },
  {
    name: "limit_machines",
    label: "Machines",
    unit: "",
    meaning:
      "At most, of all systems together where several workloads are placed; each copy of the data takes one of its own.",
    whole: true,
  },
];

/** What is looked at at all, beside the kinds and who sells it. */
export const LISTED: readonly NumberSpec[] = [
  {
    name: "most_machines",
    label: "Equal machines looked at",
    unit: "",
    meaning:
      "Options of more are no candidates, except as many as there are copies of the data. Where it is empty: 8, or twice the limit on machines, up to 64.",
    placeholder: "8 or more",
    whole: true,
  },
];

export const PRICES: readonly NumberSpec[] = [
  {
    name: "chassis_usd",
    label: "Chassis with processors",
    unit: "USD",
    meaning: "Your quotation for a server without RAM and drives.",
    placeholder: "no list price",
  },
  {
    name: "machine_usd",
    label: "Machine for RAM and devices",
    unit: "USD",
    meaning: "Counted once per machine with RAM and devices by themselves.",
    placeholder: "left out",
  },
  {
    name: "kwh_usd",
    label: "Electricity",
    unit: "USD/kWh",
    meaning: "For what is bought; rent includes it.",
    placeholder: "left out",
  },
];

/** Candidates that are numbers of the form, as a request calls them. */
const CANDIDATE_FIELDS: Readonly<Record<string, keyof AdviceNumbers>> = {
  max_machines: "most_machines",
  machine_usd: "machine_usd",
  usd_per_kwh: "kwh_usd",
  part_usd: "chassis_usd",
};

const isOf = (specs: readonly NumberSpec[], field: string): boolean =>
  specs.some(({ name }) => name === field);

const CANDIDATE_PARTS: readonly string[] = ["kinds", "providers", "vendors", "own"];

/** Where the form has a part of the address; null where it has no field for it. */
export function placeOfField(field: string): Place | null {
  if (isOf(FIRST_LIMITS, field) || field === "goal") {
    return { section: null, field };
  }
  if (isOf(MORE_LIMITS, field)) {
    return { section: "limits", field };
  }
  if (isOf(PRICES, field) || field === "borrow") {
    return { section: "prices", field };
  }
  if (isOf(LISTED, field) || CANDIDATE_PARTS.includes(field)) {
    return { section: "candidates", field };
  }
  if (field === "workloads" || field === "template") {
    return { section: field, field: null };
  }
  return field.startsWith("have_") ? { section: "have", field } : null;
}

/** Where the form has what a request names, `body.constraints.usd_per_month`; null where it has no field for it. */
export function placeOfRequest(where: string): Place | null {
  const [part, name = ""] = where.replace(/^body\./, "").split(".");
  switch (part) {
    case "constraints":
      return placeOfField(LIMIT_FIELDS.get(name)?.[0] ?? "");
    case "candidates":
      return (
        placeOfField(CANDIDATE_FIELDS[name] ?? name) ?? {
          section: "candidates",
          field: null,
        }
      );
    case "have":
      return { section: "have", field: null };
    case "workloads":
      return { section: "workloads", field: null };
    case "horizon_months":
      return { section: "candidates", field: "months" };
    default:
      return null;
  }
}

/** Where the form has what a problem is about; nowhere in particular where it names no field of it. */
export function placeOfProblem(error: unknown): Place {
  const { errors, detail } = toProblem(error);
  const named = /^([a-z_.\d]+): /.exec(detail)?.[1];
  const places = [...errors.map(({ where }) => where), ...(named ? [named] : [])];
  for (const where of places) {
    const place = placeOfRequest(where);
    if (place !== null) {
      return place;
    }
  }
  return NOWHERE;
}

/** Where the form has the first part of an address that could not be used: `most_usd=x (needs a number)`. */
export function placeOfRefused(refused: string | undefined): Place | null {
  for (const part of (refused ?? "").split("; ")) {
    const place = placeOfField(part.split("=")[0] ?? "");
    if (place !== null) {
      return place;
    }
  }
  return null;
}
