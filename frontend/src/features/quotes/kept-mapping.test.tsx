import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { UnmappedOut } from "@/api/quotes";
import { renderThemed } from "@/testing/render";
import { type MappedLine, useKeptMapping } from "./kept-mapping";
import { MappingPanel } from "./mapping-panel";

const KEY = "tierwright-line-mapping";
const entry = (part_number: string, item: string): MappedLine => ({
  part_number,
  is: [{ kind: "part", item }],
});

/** What the server keeps; a test changes it. */
const server: { line: unknown[]; version: number; puts: number } = {
  line: [],
  version: 0,
  puts: 0,
};

const kept = () =>
  Response.json({ line: server.line, etag: `"${server.version}"`, updated_at: null });

beforeEach(() => {
  Object.assign(server, { line: [], version: 0, puts: 0 });
  vi.spyOn(window, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    if (!request.url.endsWith("/imports/mapping")) {
      const isPaged = request.url.includes("/catalog/devices");
      return Response.json(isPaged ? { items: [], total: 0 } : []);
    }
    if (request.method === "PUT") {
      server.puts += 1;
      server.version += 1;
      server.line = ((await request.json()) as { line: unknown[] }).line;
    }
    return kept();
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  window.localStorage.removeItem(KEY);
});

function Harness() {
  const { lines, keep, isReady } = useKeptMapping();
  return (
    <>
      <p>{isReady ? lines.map((line) => line["part_number"]).join(", ") : "waiting"}</p>
      <p>{lines.length} kept</p>
      <button type="button" onClick={() => keep([])}>
        Forget all
      </button>
    </>
  );
}

describe("what a browser kept", () => {
  it("is added to what the server has, once, and does not come back", async () => {
    server.line = [entry("A", "rails")];
    const earlier = [entry("A", "power"), entry("B", "power")];
    window.localStorage.setItem(KEY, JSON.stringify(earlier));
    const first = await renderThemed(<Harness />);
    await expect.element(first.getByText("A, B")).toBeVisible();
    expect(server.line).toEqual([entry("A", "rails"), entry("B", "power")]);
    expect(window.localStorage.getItem(KEY)).toBeNull();
    await first.getByRole("button", { name: "Forget all" }).click();
    await expect.element(first.getByText("0 kept")).toBeVisible();
    await first.unmount();

    const again = await renderThemed(<Harness />);
    await expect.element(again.getByText("0 kept")).toBeVisible();
    await expect.element(again.getByText("waiting")).not.toBeInTheDocument();
    expect(server.line).toEqual([]);
    expect(server.puts).toBe(2);
  });

  it("is removed without a change where the server knows all of it", async () => {
    server.line = [entry("A", "rails")];
    window.localStorage.setItem(KEY, JSON.stringify([entry("A", "power")]));
    const screen = await renderThemed(<Harness />);
    await expect.element(screen.getByText("1 kept")).toBeVisible();
    await expect.poll(() => window.localStorage.getItem(KEY)).toBeNull();
    expect(server.puts).toBe(0);
  });
});

describe("the panel", () => {
  const shown = (state: Partial<Parameters<typeof MappingPanel>[0]>) =>
    renderThemed(
      <MappingPanel
        unmapped={[]}
        lines={[]}
        keep={vi.fn()}
        isReady
        isFailed={false}
        areRead
        {...state}
      />,
    );

  it.each([
    [{ isReady: false }, /^Loading the known part numbers\./],
    [{ isReady: false, isFailed: true }, /part numbers could not be loaded\./],
  ])("claims nothing before the mapping is there: %o", async (state, text) => {
    const screen = await shown(state);
    await expect.element(screen.getByText(text)).toBeVisible();
    expect(document.body.textContent).not.toMatch(/0 part numbers|Every line/);
    await expect
      .element(screen.getByRole("button", { name: "Open mapping" }))
      .toBeDisabled();
  });

  it.each([
    [{}, "0 part numbers are known. Every line of the files is known."],
    [{ areRead: false }, "0 part numbers are known."],
    [
      { lines: [entry("A", "rails")], areRead: true },
      "1 part number is known. Every line of the files is known.",
    ],
    [
      { unmapped: [{ by: { part_number: "B" }, description: "" } as UnmappedOut] },
      "0 part numbers are known. 1 part number is not known: state what each is, or leave it open; it then counts in the price alone.",
    ],
  ])("states what is known: %o", async (state, text) => {
    const screen = await shown(state);
    await expect.element(screen.getByText(text, { exact: true })).toBeVisible();
  });
});
