/** A POST that makes something is sent under one key however often it is sent. */

const API = "/api/v1";
export const KEY = "Idempotency-Key";

/**
 * The operations that make another thing each time. What is computed once, whoever asks, needs
 * no key, nor has an upload that was begun twice any effect. A test holds this list against the
 * API's document.
 */
export const MAKING: readonly string[] = [
  "/catalog/devices",
  "/catalog/devices/{device_id}/copy",
  "/catalog/price-books",
  "/uploads/register",
  "/workloads",
  "/workloads/from-profile",
  "/workloads/from-curve",
  "/workloads/from-description",
  "/workloads/from-composition",
  "/workloads/from-measurements",
  "/workloads/{workload_id}/scaled",
  "/workloads/{workload_id}/read-again",
  "/scenarios",
  "/advice-templates",
];

const MAKES = MAKING.map(
  (path) => new RegExp(`^${API}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
);

/** Two clicks that are one double click are no further apart. [ms] */
const DOUBLE_CLICK_MS = 500;
/** How long the same request is taken for another attempt after its answer was lost. [ms] */
const LOST_MS = 600_000;
/** How often, and after how long unless told, the outcome of an earlier sending is asked for. */
const MOST_WAITS = 5;
const WAIT_MS = 1000;

type Send = (request: Request) => Promise<Response>;

interface Sending {
  readonly key: string;
  /** When the key ends. [ms since 1970] */
  until: number;
}

/** `crypto.randomUUID` is there over HTTPS and on this machine alone. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * A `fetch` that gives what is made its key.
 *
 * The same request has the same key while it is under way, after a connection that was lost
 * or a failure of the server (it may have been made), and within a double click. Once it is
 * answered, asking for the same again makes another one.
 */
export function sendOnce(send: Send = (request) => fetch(request)): Send {
  const sendings = new Map<string, Sending>();
  return async (request) => {
    if (!makes(request)) {
      return send(request);
    }
    const body = await request.text();
    const asked = `${request.url}\n${body}`;
    const sending = begun(sendings, asked);
    const { response, underWay } = await outcome(
      send,
      () =>
        new Request(request.url, {
          method: request.method,
          headers: [...request.headers, [KEY, sending.key]],
          body: body === "" ? null : body,
          signal: request.signal,
        }),
    );
    if (response.ok) {
      sending.until = Date.now() + DOUBLE_CLICK_MS;
    } else if (response.status < 500 && !underWay) {
      sendings.delete(asked);
    }
    return response;
  };
}

const makes = (request: Request): boolean =>
  request.method === "POST" &&
  MAKES.some((path) => path.test(new URL(request.url).pathname));

/** The sending of a request, a new one unless its outcome is still open; others end. */
function begun(sendings: Map<string, Sending>, asked: string): Sending {
  const now = Date.now();
  for (const [other, { until }] of sendings) {
    if (until < now) {
      sendings.delete(other);
    }
  }
  const sending = sendings.get(asked) ?? { key: randomKey(), until: 0 };
  // Until there is an answer nobody knows what became of it.
  sending.until = now + LOST_MS;
  sendings.set(asked, sending);
  return sending;
}

/** Sends a request, and waits for an earlier sending of it that is still carried out. */
async function outcome(send: Send, request: () => Request) {
  for (let waits = 0; ; waits++) {
    const response = await send(request());
    const underWay = await isUnderWay(response);
    if (!underWay || waits === MOST_WAITS) {
      return { response, underWay };
    }
    const after = Number(response.headers.get("Retry-After")) * 1000;
    await new Promise((resolve) => setTimeout(resolve, after || WAIT_MS));
  }
}

/** Whether an earlier sending of the same request is still being carried out. */
async function isUnderWay(response: Response): Promise<boolean> {
  if (response.status !== 409) {
    return false;
  }
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return (
    typeof problem === "object" &&
    problem !== null &&
    "type" in problem &&
    String(problem.type).endsWith("idempotency-key-in-use")
  );
}
