import { describe, expect, it, vi } from "vitest";
import types from "./gen/types.gen.ts?raw";
import { KEY, MAKING, sendOnce } from "./send-once";

const WORKLOADS = "http://here/api/v1/workloads";
const post = (body: object = { name: "a" }, url = WORKLOADS, signal?: AbortSignal) =>
  new Request(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

const answer = (status = 202, body: object = {}) =>
  Response.json(body, { status, headers: { "Retry-After": "0.01" } });

const inUse = () =>
  answer(409, { type: "urn:tierwright:problem:idempotency-key-in-use" });

/** What was sent, and a `fetch` that gives the answers in turn. */
function server(...answers: (() => Response)[]) {
  const sent: Request[] = [];
  const send = sendOnce(async (request) => {
    sent.push(request);
    return (answers.shift() ?? answer)();
  });
  return { sent, send, keys: () => sent.map((request) => request.headers.get(KEY)) };
}

const lost = () => {
  throw new TypeError("Failed to fetch");
};

describe("a request that makes something", () => {
  it("carries a key, and is otherwise sent as it is", async () => {
    const { sent, send, keys } = server();
    await send(post({ name: "ü" }));
    expect(keys()[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(sent[0]?.headers.get("Content-Type")).toBe("application/json");
    expect(await sent[0]?.json()).toEqual({ name: "ü" });
  });

  it("has one key for both clicks of a double click", async () => {
    const { send, keys } = server();
    await Promise.all([send(post()), send(post())]);
    await send(post());
    expect(new Set(keys()).size).toBe(1);
    await send(post({ name: "b" }));
    await send(post({ name: "a" }, `${WORKLOADS}/from-curve`));
    expect(new Set(keys()).size).toBe(3);
  });

  it("waits for the outcome of an earlier sending that is under way", async () => {
    const { send, keys } = server(inUse, inUse, () => answer(202, { id: "w" }));
    const response = await send(post());
    expect(await response.json()).toEqual({ id: "w" });
    expect(keys()).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
  });

  it("does not wait for ever", async () => {
    const { send, keys } = server(...Array.from({ length: 20 }, () => inUse));
    expect((await send(post())).status).toBe(409);
    expect(keys()).toHaveLength(6);
    await send(post());
    expect(new Set(keys()).size).toBe(1);
  });

  it("keeps its key after a lost connection or a failure of the server", async () => {
    const { send, keys } = server(lost, () => answer(503), answer);
    await expect(send(post())).rejects.toThrow("Failed to fetch");
    await send(post());
    await send(post());
    expect(keys()).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
  });

  it("has a new key after a refusal", async () => {
    const { send, keys } = server(
      () => answer(422),
      () => answer(409, { type: "urn:tierwright:problem:conflict" }),
    );
    await send(post());
    await send(post());
    await send(post());
    expect(new Set(keys()).size).toBe(3);
  });

  it("makes another one when asked again later", async () => {
    const clock = vi.spyOn(Date, "now");
    const { send, keys } = server();
    clock.mockReturnValue(1_000_000);
    await send(post());
    clock.mockReturnValue(1_000_501);
    await send(post());
    clock.mockRestore();
    expect(new Set(keys()).size).toBe(2);
  });

  it("is given up by whoever asked", async () => {
    const signals: AbortSignal[] = [];
    const control = new AbortController();
    const send = sendOnce(async (request) => {
      signals.push(request.signal);
      return answer();
    });
    await send(post({}, WORKLOADS, control.signal));
    control.abort();
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("what makes nothing", () => {
  it.each([
    post({}, "http://here/api/v1/evaluations"),
    post({}, "http://here/api/v1/workloads/w/other"),
    post({}, "http://here/api/v1/sweeps"),
    new Request(WORKLOADS),
    new Request(`${WORKLOADS}/w`, { method: "DELETE" }),
  ])("is sent as it is: %#", async (request) => {
    const { sent, send } = server();
    await send(request);
    expect(sent).toEqual([request]);
    expect(request.headers.has(KEY)).toBe(false);
  });
});

/** Their results are found by what they were computed of; an upload is begun by tus. */
const NEED_NONE = [
  "/miniatures",
  "/pool-advisors",
  "/pool-splits",
  "/quote-rankings",
  "/sampled-profiles",
  "/simulations",
  "/summaries",
  "/sweeps",
  "/transaction-studies",
  "/uploads",
  "/windows",
  "/workloads/{workload_id}/joined",
];

it("every operation of the API that takes a key is known", () => {
  const taking = types
    .split("export type ")
    .filter((type) => type.includes(`"${KEY}"?:`) || type.includes(`'${KEY}'?:`))
    .map((type) => /url: ["']\/api\/v1(.*)["']/.exec(type)?.[1]);
  expect(taking.toSorted()).toEqual([...MAKING, ...NEED_NONE].toSorted());
});
