import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import { counted, formatPercent, ratio } from "@/units/quantity";
import { limitTitle, runsCache } from "./words";

/** At most so many options are replayed: the recommendation, and what was close to it. */
export const MOST_FINALISTS = 5;

export type CheckedRow = AdviceOut["checked"][number];

/** What is replayed, before it is: the model beside what is not known yet. */
export function finalists(found: AdviceOut): readonly CheckedRow[] {
  if (found.recommendation === null) {
    return [];
  }
  return [found.recommendation, ...found.alternatives]
    .slice(0, MOST_FINALISTS)
    .map((option) => ({
      option,
      model: option.io_time_us_per_access,
      simulated: null,
      gap: null,
      is_beyond_band: false,
      reason: "It has not been replayed yet.",
      band: null,
      warnings: [],
      flash_life_years: null,
    }));
}

const isReplayed = ({ simulated }: CheckedRow): boolean => simulated !== null;

/** Why a row with a model and a replay has no gap. */
export const FIRST_TOUCHES =
  "Its replay shows first touches alone, for the recording does not fill its RAM: how long an access takes is by the model.";

const isOfFirstTouches = ({ model, simulated, gap }: CheckedRow): boolean =>
  model !== null && simulated !== null && gap === null;

/** Whether a row is that of the recommendation. */
export const isChoice = (
  found: Pick<AdviceOut, "recommendation">,
  { option }: CheckedRow,
): boolean =>
  option.name === found.recommendation?.name &&
  option.kind === found.recommendation.kind &&
  option.scheme === found.recommendation.scheme;

/** I/O time of an access of the recommendation by its replay; null where there is none. [µs] */
export const replayedTime = (
  found: Pick<AdviceOut, "recommendation" | "checked">,
): number | null =>
  found.checked.find((row) => isChoice(found, row))?.simulated ?? null;

/** Whether a replay may find that something keeps every limit, or did not, where the model recommends nothing. */
export const mayBeCarried = (found: AdviceOut): boolean =>
  found.recommendation === null &&
  !found.checked.some(isReplayed) &&
  (found.beyond_page_flow > 0 ||
    found.near_misses > 0 ||
    found.flash_caches.length > 0);

/** Whether the recommendation breaks a limit by the model, and its own replay admits it. */
export const isByReplayAlone = (
  found: Pick<AdviceOut, "recommendation" | "checked" | "flash_caches">,
): boolean => {
  const best = found.recommendation;
  const row = found.checked.find((each) => isChoice(found, each));
  return (
    !runsCache(found) &&
    best !== null &&
    best.io_time_us_per_access === best.replayed_io_time_us_per_access &&
    row !== undefined &&
    row.model !== best.io_time_us_per_access
  );
};

/** Figures of an option that are those of its replay: some of the recommendation alone, and none where that stands by the model. */
export function replayedFigures(
  found: AdviceOut,
  option: AdviceOptionOut,
): ReadonlySet<string> {
  if (option !== found.recommendation) {
    return new Set();
  }
  const counted = [
    "io_time_us_per_access",
    "peak_busy",
    "throughput_accesses_per_s",
    "flash_life_years",
  ];
  if (runsCache(found)) {
    return new Set([...counted, "ram_hit_share", "flash_hit_share", "disk_share"]);
  }
  return new Set(isByReplayAlone(found) ? counted : []);
}

/** Whose figures those of the recommendation are. */
export function figuresBasis(found: AdviceOut): string {
  const unknown = "– is unknown, with its reason on hover or focus.";
  if (runsCache(found)) {
    return `Of the recommendation, by its replay; power and space by its parts; ${unknown}`;
  }
  return isByReplayAlone(found)
    ? `Of the recommendation: I/O time, busy share, throughput and life of the flash by its replay, the rest by the model; ${unknown}`
    : `Of the recommendation, by the model${replayedTime(found) === null ? "" : ", which its replay was held against"}; ${unknown}`;
}

const says = (found: AdviceOut, code: string): boolean =>
  found.cautions.some((caution) => caution.code === code);

