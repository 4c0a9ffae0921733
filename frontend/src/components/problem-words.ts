/**
 * A problem of the server in the words of the page: fields by their names instead of
 * places in a request, pages instead of paths of the interface, no code signs. By rules
 * over whatever the server says, so that a new field or message needs nothing here.
 */
import type { Problem, ProblemEntry } from "@/api/problem";

/** Fields whose name on the page is another one than that of the request. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  accesses_per_s: "accesses per second",
  amortisation_months: "months of amortisation",
  cache_pages: "cache size",
  clients: "clients",
  components: "component",
  columns: "column mapping",
  content_id: "content",
  data_bytes: "size of the data",
  device_bytes: "size of the device",
  disk_device_id: "disk device",
  flash_device_id: "flash device",
  flash_metadata: "flash metadata in RAM",
  flash_pages: "flash size",
  joined_page_bytes: "size of joined pages",
  members_apart: "files of the archive, each with separate devices",
  members_merged: "files of the archive, merged by time",
  new_pages: "pages newly allocated while recording",
  page_bytes: "page size",
  price_book_id: "price book",
  ram_device_id: "RAM device",
  ram_pages: "RAM size",
  skip_bad_records: "bad records to skip",
  text: "lines of the curve",
  upload_id: "upload",
  usd: "sum",
  workload_id: "workload",
};

/** Abbreviations that keep their capitals. */
const CAPITALS: Readonly<Record<string, string>> = {
  api: "API",
  cpu: "CPU",
  csv: "CSV",
  dram: "DRAM",
  dwpd: "DWPD",
  hdd: "HDD",
  io: "I/O",
  iops: "IOPS",
  lru: "LRU",
  ram: "RAM",
  sce: "SCE",
  tbw: "TBW",
  url: "address",
  usd: "USD",
};

/** Units that end a name of a field; the field beside the number shows its own. */
const UNIT = /(?<!_per)_(?:id|pages|bytes|us|ns|ms|s|gib|mib)$/;
/** A rate is not one without what it is by. */
const PER: Readonly<Record<string, string>> = { s: "second", h: "hour" };

const sentenceCase = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1);

/** "flash_read_us" -> "flash read" */
function partName(part: string): string {
  const known = FIELD_NAMES[part];
  if (known !== undefined) {
    return known;
  }
  if (/^\d+$/.test(part)) {
    return `entry ${Number(part) + 1}`;
  }
  const bare = part.replace(UNIT, "");
  return (bare === "" ? part : bare)
    .replace(/(?<=_per_)[sh]$/, (unit) => PER[unit] ?? unit)
    .split(/[_-]/)
    .map((word) => CAPITALS[word] ?? word)
    .join(" ");
}

const ROOTS = new Set(["body", "query", "path", "header", "cookie"]);

/** "body.columns.time" -> "Column mapping: time" */
export function placeName(where: string): string {
  const parts = where
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((part, at) => part !== "" && !(at === 0 && ROOTS.has(part)))
    .map(partName);
  return parts.length === 0 ? "The request" : sentenceCase(parts.join(": "));
}

/** The page on which the things of a path are found. */
const PAGES: Readonly<Record<string, string>> = {
  catalog: "Hardware",
  "device-imports": "Hardware",
  "tier-costs": "Hardware",
  evaluations: "Compare",
  simulations: "Compare",
  "flash-choices": "Compare",
  directories: "Compare",
  "scheme-maps": "Scheme map",
  "pool-splits": "Pool split",
  "pool-advisors": "Pool split",
  "break-evens": "DRAM or flash",
  wear: "Wear and recovery",
  recovery: "Wear and recovery",
  "device-health": "Wear and recovery",
  "transaction-writes": "Wear and recovery",
  "transaction-replays": "Wear and recovery",
  sce: "Wear and recovery",
  throughputs: "Throughput",
  "response-times": "Throughput",
  "response-replays": "Throughput",
  sweeps: "Simulate",
  miniatures: "Simulate",
  simulator: "Simulate",
  formulas: "Formulas",
  runs: "Runs",
  scenarios: "Scenarios",
  "curve-kinds": "Paste a curve",
  "description-kinds": "Describe a workload",
};
const USUAL_PAGE = "Workloads";

const METHOD = "(?:GET|POST|PUT|PATCH|DELETE) ";
const PATH = `\`?(?:${METHOD}(?:/api/v1)?|/api/v1)/([a-z][a-z-]*(?:\\.json)?)(?:/[\\w{}~%-]+)*\`?`;
/** "Follow it: GET /x" and "uploaded with tus at /x" say where something is done. */
const DONE_AT = new RegExp(`(?:: | (?:with tus )?at )${PATH}`, "g");
const AT_START = new RegExp(`(^|[.!?] )${PATH}`, "g");
const NAMED = new RegExp(PATH, "g");

