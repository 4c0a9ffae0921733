import { afterEach, expect, it, vi } from "vitest";
import { STATE } from "@/testing/analysis-state";
import { expectAccessible, renderRouted } from "@/testing/render";
import { Sides } from "./beside-page";

const option = (name: string, usd_per_month: string, replayed: number | null) => ({
  name,
  kind: "instances",
  scheme: "none",
  usd_per_month,
  purchase_usd: "0",
  io_time_us_per_access: 4.36,
  replayed_io_time_us_per_access: replayed,
  ram_hit_share: 0.5,
  flash_hit_share: 0,
  disk_share: 0.5,
  ram_bytes: 2 ** 34,
  flash_bytes: 0,
  machines: 1,
  ranges: {},
  response_reason: "no rate is stated",
});

const answer = (id: string, status: string, recommendation: object) => ({
  advice_id: id,
  workload_id: "w",
  status,
  cautions: [],
  flash_caches: [],
  exchange_rate: null,
  recommendation,
});

const MODEL = answer("m1", "model", option("1 x gcp-z3", "840.91", null));
const CHECKED = answer("m2", "checked", option("1 x aws-i3en", "329.96", 4.17));

const scenario = (id: string, name: string, checked: string | undefined) => ({
  id,
  name,
  question: "advice",
  state: { ...STATE, ...(checked === undefined ? {} : { checked }) },
});
const SCENARIOS = [
  scenario("a", "As asked", undefined),
  scenario("b", "Checked", "m1"),
  scenario("c", "Checked long ago", "m0"),
  {
    ...scenario("d", "Both shops", undefined),
    state: {
      ...STATE,
      workloads: `${STATE.workload},other`,
      goal: "io_time",
      most_usd: 4000,
      most_busy: 0.5,
    },
  },
];

const PLACEMENT = {
  placement_id: "p1",
  systems: [
    {
      option: option("2 x shared", "1200", null),
      workloads: [{ name: "Orders" }, { name: "Stock" }],
    },
  ],
  usd_per_month: "1200",
  purchase_usd: "0",
  io_time_us_per_access: 3,
  ranges: {},
  cautions: [],
  exchange_rate: null,
};

/** A server that has these scenarios, and that says this of a check; returns the checks that it was asked for. */
function serve(
  check: object,
  model: object = MODEL,
  placement: object = PLACEMENT,
): string[] {
  const checks: string[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const { url } = request as Request;
    if (url.endsWith("/placements")) {
      const body = await (request as Request).clone().json();
      expect(body.workloads).toHaveLength(2);
      return Response.json(placement);
    }
    if (url.endsWith("/advice/checks")) {
      checks.push(url);
      return Response.json(check);
    }
    if (url.endsWith("/advice")) {
      return Response.json(model);
    }
    if (url.includes("/scenarios/")) {
      return Response.json(SCENARIOS.find(({ id }) => url.endsWith(`/${id}`)));
    }
    const summary = { kind: "trace", accesses: 10, duration_s: 1, production: null };
    const items = url.includes("/workloads")
      ? [
          { id: "w", name: "Orders", status: "ready", summary },
          { id: "other", name: "Stock", status: "ready", summary },
        ]
      : [];
    return Response.json(
      url.includes("/schemes") ? [] : { items, total: items.length },
    );
  });
  return checks;
}

afterEach(() => {
  vi.restoreAllMocks();
});

const shown = async (ids = ["a", "b", "c"]) => {
  const screen = await renderRouted(<Sides ids={ids} />);
  return screen.getByRole("table", { name: "Recommendations" });
};

it("shows the checked answer of a scenario that was checked, and what decided each", async () => {
  const checks = serve(CHECKED);
  const table = await shown();
  await expect
    .element(table.getByRole("row", { name: /^Cost per month/ }))
    .toMatchTextContent(/840\.91 ?329\.96 ?−510\.95 ?840\.91 ?equal/);
  await expect
    .element(table.getByRole("row", { name: /^Decided by/ }))
    .toMatchTextContent(
      /the model ?replays ?differs ?the model: the check that was saved is of another answer/,
    );
  await expect
    .element(table.getByRole("row", { name: /by replay/ }))
    .toMatchTextContent(/4\.17 µs/);
  // What was never checked, or is another answer now, is not replayed for this.
  expect(checks).toHaveLength(1);
  await expectAccessible();
});

it("falls back to the model where the replays are gone, and says so", async () => {
  serve({ id: "c1", status: "running", run: { id: "r1", status: "running" } });
  const table = await shown();
  await expect
    .element(table.getByRole("row", { name: /^Cost per month/ }))
    .toMatchTextContent(/840\.91 ?840\.91 ?equal ?840\.91 ?equal/);
  await expect
    .element(table.getByRole("row", { name: /^Decided by/ }))
    .toMatchTextContent(/the replays of the check that was saved are gone/);
});

it("asks a saved question of several workloads for all of them", async () => {
  serve(CHECKED);
  const table = await shown(["a", "d"]);
  await expect
    .element(table.getByRole("row", { name: /^Workload/ }))
    .toMatchTextContent(/Orders ?Orders and Stock/);
  await expect
    .element(table.getByRole("row", { name: /^Goal/ }))
    .toMatchTextContent(/least cost ?least I\/O time ?differs/);
  await expect
    .element(table.getByRole("row", { name: /^Limits/ }))
    .toMatchTextContent(
      /none ?budget per month 4,000 USD and busy share in the busiest hour 50 % ?differs/,
    );
  // Any of them can be the one that the others are compared with.
  await expect
    .element(table.getByRole("link", { name: "Compare against it: Both shops" }))
    .toHaveAttribute("href", "/scenarios/recommendations?of=d%2Ca");
  await expect
    .element(table.getByRole("row", { name: /^Recommendation/ }))
    .toMatchTextContent(/2 x shared for Orders and Stock/);
  await expect
    .element(table.getByRole("row", { name: /^Cost per month/ }))
    .toMatchTextContent(/840\.91 ?1,200\.00 ?\+359\.09/);
  await expectAccessible();
});

it("states no difference of costs that lack unequally many machines", async () => {
  const bare = (usd: string) => ({
    ...option("RAM and drives", usd, null),
    kind: "devices",
    without_machine: true,
  });
  const [system] = PLACEMENT.systems;
  const systems = [bare("500"), bare("700")].map((each) => ({
    ...system,
    option: each,
  }));
  serve(CHECKED, answer("m1", "model", bare("840.91")), { ...PLACEMENT, systems });
  const table = await shown(["a", "d"]);
  await expect
    .element(table.getByRole("row", { name: /^Cost per month/ }))
    .toMatchTextContent(/840\.91 ?1,200\.00$/);
  await expect
    .element(table.getByRole("row", { name: /^Price of the machine/ }))
    .toMatchTextContent(/not counted ?not counted for 2 machines ?differs/);
});