/** Whether anything was replayed, also what is in no table: options that the model rules out by less than its error. */
export const isAnythingReplayed = (
  found: Pick<AdviceOut, "checked" | "flash_caches" | "near_misses_replayed">,
): boolean =>
  found.checked.some(isReplayed) ||
  isAnyReplayed(found.flash_caches) ||
  found.near_misses_replayed > 0;

/** What a replay may find, or did not, where the model finds nothing. */
function nothingYet(found: AdviceOut): string {
  if (found.status === "model") {
    return found.near_misses > 0
      ? "A replay may find that an option keeps every limit"
      : "A flash cache may keep every limit where page flow does not";
  }
  if (!isAnythingReplayed(found)) {
    return "Nothing that a replay might admit could be replayed";
  }
  return found.near_misses_replayed > 0
    ? "Nothing that was replayed keeps every limit either"
    : "By the replay, no flash cache keeps every limit either";
}

/** What the replays say of the advice, from their figures. */
export function checkFinding(found: AdviceOut): string {
  const { checked } = found;
  if (mayBeCarried(found)) {
    return nothingYet(found);
  }
  if (checked.length === 0) {
    return "Not replayed yet";
  }
  if (!checked.some(isReplayed)) {
    return "No finalist could be replayed";
  }
  if (found.recommendation === null) {
    return "By the replay, no finalist keeps every limit";
  }
  const cache = found.flash_caches.find((row) => row.is_chosen);
  if (cache !== undefined) {
    return `By the replay, ${cache.title} runs the recommendation better than page flow`;
  }
  if (says(found, "replay_breaks_load")) {
    return "By the replay, no finalist keeps every limit";
  }
  if (says(found, "replay_changes_choice")) {
    return "The replay changes the recommendation";
  }
  if (replayedTime(found) === null) {
    return "The recommendation could not be replayed; what was close could";
  }
  const beyond = checked.filter((row) => row.is_beyond_band).length;
  if (beyond > 0) {
    return `The replay keeps the recommendation, but ${counted(beyond, "gap is", "gaps are")} larger than the known error`;
  }
  return checked.some((row) => isChoice(found, row) && isOfFirstTouches(row))
    ? "By its replay, the recommendation keeps its limits; how long an access takes is by the model"
    : "The replay confirms the recommendation";
}

export type CacheRow = AdviceOut["flash_caches"][number];

/** What the replays of flash caches on the hardware of the recommendation say; nothing where there was none. */
export function cachesFinding(rows: readonly CacheRow[]): string | null {
  const first = rows.find((row) => row.io_time_us_per_access !== null);
  if (first === undefined) {
    return rows.length > 0 ? "No flash cache could be replayed" : null;
  }
  const chosen = rows.find((row) => row.is_chosen);
  if (chosen !== undefined) {
    return chosen.saving !== null && chosen.saving > 0
      ? `${chosen.title} saves ${formatPercent(ratio(chosen.saving))} of the I/O time of page flow`
      : `${chosen.title} carries the load where page flow does not`;
  }
  return rows.some(
    (row) => row.io_time_us_per_access !== null && row.breaks.length === 0,
  )
    ? "No flash cache is clearly better than page flow here"
    : "No flash cache is known to keep every limit here";
}

/** Whether any of some flash caches was replayed. */
export const isAnyReplayed = (rows: readonly CacheRow[]): boolean =>
  rows.some((row) => row.io_time_us_per_access !== null);

/** How flash caches were replayed; where none was, why: each reason once. */
export function cachesBasis(
  rows: readonly CacheRow[],
  places: number,
): readonly string[] {
  if (isAnyReplayed(rows)) {
    return [
      `Flash caches have no formula: each was replayed on ${places > 1 ? "the hardware that is named" : "this hardware"}, with the RAM that its metadata leave where a figure of them is published.`,
    ];
  }
  const groups = byReason(rows.map(({ title, reason }) => [title, reason]));
  return groups.length === 1
    ? groups.map(([reason]) => reason)
    : groups.map(([reason, titles]) => `${titles.join(", ")}: ${reason}`);
}

const SHARE = /\d[\d,.]*(?= %)/g;

