export interface ProblemEntry {
  readonly where: string;
  readonly value: string | null;
  /** The value as it was sent, for those who use it as data. */
  readonly data: unknown;
  readonly message: string;
}

/** An error as the page shows it: RFC 9457 with this product's `hint` and `errors`. */
export interface Problem {
  readonly title: string;
  readonly status: number | null;
  readonly detail: string;
  readonly hint: string | null;
  readonly errors: readonly ProblemEntry[];
}

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail === "" ? problem.title : problem.detail);
    this.name = "ProblemError";
    this.problem = problem;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;

function entryOf(value: unknown): ProblemEntry[] {
  if (!isRecord(value)) {
    return [];
  }
  const shown = value["value"];
  return [
    {
      where: text(value["where"]) ?? "request",
      value:
        shown === undefined || shown === null
          ? null
          : typeof shown === "string"
            ? shown
            : Array.isArray(shown)
              ? shown.join(", ")
              : JSON.stringify(shown),
      data: shown,
      message: text(value["message"]) ?? "is not valid",
    },
  ];
}

/** The problem in a response body; `status` is used where the body has none. */
export function problemOfBody(body: unknown, status: number | null): Problem {
  const record = isRecord(body) ? body : {};
  const entries = Array.isArray(record["errors"]) ? record["errors"] : [];
  return {
    title: text(record["title"]) ?? "The request failed",
    status: typeof record["status"] === "number" ? record["status"] : status,
    detail:
      text(record["detail"]) ??
      (status === null
        ? "The server could not be reached."
        : `The server answered with status ${status}.`),
    hint:
      text(record["hint"]) ??
      (status === null
        ? "Check that `tierwright serve` is running, then try again."
        : null),
    errors: entries.flatMap(entryOf),
  };
}

export function toProblem(error: unknown): Problem {
  if (error instanceof ProblemError) {
    return error.problem;
  }
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) {
    return problemOfBody(null, null);
  }
  return {
    title: "Something went wrong",
    status: null,
    detail: error instanceof Error ? error.message : String(error),
    hint: isRecord(error) ? text(error["hint"]) : null,
    errors: [],
  };
}
