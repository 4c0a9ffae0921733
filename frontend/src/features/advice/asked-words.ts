/** What is asked, in the words of the bar that stands in place of the form. */
import type { SummaryOut } from "@/api/workloads";
import type { AdviceSearch, Goal } from "@/questions/advice";
import { readNames, readVendors } from "@/questions/advice";
import type { Member } from "@/questions/members";
import { type AnalysisState, NONE } from "@/questions/point";
import { ownRate } from "@/questions/workload-members";
import {
  bytes,
  counted,
  formatBytes,
  formatPercent,
  formatShort,
  listed,
  ratio,
} from "@/units/quantity";
import {
  FIRST_LIMITS,
  kindWords,
  MORE_LIMITS,
  type NumberSpec,
  type Place,
  PRICES,
} from "./form-fields";
import { haveOf, kindsOf, ownOf } from "./question";

const GOAL_WORDS: Readonly<Record<Goal, string>> = {
  usd: "least cost",
  io_time: "least I/O time",
  pareto: "least cost, and what more money buys",
};

/** More limits than these are counted. */
const MOST_TOLD = 3;
const DIGITS = 6;

/** A part of the question, and where the form holds it. */
export interface AskedPart {
  readonly name: string;
  readonly text: string;
  readonly at: Place;
  /** What the chips above the page say as well, so that a phone can leave it out. */
  readonly isInChips: boolean;
}

export interface AskedOf {
  readonly state: AnalysisState;
  readonly search: AdviceSearch;
  readonly members: readonly Member[];
  readonly name: string;
  readonly summary: SummaryOut;
  /** Name of the price book; absent until it is known. */
  readonly book: string | undefined;
  /** Of a curve that does not contain it; absent where the question is not asked. */
  readonly dirty?: { readonly stated: number | undefined };
}

/** Page accesses per second that are asked about; null where nobody states them. */
function rateAsked({ production, ...rest }: SummaryOut): number | null {
  return production?.production.accesses_per_s ?? ownRate({ production, ...rest });
}

function workloadText({ members, name, summary }: AskedOf): string {
  if (members.length > 1) {
    return `${name} and ${members.length - 1} more`;
  }
  const rate = rateAsked(summary);
  if (rate === null) {
    return `${name}, no rate stated`;
  }
  const words = `${formatShort(rate)} accesses/s`;
  // A production is named by its rate unless it has a name of its own.
  return name.endsWith(` ${words}`) ? name : `${name} at ${words}`;
}

/** A field with its value: "budget per month 4,000 USD". */
function stated(search: AdviceSearch, spec: NumberSpec): string | null {
  const value = search[spec.name];
  if (value === undefined) {
    return null;
  }
  const label = spec.label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  const number = formatShort(value * (spec.factor ?? 1), DIGITS);
  return `${label} ${number}${spec.unit === "" ? "" : ` ${spec.unit}`}`;
}

const allStated = (
  search: AdviceSearch,
  specs: readonly NumberSpec[],
): readonly string[] =>
  specs.flatMap((spec) => {
    const text = stated(search, spec);
    return text === null ? [] : [text];
  });

/** The goal in words; of several workloads the front of both recommends its cheapest, and is not asked. */
export function goalText({ goal = "usd" }: AdviceSearch, isShared: boolean): string {
  return GOAL_WORDS[isShared && goal === "pareto" ? "usd" : goal];
}

/** All limits that are stated, in words. */
export function limitsText(search: AdviceSearch): string {
  const texts = allStated(search, [...FIRST_LIMITS, ...MORE_LIMITS]);
  return texts.length === 0 ? "none" : listed([...texts]);
}

