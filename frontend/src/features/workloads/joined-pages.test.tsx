import { afterEach, describe, expect, it, vi } from "vitest";
import type { WorkloadOut } from "@/api/workloads";
import { expectAccessible, renderThemed } from "@/testing/render";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { readonly children: string }) => <span>{children}</span>,
}));

const { JoinedPages } = await import("./joined-pages");
const { joinedWith, needsJoining } = await import("./production-form");

const SMALL = 8192;
const LARGE = 16_384;
const RECORDED = { id: "w1", name: "Orders" } as WorkloadOut;

const made = (part: Partial<WorkloadOut>): WorkloadOut =>
  ({
    id: "w2",
    name: "Orders, pages of 16 KiB",
    joined_page_bytes: LARGE,
    status: "ready",
    run: null,
    ...part,
  }) as WorkloadOut;

const run = (part: object): WorkloadOut["run"] =>
  ({
    id: "r1",
    title: "Read Orders, pages of 16 KiB",
    status: "running",
    phase: "reading and converting",
    done: 1024,
    total: 4096,
    unit: "bytes",
    rate_per_s: null,
    message: null,
    error: null,
    hint: null,
    cancel_requested: false,
    ...part,
  }) as WorkloadOut["run"];

/** Answers by path and method; what was sent is kept. */
function serve(items: () => readonly WorkloadOut[]) {
  const sent: { method: string; body: unknown }[] = [];
  vi.stubGlobal(
    "EventSource",
    class extends EventTarget {
      close() {}
    },
  );
  vi.spyOn(window, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const asked = request.method === "POST" ? await request.json() : null;
    sent.push({ method: request.method, body: asked });
    const answered = request.url.includes("/runs/")
      ? items()[0]?.run
      : request.method === "POST"
        ? items()[0]
        : { items: items() };
    return new Response(JSON.stringify(answered), {
      headers: { "content-type": "application/json" },
    });
  });
  return sent;
}

const shown = () =>
  renderThemed(
    <JoinedPages workload={RECORDED} recordedBytes={SMALL} pageBytes={LARGE}>
      <p>Misses by cache size</p>
    </JoinedPages>,
  );

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("pages of production that are larger than recorded", () => {
  it("are explained and joined on request, and followed while they are made", async () => {
    let items: readonly WorkloadOut[] = [];
    const sent = serve(() => items);
    const screen = await shown();
    await expect
      .element(screen.getByText(/A page of 16 KiB holds 2 neighbouring recorded pages/))
      .toBeVisible();
    expect(screen.getByText("Misses by cache size").elements()).toHaveLength(0);
    await expectAccessible();
    items = [made({ status: "running", run: run({}) })];
    await screen.getByRole("button", { name: "Join pages" }).click();
    await expect
      .element(screen.getByText(/The trace is being read again/))
      .toBeVisible();
    await expect.element(screen.getByRole("button", { name: "Cancel" })).toBeVisible();
    expect(sent).toContainEqual({ method: "POST", body: { page_bytes: LARGE } });
    items = [made({})];
    await expect.element(screen.getByText("Misses by cache size")).toBeVisible();
    await expect.element(screen.getByText("Orders, pages of 16 KiB")).toBeVisible();
  });

  it("say why they could not be joined, and can be tried again", async () => {
    const failed = run({
      status: "failed",
      error: "the trace names keys",
      hint: "leave it out",
    });
    serve(() => [made({ status: "failed", run: failed })]);
    const screen = await shown();
    await expect.element(screen.getByText("The trace names keys.")).toBeVisible();
    await expect
      .element(screen.getByRole("button", { name: "Join pages" }))
      .toBeVisible();
  });
});

describe("the page size of production", () => {
  const traced = { kind: "trace", page_bytes: SMALL };

  it("needs joining where a trace has smaller pages, and is asked for otherwise", () => {
    expect(needsJoining(LARGE, traced)).toBe(true);
    for (const pageBytes of [null, SMALL, 4096, 3 * SMALL, 2 ** 21]) {
      expect(needsJoining(pageBytes, traced)).toBe(false);
    }
    // The server refuses these with the reason.
    expect(needsJoining(LARGE, { ...traced, kind: "curve" })).toBe(false);
  });

  it("takes the workload that is ready before one that is made, and no other size", () => {
    const [failed, active, ready, other] = [
      made({ id: "f", status: "failed" }),
      made({ id: "a", status: "running" }),
      made({ id: "r" }),
      made({ id: "o", joined_page_bytes: 2 * LARGE }),
    ] as const;
    expect(joinedWith([failed, active, other, ready], LARGE)?.id).toBe("r");
    expect(joinedWith([active, failed], LARGE)?.id).toBe("a");
    expect(joinedWith([failed], LARGE)?.id).toBe("f");
    expect(joinedWith([other], LARGE)).toBeUndefined();
  });
});
