import { client } from "./gen/client.gen";
import { ProblemError, problemOfBody } from "./problem";

client.setConfig({ baseUrl: window.location.origin, throwOnError: true });

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

/** The body of an answer; the generated functions throw on errors. */
export async function answer<T>(call: Promise<{ data: T }>): Promise<T> {
  return (await call).data;
}
