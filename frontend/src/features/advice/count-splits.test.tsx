import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderThemed } from "@/testing/render";
import { CountSplits } from "./count-splits";

const JSON_TYPE = { headers: { "content-type": "application/json" } };
const split = (status: string) => ({
  id: "s1",
  status,
  run: status === "succeeded" ? null : { id: "r1", title: "Pool split", status },
});

/** What the server says and was asked. */
const server: { answer: () => Response; bodies: unknown[] } = {
  answer: () => new Response(),
  bodies: [],
};

async function shown() {
  const queries = new QueryClient();
  for (const key of [["advice", "w"], ["advice check", "w"], ["devices"]]) {
    queries.setQueryData(key, {});
  }
  const screen = await renderThemed(
    <QueryClientProvider client={queries}>
      <CountSplits workload="w" pages={5000} />
    </QueryClientProvider>,
  );
  const isStale = (key: string) =>
    queries.getQueryState([key, "w"])?.isInvalidated ?? false;
  return { screen, queries, isStale };
}

beforeEach(() => {
  server.bodies = [];
  vi.spyOn(window, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === "POST") {
      server.bodies.push(await request.json());
    }
    return server.answer();
  });
});
afterEach(() => vi.restoreAllMocks());

describe("the splits of an option that were not counted", () => {
  it("are counted by a press alone, and the advice is asked for again at the end", async () => {
    server.answer = () => Response.json(split("succeeded"), JSON_TYPE);
    const { screen, queries, isStale } = await shown();
    expect(server.bodies).toEqual([]);
    await screen.getByRole("button", { name: "Count the splits" }).click();
    await vi.waitFor(() => expect(isStale("advice")).toBe(true));
    expect(isStale("advice check")).toBe(true);
    expect(queries.getQueryState(["devices"])?.isInvalidated).toBe(false);
    expect(server.bodies).toEqual([{ workload_id: "w", pages: 5000 }]);
  });

  it("say why they could not be counted, and leave the advice as it is", async () => {
    server.answer = () =>
      Response.json(
        { title: "Not Found", status: 404, detail: "the trace is gone", errors: [] },
        { status: 404, headers: { "content-type": "application/problem+json" } },
      );
    const { screen, isStale } = await shown();
    await screen.getByRole("button", { name: "Count the splits" }).click();
    await expect
      .element(screen.getByText("The splits could not be counted"))
      .toBeVisible();
    await expect.element(screen.getByText("The trace is gone.")).toBeVisible();
    expect(isStale("advice")).toBe(false);
  });
});
