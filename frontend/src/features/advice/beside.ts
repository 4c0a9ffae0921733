/** What the answers to several saved questions say, figure by figure. */
import type { AdviceOut } from "@/api/advice";
import type { PlacementOut } from "@/api/placements";
import { isReplayJob, type ReplayJob } from "@/api/replay-checks";
import type { ScenarioOut } from "@/api/scenarios";
import {
  classNamed,
  isFromCounters,
  NOT_FROM_COUNTERS,
} from "@/components/counters-note";
import { listed } from "@/units/quantity";
import {
  cheapestAndFastest,
  type Judged,
  machinesLacking,
  type OptionFigure,
  optionFigures,
  type Value,
  type Written,
} from "./option-figures";
import type { Titles } from "./option-parts";

/** The check of an advice, where the saved state names one. */
export interface SavedCheck {
  /** Id of the advice that was checked; absent: none was. */
  readonly named: string | undefined;
  /** What the server says of its replays; absent until it is known, and where it was not asked. */
  readonly found: AdviceOut | ReplayJob | undefined;
  readonly error: Error | null;
}

/** The answer that is shown of a saved question, and what decided it. */
export interface Decided {
  /** Of one workload, or of several. */
  readonly found: AdviceOut | PlacementOut;
  readonly by: string;
}

const BY_MODEL = "the model";
const NOT_OF_ALL = "It is not known of every system.";

const isOfSeveral = (found: Decided["found"]): found is PlacementOut =>
  "systems" in found;

/** The answer for several workloads, which no replay checks. */
export const placed = (found: PlacementOut): Decided => ({ found, by: BY_MODEL });

/** Whether the check that a state names is that of its answer now. */
export const isChecked = (model: AdviceOut | undefined, named: string | undefined) =>
  named !== undefined && model?.advice_id === named;

/** By the replays of a check where there is one, else by the model, with the reason; null while that is not known. */
export function decided(model: AdviceOut, check: SavedCheck): Decided | null {
  const byModel = (reason: string) => ({
    found: model,
    by: reason === "" ? BY_MODEL : `${BY_MODEL}: ${reason}`,
  });
  if (check.named === undefined) {
    return byModel("");
  }
  if (!isChecked(model, check.named)) {
    return byModel(
      "the check that was saved is of another answer than that of today, so it is not shown",
    );
  }
  if (check.error !== null) {
    return byModel(`the check that was saved is gone (${check.error.message})`);
  }
  if (check.found === undefined) {
    return null;
  }
  return isReplayJob(check.found)
    ? byModel(
        "the replays of the check that was saved are gone and are being made again; open this page again when their run has ended",
      )
    : { found: check.found, by: "replays" };
}

/** A saved advice and its answer now. */
export interface Side extends Decided {
  readonly scenario: Pick<ScenarioOut, "id" | "name">;
  readonly workload: string;
  /** What was asked for, and within which limits, in words. */
  readonly goal: string;
  readonly limits: string;
}

/** One figure of every advice. */
export interface Figure extends Written {
  readonly of: (side: Side, titles: Titles) => Value;
  /** Why it is not known. */
  readonly unknown?: (side: Side) => string;
}

export const NO_OPTION = "No option keeps every limit.";

const EACH_ITS_OWN = "Each system has its own: open the scenario to see it.";

const isWithout = (found: Decided["found"]): boolean =>
  isOfSeveral(found) ? found.systems.length === 0 : found.recommendation === null;

/** A figure of the recommendation of each question. */
const ofBest = ({ of, unknown, ofAll, ...written }: OptionFigure): Figure => ({
  ...written,
  of: ({ found }, titles) => {
    if (isWithout(found)) {
      return null;
    }
    if (isOfSeveral(found)) {
      return ofAll?.(found, titles) ?? null;
    }
    return found.recommendation === null ? null : of(found.recommendation, titles);
  },
  unknown: ({ found }) => {
    if (isWithout(found)) {
      return NO_OPTION;
    }
    if (isOfSeveral(found)) {
      return ofAll === undefined ? EACH_ITS_OWN : NOT_OF_ALL;
    }
    return found.recommendation === null || unknown === undefined
      ? NO_OPTION
      : unknown(found.recommendation, found);
  },
});

/** What is recommended, by its name; of several workloads each system, with those that it carries. */
const recommended = (found: Decided["found"]): string =>
  isWithout(found)
    ? NO_OPTION
    : isOfSeveral(found)
      ? found.systems
          .map(
            ({ option, workloads }) =>
              `${option.name} for ${listed(workloads.map(({ name }) => name))}`,
          )
          .join("; ")
      : (found.recommendation?.name ?? NO_OPTION);

const EVIDENCE: Figure = {
  name: "Evidence of the curve",
  of: ({ found }) => classNamed(found.cautions)?.title ?? NOT_FROM_COUNTERS,
};

/** In the order in which a decision reads them; replays where a recommendation has one. */
export const figures = (sides: readonly Side[] = []): readonly Figure[] => [
  { name: "Workload", of: ({ workload }) => workload },
  { name: "Goal", of: ({ goal }) => goal },
  { name: "Limits", of: ({ limits }) => limits },
  { name: "Decided by", of: ({ by }) => by },
  // Of recordings alone it would say nothing.
  ...(sides.some(({ found }) => isFromCounters(found.cautions)) ? [EVIDENCE] : []),
  {
    name: "Recommendation",
    of: ({ found }) => recommended(found),
  },
  ...optionFigures(
    sides.flatMap(({ found }) =>
      isOfSeveral(found)
        ? found.systems.map(({ option }) => option)
        : found.recommendation === null
          ? []
          : [found.recommendation],
    ),
  ).map(ofBest),
];

/** How many machines the cost of what is recommended lacks. */
export function withoutMachines({ found }: Pick<Decided, "found">): number {
  if (isOfSeveral(found)) {
    return machinesLacking(found);
  }
  return found.recommendation === null ? 0 : machinesLacking(found.recommendation);
}

const judged = (found: Decided["found"]): Judged | null =>
  isOfSeveral(found)
    ? { ...found, replayed_io_time_us_per_access: null }
    : found.recommendation;

/** The finding above the figures: what costs least, and what takes the least I/O time. */
export const besideFinding = (sides: readonly Side[]): string =>
  cheapestAndFastest(
    sides.map(({ scenario, found }) => ({
      name: scenario.name,
      option: isWithout(found) ? null : judged(found),
    })),
    "Not every scenario has a recommendation with a cost and a time",
  );
