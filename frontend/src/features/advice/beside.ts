/** What several saved advices say, figure by figure. */
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
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

/** A saved advice and its answer now. */
export interface Side {
  readonly scenario: Pick<ScenarioOut, "id" | "name">;
  readonly workload: string;
  readonly found: AdviceOut;
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
  ...optionFigures().map(ofBest),
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