const pageName = (first: string): string =>
  first.endsWith(".json") ? "API documentation" : `${PAGES[first] ?? USUAL_PAGE} page`;

/** "GET /api/v1/runs lists them." -> "The Runs page lists them." */
const withoutPaths = (text: string): string =>
  text
    .replaceAll(DONE_AT, (_, first: string) => ` on the ${pageName(first)}`)
    .replaceAll(
      AT_START,
      (_, before: string, first: string) => `${before}The ${pageName(first)}`,
    )
    .replaceAll(NAMED, (_, first: string) => `the ${pageName(first)}`);

/** What the checks of the server say, in words. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Field required$/, "is missing"],
  [/^Extra inputs are not permitted$/, "is not recognised"],
  [/^String should match pattern .*$/s, "has the wrong format"],
  [/^String should have at least (\d+) characters?$/, "needs at least $1 characters"],
  [/^String should have at most (\d+) characters?$/, "has more than $1 characters"],
  [
    /^(?:List|Dictionary|Tuple) should have at least (\d+) items?.*$/,
    "needs at least $1 entries",
  ],
  [
    /^(?:List|Dictionary|Tuple) should have at most (\d+) items?.*$/,
    "has more than $1 entries",
  ],
  [/^Input should be greater than or equal to (\S+)$/, "must be at least $1"],
  [/^Input should be less than or equal to (\S+)$/, "must be at most $1"],
  [/^Input should be greater than (\S+)$/, "must be more than $1"],
  [/^Input should be less than (\S+)$/, "must be less than $1"],
  [/^Input should be a valid integer.*$/, "must be a whole number"],
  [/^Input should be a (?:valid|finite) (?:number|decimal).*$/, "must be a number"],
  [
    /^Input should be a valid (?:string|boolean|list|dictionary|date|datetime)\b.*$/,
    "has the wrong type",
  ],
  [/^Input should be (.*)$/, "must be $1"],
  [/^Value error, /, ""],
];

function plainMessage(message: string): string {
  for (const [pattern, words] of MESSAGES) {
    if (pattern.test(message)) {
      return message.replace(pattern, words);
    }
  }
  return message;
}

const REQUEST_PLACE = /\b(?:body|query|path)((?:\.[A-Za-z_][\w-]*|\.\d+|\[\d+\])+)/g;
/** "ram_pages: `-1` must be ..." begins with the field it speaks of. */
const FIELD_AT_START = /^((?:[a-z][a-z0-9]*_[a-z0-9_]+)(?:\.[\w]+)*): /;
const QUOTED_FIELD = /`([a-z][a-z0-9]*(?:_[a-z0-9]+)+)`/g;

/** One text of the server as the page says it; values in backticks stand plain. */
export function plainWords(text: string): string {
  return withoutPaths(
    text
      .replace(
        "Correct the values listed under `errors` and send the request again",
        "Correct what is listed here and try again",
      )
      .replaceAll(REQUEST_PLACE, (_, rest: string) => placeName(`body${rest}`))
      .replace(FIELD_AT_START, (_, field: string) => `${placeName(field)}: `),
  )
    .replaceAll(QUOTED_FIELD, (whole, field: string) =>
      FIELD_NAMES[field] === undefined ? whole : `“${placeName(field)}”`,
    )
    .replaceAll(/`([^`]*)`/g, (_, value: string) =>
      /^[\w.,%+-]*\d[\w.,%+-]*$/.test(value) ? value : `“${value}”`,
    );
}

function plainEntry(entry: ProblemEntry): ProblemEntry {
  return {
    ...entry,
    where: placeName(entry.where),
    message: plainWords(plainMessage(entry.message)),
  };
}

const LISTED_HINT = "Correct the values listed under `errors`";

/** What is wrong with a value, where its own field says it: with what to do, unless that is to correct it. */
export function sayEntry(entry: ProblemEntry, hint: string | null): string {
  const { message } = plainEntry(entry);
  const value = entry.value === null || entry.value === "" ? "" : `${entry.value} `;
  const todo =
    hint === null || hint.startsWith(LISTED_HINT) ? "" : `; ${plainWords(hint)}`;
  return `${value}${message}${todo}`;
}

/** A problem as the page says it. */
export function plainProblem(problem: Problem): Problem {
  const [first] = problem.errors;
  // The first of the entries again, which stand below.
  const repeats =
    first !== undefined && `: ${problem.detail}`.includes(`: ${first.where}: `);
  return {
    ...problem,
    title: plainWords(problem.title),
    detail: repeats ? "" : plainWords(problem.detail),
    hint: problem.hint === null ? null : plainWords(problem.hint),
    errors: problem.errors.map(plainEntry),
  };
}
