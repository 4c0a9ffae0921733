import { inCurrencyShown, moneyQuery } from "@/units/currency";
import { client } from "./gen/client.gen";
import { ProblemError, problemOfBody } from "./problem";
import { sendOnce } from "./send-once";

const send = sendOnce();

client.setConfig({
  baseUrl: window.location.origin,
  throwOnError: true,
  // What the client sends is a request already; a copy of it would stream its body.
  fetch: (input, init) =>
    send(
      input instanceof Request && init === undefined ? input : new Request(input, init),
    ),
});

// Everything the client throws becomes a ProblemError, whether the server answered
// with problem+json, with something else, or not at all.
client.interceptors.error.use((error: unknown, response: Response | undefined) => {
  if (error instanceof DOMException && error.name === "AbortError") {
    return error;
  }
  return new ProblemError(problemOfBody(error, response?.status ?? null));
});

/** Header of a change that must start from what was read; nothing for what has no tag. */
export const ifMatch = (etag: string | null | undefined) =>
  etag == null ? {} : { headers: { "if-match": etag } };

/** Questions whose answers are money; catalogue entries stay as they are quoted. */
const PRICED =
  /\/api\/v1\/(evaluations|bills|tier-costs|break-evens|flash-choices|wear|scheme-maps|scheme-maps\/point)$/;

client.interceptors.request.use(async (request) => {
  const url = new URL(request.url);
  const asked = Object.entries(moneyQuery());
  if (asked.length === 0 || request.method !== "POST" || !PRICED.test(url.pathname)) {
    return request;
  }
  for (const [name, value] of asked) {
    url.searchParams.set(name, value);
  }
  // A request that is copied with its body would stream it, which HTTP/1.1 cannot.
  return new Request(url, {
    method: request.method,
    headers: request.headers,
    body: await request.text(),
    signal: request.signal,
  });
});

client.interceptors.response.use(async (response, request) => {
  if (!response.ok || !new URL(request.url).searchParams.has("currency")) {
    return response;
  }
  return new Response(JSON.stringify(inCurrencyShown(await response.json())), {
    status: response.status,
    headers: response.headers,
  });
});

/** The body of an answer; the generated functions throw on errors. */
export async function answer<T>(call: Promise<{ data: T }>): Promise<T> {
  return (await call).data;
}
