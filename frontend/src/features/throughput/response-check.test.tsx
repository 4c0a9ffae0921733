import { afterEach, expect, it, vi } from "vitest";
import { page } from "vitest/browser";
import type { CheckedAnswer } from "@/api/replay-checks";
import { CheckedTable } from "@/components/replay-check";
import { renderThemed } from "@/testing/render";
import { SIMULATOR } from "@/testing/simulator";
import { ResponseCheckPanel } from "./response-check";

const BODY = {
  ram_pages: 1000,
  flash_pages: 6000,
  flash_device_id: "flash",
  disk_device_id: "disk",
  accesses_per_s: 5000,
};

const figure = (of: string, name: string, model: number, simulated: number) => ({
  of,
  title: of === "lazy" ? "Lazy" : "No flash",
  figure: `${name} at the mean rate`,
  unit: "µs",
  model,
  simulated,
  gap_relative: (model - simulated) / simulated,
});

const CHECKED: CheckedAnswer = {
  sentence: "The replay confirms Lazy as the best choice.",
  finding: null,
  rows: [
    figure("none", "mean response time", 303, 302),
    figure("lazy", "mean response time", 262, 266),
    figure("lazy", "99th percentile", 4042, 4448),
  ],
  basis: "210,000 accesses are counted; what is random is drawn with seed 0.",
};

const panel = (timed: boolean, replays: "trace" | null) => (
  <ResponseCheckPanel
    question={{ workload: "w", body: BODY }}
    replays={replays}
    timed={timed}
    clock="goes"
    asked={{
      arrivals: "clients",
      loop: 8,
      seed: 3,
      caches: "face,sce",
      cache_options: "sce:fragment_pages=8",
    }}
    shown="lazy"
    patch={() => undefined}
  />
);

afterEach(() => vi.restoreAllMocks());

it("asks for the loop, its clients and the seed, and shows one scheme's figures", async () => {
  const asked: unknown[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    if (request.method === "GET") {
      return Response.json(SIMULATOR);
    }
    asked.push(await request.json());
    return Response.json(CHECKED);
  });
  await renderThemed(panel(true, "trace"));
  await page.getByRole("button", { name: "Check this point" }).click();
  await expect.element(page.getByText(/seed 0\.$/)).toBeVisible();
  expect(asked).toEqual([
    {
      ...BODY,
      workload_id: "w",
      arrivals: "clients",
      clients: 8,
      seed: 3,
      flash_caches: ["face", "sce"],
      flash_cache_options: ["sce:fragment_pages=8"],
    },
  ]);
  const table = page.getByRole("table", { name: "Model and simulation" });
  // A heading, and two figures of Lazy.
  await expect.poll(() => table.getByRole("row").elements().length).toBe(3);
  await expect.element(table.getByText("No flash")).not.toBeInTheDocument();
});

it("says that recorded arrivals need times, and that nothing is replayed of a curve", async () => {
  const untimed = await renderThemed(panel(false, "trace"));
  await expect.element(page.getByText(/records no arrival times/)).toBeVisible();
  await expect.element(page.getByRole("radio", { name: "As recorded" })).toBeDisabled();
  await expect.element(page.getByRole("radio", { name: "Poisson" })).toBeEnabled();
  await untimed.unmount();
  const timed = await renderThemed(panel(true, "trace"));
  expect(page.getByText(/records no arrival times/).elements()).toHaveLength(0);
  await expect.element(page.getByRole("radio", { name: "As recorded" })).toBeEnabled();
  await timed.unmount();
  await renderThemed(panel(true, null));
  await expect.element(page.getByText(/no accesses to replay/)).toBeVisible();
  expect(page.getByRole("radio").elements()).toHaveLength(0);
});

it("keeps all figures in one table where no scheme is shown first", async () => {
  await renderThemed(<CheckedTable found={CHECKED} shown={undefined} />);
  const table = page.getByRole("table", { name: "Model and simulation" });
  await expect.poll(() => table.getByRole("row").elements().length).toBe(4);
});
