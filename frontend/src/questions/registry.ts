/**
 * The pages that answer a question, by the name that saved scenarios carry. The menu,
 * the search, the list of scenarios and the button that saves read this table.
 */
import type { ScenarioIn } from "@/api/gen/types.gen";
import { parseAdviceSearch } from "./advice";
import { parseCompareSearch } from "./compare";
import { parseDollarSearch } from "./dram-or-flash";
import { parseAnalysisSearch } from "./point";
import { parseSplitSearch } from "./pool-split";
import { parseMapSearch } from "./scheme-map";
import { parseSweepSearch } from "./simulate";
import { parseThroughputSearch } from "./throughput";
import { parseWearSearch } from "./wear";
import { parseCacheSearch } from "./what-to-cache";

export type Question = NonNullable<ScenarioIn["question"]>;

interface QuestionPage {
  readonly to: string;
  readonly label: string;
  /** Reads what the page adds to the address. */
  readonly parse: (raw: Record<string, unknown>) => object;
  /** Whether the sizes of the address are part of the question. */
  readonly sizes: "both" | "ram" | "none";
}

/** In the order of the menu. */
export const QUESTIONS = {
  advice: {
    to: "/advise",
    label: "Advise",
    parse: parseAdviceSearch,
    sizes: "none",
  },
  compare: {
    to: "/compare",
    label: "Compare",
    parse: parseCompareSearch,
    sizes: "both",
  },
  scheme_map: {
    to: "/scheme-map",
    label: "Scheme map",
    parse: parseMapSearch,
    sizes: "both",
  },
  pool_split: {
    to: "/pool-split",
    label: "Pool split",
    parse: parseSplitSearch,
    sizes: "ram",
  },
  dram_or_flash: {
    to: "/dram-or-flash",
    label: "DRAM or flash",
    parse: parseDollarSearch,
    sizes: "ram",
  },
  what_to_cache: {
    to: "/what-to-cache",
    label: "What to cache",
    parse: parseCacheSearch,
    sizes: "both",
  },
  wear: {
    to: "/wear",
    label: "Wear and recovery",
    parse: parseWearSearch,
    sizes: "both",
  },
  throughput: {
    to: "/throughput",
    label: "Throughput",
    parse: parseThroughputSearch,
    sizes: "both",
  },
  simulate: {
    to: "/simulate",
    label: "Simulate",
    parse: parseSweepSearch,
    sizes: "none",
  },
} as const satisfies Readonly<Record<Question, QuestionPage>>;

export const QUESTION_PATHS: ReadonlySet<string> = new Set(
  Object.values(QUESTIONS).map(({ to }) => to),
);

/** Everything that the address of a question's page may hold. */
export function parseQuestion(question: Question, raw: Record<string, unknown>) {
  const search = parseAnalysisSearch(raw);
  const own = QUESTIONS[question].parse({ ...raw, refused: search.refused });
  return { ...search, ...own };
}

/** What a scenario keeps; one of an earlier version keeps its cold start. */
export const ofScenario = (
  state: Record<string, unknown>,
): Record<string, unknown> => ({
  start: "cold",
  ...state,
});

/** Where a saved scenario is opened again: its page, in its state. */
export const scenarioLink = (scenario: {
  readonly id: string;
  readonly question: Question;
  readonly state: Record<string, unknown>;
}) => ({
  to: QUESTIONS[scenario.question].to,
  search: {
    ...parseQuestion(scenario.question, ofScenario(scenario.state)),
    scenario: scenario.id,
  },
});

/** What an address says of the page itself, not of its question. */
const NOT_KEPT: ReadonlySet<string> = new Set(["refused", "scenario"]);

/** Results on the screen, and what is looked at in them: without them the question is the same. */
const RESULTS: ReadonlySet<string> = new Set([
  "split",
  "sweep",
  "checked",
  "selected",
  "pins",
]);

type State = Readonly<Record<string, unknown>>;

/** Whether two kept states ask the same. */
export function isSameQuestion(one: State, other: State): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every(
    (key) =>
      RESULTS.has(key) || JSON.stringify(one[key]) === JSON.stringify(other[key]),
  );
}

/** What a scenario keeps of an address: what the page reads, and nothing that is absent. */
export const keptState = (
  question: Question,
  search: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parseQuestion(question, search)).filter(
      ([key, value]) => value !== undefined && !NOT_KEPT.has(key),
    ),
  );