function limitsPart(search: AdviceSearch): AskedPart {
  const all = [...FIRST_LIMITS, ...MORE_LIMITS];
  const texts = allStated(search, all);
  const more = texts.length - MOST_TOLD;
  const first = all.find(({ name }) => search[name] !== undefined);
  const isFirst = first === undefined || FIRST_LIMITS.includes(first);
  return {
    name: "Limits",
    text:
      texts.length === 0
        ? "none"
        : listed([...texts.slice(0, MOST_TOLD), ...(more > 0 ? [`${more} more`] : [])]),
    at: {
      section: isFirst ? null : "limits",
      field: first?.name ?? FIRST_LIMITS[0]?.name ?? null,
    },
    isInChips: false,
  };
}

function candidatesText(search: AdviceSearch): string {
  const providers = readNames(search.providers ?? "") ?? [];
  const vendors = readVendors(search.vendors ?? "") ?? [];
  const own = ownOf(search).length;
  const machines = search.most_machines;
  return [
    listed(kindsOf(search).map(kindWords)),
    ...(providers.length === 0 ? [] : [`rented from ${listed([...providers])}`]),
    ...(vendors.length === 0 ? [] : [`bought from ${listed([...vendors])}`]),
    ...(own === 0 ? [] : [`${counted(own, "device")} of your own`]),
    ...(machines === undefined
      ? []
      : [`up to ${counted(machines, "equal machine")} looked at`]),
  ].join("; ");
}

function pricesParts({ state, search, book }: AskedOf): readonly AskedPart[] {
  const own = [
    ...allStated(search, PRICES),
    ...(search.borrow === true ? ["rates of drives assumed"] : []),
  ];
  const list = state.price_book === NONE ? "no price book" : (book ?? state.price_book);
  const at: Place = { section: "prices", field: null };
  const months = `over ${counted(state.months, "month")}`;
  return [
    { name: "Prices", text: `${list}, ${months}`, at, isInChips: true },
    ...(own.length === 0
      ? []
      : [{ name: "Own prices", text: own.join(", "), at, isInChips: false }]),
  ];
}

/** What there is today as the question takes it: what the form filled in is there to be seen. */
function haveText({ search, state }: AskedOf): string {
  const have = haveOf(search, state);
  if (have === undefined) {
    return "not stated";
  }
  const { machines = 1, disks, flash_devices: flashes, usd_per_month: usd } = have;
  return [
    ...(machines > 1 ? [counted(machines, "machine")] : []),
    `${formatBytes(bytes(have.ram_bytes))} of RAM for pages`,
    `${disks} x ${have.disk_device_id}`,
    ...(have.flash_device_id == null
      ? []
      : [`${flashes} x ${have.flash_device_id} as flash cache`]),
    usd == null
      ? "cost not stated"
      : `${formatShort(Number(usd), DIGITS)} USD per month`,
  ].join(", ");
}

/** The parts of the question in the order of the form. */
export function askedParts(asked: AskedOf): readonly AskedPart[] {
  const { search, members, dirty } = asked;
  const isShared = members.length > 1;
  return [
    {
      name: "Goal",
      text: goalText(search, isShared),
      at: { section: null, field: "goal" },
      isInChips: false,
    },
    {
      name: isShared ? "Workloads" : "Workload",
      text: workloadText(asked),
      at: { section: "workloads", field: null },
      isInChips: !isShared,
    },
    limitsPart(search),
    ...(isShared
      ? []
      : [
          {
            name: "Today",
            text: haveText(asked),
            at: { section: "have", field: null } as const,
            isInChips: false,
          },
        ]),
    {
      name: "To buy or rent",
      text: candidatesText(search),
      at: { section: "candidates", field: null },
      isInChips: false,
    },
    ...pricesParts(asked),
    ...(dirty === undefined
      ? []
      : [
          {
            name: "Dirty share",
            text:
              dirty.stated === undefined
                ? asked.summary.dirty_share === null
                  ? "unknown"
                  : "as stated with the curve"
                : formatPercent(ratio(dirty.stated)),
            at: { section: null, field: "dirty_share" },
            isInChips: false,
          },
        ]),
  ];
}
