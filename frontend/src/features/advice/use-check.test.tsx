import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunOut } from "@/api/runs";
import { renderThemed } from "@/testing/render";
import { underway, useCheck } from "./use-check";

const QUESTION = { workload: "w", body: {} };
const ADVICE = "0123456789abcdef";
const JSON_TYPE = { headers: { "content-type": "application/json" } };

const run = (status: RunOut["status"], id = "r1") => ({
  id,
  title: `Check the advice for Shop, Ltd, ${id === "r1" ? 4 : 2} replays`,
  status,
});
const job = (status: RunOut["status"], id = "r1") => ({
  id: "c1",
  status,
  run: run(status, id),
});

/** What the server says; a test changes it while it goes on. */
const server: {
  check: object;
  run: object;
  posts: number;
} = { check: {}, run: {}, posts: 0 };

class Silent extends EventTarget {
  close() {}
}

function Harness({ first }: { readonly first: string | undefined }) {
  const [named, setNamed] = useState<string | undefined>(first);
  const check = useCheck(QUESTION, ADVICE, named, setNamed);
  return (
    <>
      <button type="button" onClick={check.start}>
        Check
      </button>
      <p>
        named {named ?? "nothing"}, run {check.run?.status ?? "none"},{" "}
        {check.checked?.status ?? "by the model"}
        {check.isCancelled ? ", cancelled before" : ""}
        {check.isLooking ? ", looking" : ""}, {underway(check) ?? "nothing goes on"}
      </p>
    </>
  );
}

const shown = (first?: string) =>
  renderThemed(
    <QueryClientProvider client={new QueryClient()}>
      <Harness first={first} />
    </QueryClientProvider>,
  );

beforeEach(() => {
  vi.stubGlobal("EventSource", Silent);
  server.posts = 0;
  vi.spyOn(window, "fetch").mockImplementation(async (input) => {
    const { url, method } = input as Request;
    if (method === "POST" && url.endsWith("/workloads/w/advice/checks")) {
      server.posts += 1;
      return Response.json(server.check, JSON_TYPE);
    }
    return Response.json(server.run, JSON_TYPE);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A page on a server that computes each answer until the test lets it reply. */
async function computing() {
  const replies: ((of: object) => void)[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (input) => {
    if ((input as Request).method !== "POST") {
      return Response.json(server.run, JSON_TYPE);
    }
    const found = await new Promise<object>((reply) => replies.push(reply));
    return Response.json(found, JSON_TYPE);
  });
  const screen = await shown(ADVICE);
  const says = (text: string | RegExp) =>
    expect.element(screen.getByText(text), { timeout: 5000 }).toBeVisible();
  return { replies, says };
}

describe("the check of an advice", () => {
  it("is asked for by a press alone, and shows the replays when their run has ended", async () => {
    server.check = job("running");
    server.run = run("running");
    const screen = await shown();
    await expect
      .element(screen.getByText(/named nothing, run none, by the model/))
      .toBeVisible();
    expect(server.posts).toBe(0);
    await screen.getByRole("button").click();
    await expect.element(screen.getByText(/run running, by the model/)).toBeVisible();
    server.check = { status: "checked", advice_id: "of its own" };
    server.run = run("succeeded");
    await expect
      .element(screen.getByText(new RegExp(`named ${ADVICE}, run none, checked`)), {
        timeout: 5000,
      })
      .toBeVisible();
    expect(server.posts).toBe(2);
  });

  it("says what goes on while further runs follow, and while the answer is computed", async () => {
    server.run = run("running");
    const { replies, says } = await computing();
    await says(/looking, Being checked by replay/);
    await expect.poll(() => replies.length).toBe(1);
    replies[0]?.(job("running"));
    await says(/Being replayed: 4 replays/);
    server.run = run("succeeded");
    await says(/run succeeded.*Computing the answer from 4 replays/);
    await expect.poll(() => replies.length).toBe(2);
    server.run = run("running", "r2");
    replies[1]?.(job("running", "r2"));
    await says(/Being replayed, round 2: 2 replays/);
    server.run = run("succeeded", "r2");
    await says(/Computing the answer from the replays of 2 rounds/);
    await expect.poll(() => replies.length).toBe(3);
    replies[2]?.({ status: "checked" });
    await says(/checked, nothing goes on/);
  });

  it("says that categories are counted, which is no round of replays", async () => {
    const counting = (status: RunOut["status"]) => ({
      id: "k1",
      kind: "category_counts",
      title: "Categories of Shop, EU",
      status,
    });
    server.run = counting("running");
    const { replies, says } = await computing();
    await expect.poll(() => replies.length).toBe(1);
    replies[0]?.({ ...job("running"), run: counting("running") });
    await says(/, Counting categories$/);
    server.run = counting("succeeded");
    await says(/, Computing the answer from the counts of categories$/);
    await expect.poll(() => replies.length).toBe(2);
    // The first replays are the first round.
    server.run = run("running");
    replies[1]?.(job("running"));
    await says(/, Being replayed: 4 replays$/);
  });

  it("is found where the address names it, and not where it names another", async () => {
    server.check = { status: "checked" };
    const other = await shown("fedcba9876543210");
    await expect.element(other.getByText(/run none, by the model/)).toBeVisible();
    expect(server.posts).toBe(0);
    await other.unmount();
    const same = await shown(ADVICE);
    await expect.element(same.getByText(/run none, checked/)).toBeVisible();
  });

  it("is not started again where it was cancelled, but by a press", async () => {
    server.check = job("running");
    server.run = run("running");
    const screen = await shown(ADVICE);
    await expect.element(screen.getByText(/run running/)).toBeVisible();
    server.run = run("cancelled");
    await expect
      .element(screen.getByText(/named nothing, run none.*cancelled before/), {
        timeout: 5000,
      })
      .toBeVisible();
    expect(server.posts).toBe(1);
    // Made again, it is another run.
    server.check = job("running", "r2");
    server.run = run("running", "r2");
    await screen.getByRole("button").click();
    await expect.element(screen.getByText(/run running/)).toBeVisible();
    expect(server.posts).toBe(2);
  });
});