/** Names by the reason that holds of them; reasons that differ in shares alone are one, with the range of each share. */
export function byReason(
  said: readonly (readonly [name: string, reason: string])[],
): readonly (readonly [reason: string, names: readonly string[]])[] {
  const groups = Map.groupBy(said, ([, reason]) => reason.replace(SHARE, ""));
  return [...groups.values()].map((group) => [
    inOne(group.map(([, reason]) => reason)),
    [...new Set(group.map(([name]) => name))],
  ]);
}

function inOne(reasons: readonly string[]): string {
  const shares = reasons.map((reason) => reason.match(SHARE) ?? []);
  let column = 0;
  return (reasons[0] ?? "").replace(SHARE, () => {
    const own = shares
      .map((each) => each[column] ?? "")
      .toSorted((a, b) => sizeOf(a) - sizeOf(b));
    column += 1;
    return [...new Set([own[0], own.at(-1)])].join(" % to ");
  });
}

const sizeOf = (share: string): number => Number(share.replaceAll(",", ""));

/** By which factors recorded times were multiplied for what works by the clock: each sentence once. */
export const pacesOf = (rows: readonly CacheRow[]): readonly string[] => [
  ...new Set(rows.map(({ pace }) => pace).filter(Boolean)),
];

/** The assignments that flash caches were replayed behind, by what each tells apart. */
export const assignments = (rows: readonly CacheRow[]): readonly string[] => [
  ...new Set(
    rows
      .filter(({ assignment }) => assignment !== "")
      .map((row) => `Admission by ${row.admission_by}: ${row.assignment}.`),
  ),
];

const LONGEST = 400;

/** With which options a simulation runs the recommendation behind its assignment; null where there is none. */
export function runSo({ recommendation }: Pick<AdviceOut, "recommendation">) {
  const options = Object.entries(recommendation?.options ?? {});
  if (recommendation === null || options.length === 0) {
    return null;
  }
  const stated = options.map(([name, value]) => `${name}=${value}`).join(", ");
  const said =
    stated.length > LONGEST
      ? `categories=${recommendation.options["categories"]}, and the assignment that the JSON of this answer has in recommendation.options`
      : stated;
  return `Run ${recommendation.scheme} so: ${said}.`;
}

/** What replays say of what they counted, each once with the replays that say it. */
export function notesOfReplays(
  checked: readonly CheckedRow[],
  caches: readonly CacheRow[],
): readonly string[] {
  const names = new Map<string, Set<string>>();
  const said = [
    ...checked.map((row) => ({ name: row.option.name, notes: row.warnings })),
    ...caches.map((row) => ({
      name: `${row.title} on ${row.hardware}`,
      notes: row.warnings,
    })),
  ];
  for (const { name, notes } of said) {
    for (const { message, hint } of notes) {
      const text = hint ? `${message}; ${hint}` : message;
      names.set(text, (names.get(text) ?? new Set()).add(name));
    }
  }
  return [...names].map(([text, of]) => `${[...of].join(", ")}: ${text}.`);
}

/** Whether a flash cache may run the recommendation, or why it may not. */
export function cacheVerdict(row: CacheRow): string {
  if (row.is_chosen) {
    return "recommended";
  }
  const broken = row.breaks.filter((name) => countedOf(row, name) !== null);
  const unknown = row.breaks.filter((name) => countedOf(row, name) === null);
  const said = [
    ...(broken.length > 0 ? [`breaks: ${broken.map(limitTitle).join(", ")}`] : []),
    ...(unknown.length > 0
      ? [`not known to keep: ${unknown.map(limitTitle).join(", ")}`]
      : []),
  ];
  return said.length === 0 ? "keeps every limit" : said.join("; ");
}

/** What the replay of a flash cache counted of what a limit is stated on; null where nothing. */
function countedOf(row: CacheRow, limit: string): number | null {
  switch (limit) {
    case "peak_busy":
    case "throughput_accesses_per_s":
      return row.peak_busy;
    case "io_time_us_per_access":
      return row.io_time_us_per_access;
    case "flash_life_years":
      return row.flash_life_years;
    default:
      return null;
  }
}

