/** What several saved advices say, figure by figure. */
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import { isReplayJob, type ReplayJob } from "@/api/replay-checks";
import type { ScenarioOut } from "@/api/scenarios";
import { classNamed, NOT_FROM_COUNTERS } from "@/components/counters-note";
import {
  cheapestAndFastest,
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

/** The answer that is shown of a saved advice, and what decided it. */
export interface Decided {
  readonly found: AdviceOut;
  readonly by: string;
}

const BY_MODEL = "the model";

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
}

/** One figure of every advice. */
export interface Figure extends Written {
  readonly of: (side: Side, titles: Titles) => Value;
  /** Why it is not known. */
  readonly unknown?: (side: Side) => string;
}

export const NO_OPTION = "No option keeps every limit.";

const best =
  (value: (option: AdviceOptionOut) => Value) =>
  ({ found }: Side): Value =>
    found.recommendation === null ? null : value(found.recommendation);

/** A figure of the recommendation of each advice. */
const ofBest = ({ of, unknown, ...written }: OptionFigure): Figure => ({
  ...written,
  of: (side, titles) => best((option) => of(option, titles))(side),
  ...(unknown === undefined
    ? {}
    : {
        unknown: ({ found }: Side) =>
          found.recommendation === null
            ? NO_OPTION
            : unknown(found.recommendation, found),
      }),
});

/** In the order in which a decision reads them; replays where a recommendation has one. */
export const figures = (sides: readonly Side[] = []): readonly Figure[] => [
  { name: "Workload", of: ({ workload }) => workload },
  { name: "Decided by", of: ({ by }) => by },
  {
    name: "Evidence of the curve",
    of: ({ found }) => classNamed(found.cautions)?.title ?? NOT_FROM_COUNTERS,
  },
  {
    name: "Recommendation",
    of: ({ found }) => found.recommendation?.name ?? NO_OPTION,
  },
  ...optionFigures(
    sides.flatMap(({ found: { recommendation } }) =>
      recommendation === null ? [] : [recommendation],
    ),
  ).map(ofBest),
];

/** The finding above the figures: what costs least, and what is the fastest. */
export const besideFinding = (sides: readonly Side[]): string =>
  cheapestAndFastest(
    sides.map(({ scenario, found }) => ({
      name: scenario.name,
      option: found.recommendation,
    })),
    "Not every scenario has a recommendation with a cost and a time",
  );
