import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SummaryOut, WorkloadOut } from "@/api/workloads";
import { expectAccessible, renderThemed } from "@/testing/render";

const navigate = vi.fn();
vi.mock("@tanstack/react-router", () => ({
  Link: ({ to, children }: { readonly to: string; readonly children: string }) => (
    <a href={to}>{children}</a>
  ),
  useNavigate: () => navigate,
}));

const { EMPTY_PRODUCTION, productionOf, unusedProduction } = await import(
  "./production-form"
);
const { QuestionLinks, UnusedProduction, useProductionQuestion } = await import(
  "./questions-of"
);

const { KeptAlready } = await import("./production");

const SUMMARY = {
  production: null,
  scaled_parts: null,
  evidence: null,
} as unknown as SummaryOut;
const RECORDED = { id: "w1", name: "Orders", summary: SUMMARY } as WorkloadOut;
const FILLED = { ...EMPTY_PRODUCTION, dataBytes: 2 ** 41, rate: 40_000 };

function Page({ form }: { readonly form: typeof FILLED }) {
  const production = unusedProduction(SUMMARY, form);
  const asking = useProductionQuestion({ workload: RECORDED, production });
  return (
    <>
      <QuestionLinks production={production} asking={asking} />
      <UnusedProduction workload={RECORDED} production={production} asking={asking} />
    </>
  );
}

const PREVIEW = "/scale-previews";
/** The workload that the server keeps of the production, as its preview names it. */
let kept: { id: string; name: string } | null = null;
const sent: { method: string; path: string; body: unknown }[] = [];

beforeEach(() => {
  window.sessionStorage.clear();
  navigate.mockClear();
  sent.length = 0;
  kept = null;
  vi.spyOn(window, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const body = request.method === "POST" ? await request.json() : null;
    const path = new URL(request.url).pathname;
    sent.push({ method: request.method, path, body });
    if (path.endsWith(PREVIEW)) {
      return Response.json({ existing: kept });
    }
    kept ??= { id: "w2", name: "Orders at 2 TiB" };
    return Response.json({ id: "w2", status: "ready" });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const creations = () =>
  sent.filter(({ method, path }) => method === "POST" && !path.endsWith(PREVIEW));

describe("the questions of a workload", () => {
  it("ask it as it is where no production is filled in", async () => {
    const screen = await renderThemed(
      <Page form={EMPTY_PRODUCTION as typeof FILLED} />,
    );
    await expect
      .element(screen.getByRole("link", { name: "Advise what to buy" }))
      .toHaveAttribute("href", "/advise");
    expect(screen.getByRole("alert").query()).toBeNull();
  });

  it("ask the production that is filled in, and say so", async () => {
    const screen = await renderThemed(<Page form={FILLED} />);
    await expect
      .element(
        screen.getByText(
          "This workload is not the production that is filled in below: 2 TiB, 40,000 accesses/s",
        ),
      )
      .toBeVisible();
    await expect
      .element(screen.getByRole("link", { name: "Advise for Orders as it is" }))
      .toHaveAttribute("href", "/advise");
    await expectAccessible();
    await screen.getByRole("button", { name: "Advise what to buy" }).click();
    await vi.waitFor(() => expect(navigate).toHaveBeenCalledOnce());
    const [{ to, search }] = navigate.mock.calls[0] as [
      { to: string; search: (previous: object) => object },
    ];
    expect(to).toBe("/advise");
    expect(search({ workload: "w1", ram_pages: 5, goal: "usd" })).toMatchObject({
      workload: "w2",
      ram_pages: undefined,
      goal: "usd",
    });
    const made = creations();
    expect(made).toEqual([
      {
        method: "POST",
        path: expect.stringMatching(/\/workloads\/w1\/scaled/),
        body: expect.objectContaining({
          data_bytes: 2 ** 41,
          accesses_per_s: 40_000,
          name: "Orders at 2 TiB, 40,000 accesses/s",
        }),
      },
    ]);
    // The same production is one workload, whichever question asks it.
    await screen.getByRole("button", { name: "Compare schemes" }).click();
    await vi.waitFor(() => expect(navigate).toHaveBeenCalledTimes(2));
    expect(creations()).toHaveLength(1);
  });

  it("lead to what was kept of it before, by whichever page", async () => {
    kept = { id: "w7", name: "Kept in June" };
    const screen = await renderThemed(<Page form={FILLED} />);
    await screen.getByRole("button", { name: "Advise what to buy" }).click();
    await vi.waitFor(() => expect(navigate).toHaveBeenCalledOnce());
    const [{ search }] = navigate.mock.calls[0] as [
      { search: (previous: object) => object },
    ];
    expect(search({ workload: "w1" })).toMatchObject({ workload: "w7" });
    expect(creations()).toEqual([]);
  });

  it("is led to below the form, and not made a second time", async () => {
    const screen = await renderThemed(<KeptAlready id="w7" name="Kept in June" />);
    await expect
      .element(screen.getByRole("link", { name: "Open Kept in June" }))
      .toBeVisible();
    expect(
      screen.getByRole("button", { name: "Use in all questions" }).query(),
    ).toBeNull();
  });

  it("take what the workload states by itself for no other production", () => {
    const counted = {
      ...SUMMARY,
      evidence: {},
      accesses: 400_000,
      duration_s: 10,
      data_known: true,
      footprint_bytes: 2 ** 41,
    } as unknown as SummaryOut;
    expect(unusedProduction(counted, FILLED)).toBeNull();
    const more = { ...FILLED, rate: 50_000 };
    expect(unusedProduction(counted, more)).toEqual(productionOf(more));
    expect(unusedProduction(null, FILLED)).toBeNull();
    expect(
      unusedProduction({ ...SUMMARY, production: {} } as unknown as SummaryOut, FILLED),
    ).toBeNull();
  });
});