/** What the model rules out by less than it may be off; nothing where that is none. */
function nearMisses({ near_misses: many }: AdviceOut): readonly string[] {
  return many === 0
    ? []
    : [
        `${counted(many, "option that would be better breaks", "options that would be better break")} a limit by less than the model may be off: ${many === 1 ? "it is" : "they are"} replayed too.`,
      ];
}

/** What was replayed where nothing is recommended, and none of it keeps every limit. */
function triedInVain(found: AdviceOut): string {
  const { near_misses: near, near_misses_replayed: many, flash_caches: rows } = found;
  const options =
    many > 0
      ? [
          `${counted(many, "option that breaks a limit by less than the model may be off was", "options that break a limit by less than the model may be off were")} replayed: ${many === 1 ? "it does not keep" : "none keeps"} every limit.`,
        ]
      : near > 0
        ? [
            `${counted(near, "option that breaks a limit by less than the model may be off was", "options that break a limit by less than the model may be off were")} not replayed.`,
          ]
        : [];
  const caches =
    rows.length > 0
      ? ["Flash caches were tried where page flow alone breaks a limit."]
      : found.beyond_page_flow > 0
        ? ["No flash cache was tried where page flow alone breaks a limit."]
        : [];
  return [...options, ...caches].join(" ");
}

/** What was replayed, and how many of the finalists. */
export function checkBasis(found: AdviceOut, isRecording: boolean): string {
  const { checked } = found;
  if (mayBeCarried(found) && found.status === "checked") {
    return triedInVain(found);
  }
  if (mayBeCarried(found)) {
    const places = found.beyond_page_flow;
    const byCache = `Page flow alone breaks a limit on ${counted(places, "kind of hardware", "kinds of hardware")} where a flash cache may keep it: each that is a candidate is replayed there.`;
    return [...(places > 0 ? [byCache] : []), ...nearMisses(found)].join(" ");
  }
  const at = isRecording
    ? "each at the sizes of the recording that correspond"
    : "each at its own sizes";
  if (checked.length === 0) {
    return [
      `The recommendation and what was close to it are replayed in the background, ${at}; at most ${counted(MOST_FINALISTS, "option")}. The replays then decide among them.`,
      ...nearMisses(found),
    ].join(" ");
  }
  const done = checked.filter(isReplayed).length;
  return `${done} of ${counted(checked.length, "finalist")} ${done === 1 || checked.length === 1 ? "was" : "were"} replayed in the reference simulator, ${at}.`;
}

/** What to know beside the figures of the replays, and why some were not made; nothing before. */
export function checkNotes(found: AdviceOut): readonly string[] {
  const { checked } = found;
  return [
    ...(checked.some((row) => row.is_beyond_band)
      ? ["▲ marks a gap beyond the known error of the model."]
      : []),
    ...(checked.some(isReplayed)
      ? [
          runsCache(found)
            ? "The other figures of the options are those of the model, but for the flash cache that is recommended."
            : isByReplayAlone(found)
              ? "The other figures of the options are those of the model, but for the busy share, the throughput and the life of flash of the recommendation."
              : "The other figures of the options are those of the model.",
        ]
      : []),
    ...(checked.some(isOfFirstTouches)
      ? [
          `A dash as gap: ${FIRST_TOUCHES.charAt(0).toLowerCase()}${FIRST_TOUCHES.slice(1)}`,
        ]
      : []),
    ...reasonsOf(checked),
  ];
}

/** Why some were not replayed: where none was there is no table whose dashes could state it. */
function reasonsOf(checked: readonly CheckedRow[]): readonly string[] {
  const groups = byReason(
    checked
      .filter((row) => !isReplayed(row))
      .map(({ option, reason }) => [option.name, reason]),
  );
  const reasons = groups.map(([reason]) => reason);
  if (reasons.length <= 1) {
    return reasons;
  }
  return checked.some(isReplayed)
    ? [...reasons.slice(0, 1), "The dash of each other option states its reason."]
    : groups.map(([reason, names]) => `${names.join("; ")}: ${reason}`);
}
