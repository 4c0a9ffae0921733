import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type { AdviceOptionOut } from "@/api/advice";
import type { PlacementIn, PlacementOut, SystemOut } from "@/api/placements";
import { type AdviceSearch, parseAdviceSearch } from "@/questions/advice";
import { type Member, MOST_PLACED } from "@/questions/members";
import { STATE as ANY } from "@/testing/analysis-state";
import { expectAccessible, renderRouted, renderThemed } from "@/testing/render";
import { AdviceForm } from "./advice-form";
import type { Place } from "./form-fields";
import { membersOf, placementQuestion } from "./question";
import { Sharing, SharingView, titleOf } from "./sharing-view";

const STATE = { ...ANY, workload: "orders" } as const;

const system = (cost: string, ...names: string[]): SystemOut => ({
  workloads: names.map((name) => ({
    name,
    accesses_per_s: 2000,
    peak_accesses_per_s: 2000,
    ram_bytes: 2 ** 30,
    hit_share: 0.5,
    part_bytes: null,
    part_hit_share: null,
  })),
  option: {
    name: `1 x of ${cost}`,
    scheme: "none",
    admission: null,
    admission_by: null,
    usd_per_month: cost,
    purchase_usd: "0",
    ram_bytes: 2 ** 32,
    flash_bytes: 0,
    ram_hit_share: 0.5,
    io_time_us_per_access: 12,
    peak_busy: 0.4,
    ranges: {},
    config: {},
    bill: [
      {
        what: `server of ${cost}`,
        kind: "server",
        quantity: 1,
        unit: "USD/month",
        unit_price: cost,
        date: "2026-07-20",
        usd_per_month: cost,
        purchase_usd: "0",
        source: "a list",
        note: "",
        months: null,
      },
    ],
  } as unknown as AdviceOptionOut,
  accesses_per_s: 2000,
  peak_accesses_per_s: 4000,
  data_bytes: 2 ** 40,
  in_parts: false,
  parts_save_share: null,
  too_small: "",
});

const FOUND = {
  placement_id: "one",
  finding: "Place orders on 1 x of 300.00; logs and prices on 1 x of 200.00.",
  objective: "usd",
  constraints: { peak_busy: "0.7" },
  systems: [system("300.00", "orders"), system("200.00", "logs", "prices")],
  usd_per_month: "500.00",
  purchase_usd: "0",
  io_time_us_per_access: 12,
  ranges: {},
  alternatives: [
    {
      groups: [["orders", "logs", "prices"]],
      in_parts: [false],
      usd_per_month: "612.50",
      io_time_us_per_access: 9,
      ranges: {},
    },
  ],
  least_totals: {},
  nearest: {},
  groups: 7,
  evaluated: 2100,
  cautions: [],
  exchange_rate: null,
} as unknown as PlacementOut;

const ASKED: PlacementIn = { workloads: [{ workload_id: "orders" }] };

const NOTHING = {
  ...FOUND,
  finding:
    "No choice of systems keeps the limit on cost per month for all of them together.",
  constraints: { usd_per_month: "400", machines: "5" },
  systems: [],
  usd_per_month: null,
  purchase_usd: null,
  io_time_us_per_access: null,
  alternatives: [],
  least_totals: { usd_per_month: 456.98, machines: 2 },
} as unknown as PlacementOut;

const workload = (id: string, duration_s: number | null) => ({
  id,
  name: id,
  status: "ready",
  summary: {
    kind: "trace",
    accesses: 1000,
    duration_s,
    production: null,
    footprint_bytes: 2 ** 30,
    page_bytes: 4096,
  },
});

/** The answer for the first of these, and after a press for the next. */
function Changing(props: {
  readonly each: readonly (readonly Member[])[];
  readonly onAsked?: () => void;
  readonly onFault?: (at: Place) => void;
}) {
  const { each, onAsked = vi.fn(), onFault = vi.fn() } = props;
  const [at, setAt] = useState(0);
  return (
    <>
      <button type="button" onClick={() => setAt(at + 1)}>
        Change
      </button>
      <Sharing
        state={STATE}
        search={{}}
        members={each[at] ?? []}
        patch={vi.fn()}
        onAsked={onAsked}
        onFault={onFault}
      />
    </>
  );
}

/** A server with these workloads, which answers every placement. */
function serve(workloads: readonly object[], asked: object[] = []) {
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const { url } = request as Request;
    if (url.includes("/placements")) {
      asked.push((await (request as Request).clone().json()) as object);
      return Response.json(FOUND);
    }
    if (url.includes("/schemes")) {
      return Response.json([]);
    }
    const items = url.includes("/workloads") ? workloads : [];
    return Response.json({ items, total: items.length });
  });
}
afterEach(() => {
  vi.restoreAllMocks();
});

describe("several workloads", () => {
  it("are those of the address, the first always that of the page", () => {
    expect(membersOf("orders", {})).toEqual([{ id: "orders", rate: null }]);
    const search = parseAdviceSearch({ workloads: "orders:5000,logs" });
    expect(search.refused).toBeUndefined();
    expect(membersOf("orders", search)).toEqual([
      { id: "orders", rate: 5000 },
      { id: "logs", rate: null },
    ]);
    // Another workload was chosen for the page: its rate is not that of the first.
    expect(membersOf("web", search)).toEqual([
      { id: "web", rate: null },
      { id: "logs", rate: null },
    ]);
    expect(parseAdviceSearch({ workloads: "orders:0" }).refused).toContain("workloads");
  });

  it("say that they are of a steady state where the address asks for a cold start", async () => {
    serve([workload("orders", 10), workload("logs", 10)]);
    const members = [
      { id: "orders", rate: 5000 },
      { id: "logs", rate: 300 },
    ];
    const of = (start: "steady" | "cold") =>
      renderThemed(
        <Sharing
          state={{ ...STATE, start }}
          search={{}}
          members={members}
          patch={vi.fn()}
          onAsked={vi.fn()}
          onFault={vi.fn()}
        />,
      );
    const cold = await of("cold");
    await expect
      .element(
        cold.getByText(
          "The address asks for a cold start. Systems for several workloads are chosen for a steady state: a cold start is not computed for them.",
        ),
      )
      .toBeVisible();
    await cold.unmount();
    const steady = await of("steady");
    await expect.element(steady.getByRole("region", { name: "Answer" })).toBeVisible();
    expect(steady.getByText(/cold start/).query()).toBeNull();
  });

  it("are asked with the limits, candidates and prices of the form, without what there is", () => {
    const search: AdviceSearch = {
      goal: "pareto",
      most_usd: 5000,
      providers: "aws",
      have_ram_gib: 64,
    };
    const members = [
      { id: "orders", rate: 5000 },
      { id: "logs", rate: null },
    ];
    expect(placementQuestion(STATE, search, members)).toEqual({
      workloads: [
        { workload_id: "orders", accesses_per_s: 5000 },
        { workload_id: "logs", accesses_per_s: null },
      ],
      objective: "usd",
      horizon_months: 36,
      price_book_id: "book",
      candidates: { kinds: ["instances", "volumes", "chassis"], providers: ["aws"] },
      constraints: { usd_per_month: 5000 },
    });
    const fast = placementQuestion(STATE, { goal: "io_time" }, members);
    expect(fast.objective).toBe("io_time");
  });

  it("are chosen in the form, which then asks nothing of today", async () => {
    serve([workload("logs", 10)]);
    const patch = vi.fn();
    const one = await renderThemed(
      <AdviceForm state={STATE} search={{}} patch={patch} />,
    );
    await expect.element(one.getByText("Both")).toBeVisible();
    await one.getByRole("button", { name: "More workloads (none)" }).click();
    await one.getByRole("combobox", { name: "Add a workload" }).click();
    await one.getByRole("option", { name: "logs" }).click();
    expect(patch).toHaveBeenLastCalledWith({ workloads: "orders,logs" });
    await one.unmount();

    const search = { workloads: "orders,logs:7", goal: "pareto" } as const;
    const two = await renderRouted(
      <AdviceForm state={STATE} search={search} patch={patch} />,
    );
    expect(two.getByText("What you have now").query()).toBeNull();
    expect(two.getByText("Both").query()).toBeNull();
    await two.getByRole("button", { name: "More workloads (1 more)" }).click();
    await expect
      .element(two.getByRole("button", { name: "Remove logs" }))
      .toBeInTheDocument();
    expect(two.getByRole("button", { name: "Remove orders" }).query()).toBeNull();
    await expectAccessible();
    const rate = two.getByLabelText("Accesses per second of logs");
    await expect.element(rate).toHaveValue("7");
    await rate.fill("8");
    await userEvent.keyboard("{Enter}");
    expect(patch).toHaveBeenLastCalledWith({ workloads: "orders,logs:8" });
    await two.getByRole("button", { name: "Remove logs" }).click();
    expect(patch).toHaveBeenLastCalledWith({ workloads: undefined });
  });
});

describe("the answer for several workloads", () => {
  it.each(["light", "dark"] as const)(
    "has the systems, a bill of each and the other ways, in %s",
    async (colors) => {
      serve([]);
      const screen = await renderThemed(
        <SharingView found={FOUND} asked={ASKED} months={36} patch={vi.fn()} />,
        colors,
      );
      await expect
        .element(
          screen.getByRole("heading", {
            name: "2 systems for 3 workloads: 500.00 USD per month",
          }),
        )
        .toBeVisible();
      const systems = screen.getByRole("table", { name: "Systems" });
      await expect
        .element(systems.getByRole("row").nth(2))
        .toMatchTextContent(/prices/);
      const bill = screen.getByRole("table", {
        name: "Bill of the system of logs, prices",
      });
      await expect.element(bill).toMatchTextContent(/Total: 200\.00 USD per month/);
      const ways = screen.getByRole("table", { name: "Other ways to share" });
      await expect
        .element(ways.getByRole("row").nth(1))
        .toMatchTextContent(/\(recommended\)/);
      await expect
        .element(ways.getByRole("row").nth(2))
        .toMatchTextContent(/\+112\.50/);
      await expectAccessible();
    },
  );

  it("says which RAM is divided, and what parts of one that is shared would do", async () => {
    serve([]);
    const [alone, shared] = FOUND.systems as [SystemOut, SystemOut];
    const [way] = FOUND.alternatives;
    const parts = [
      { part_bytes: 3 * 2 ** 29, part_hit_share: 0.75 },
      { part_bytes: 0, part_hit_share: 0 },
    ];
    const found = {
      ...FOUND,
      systems: [
        {
          ...alone,
          in_parts: true,
          option: { ...alone.option, machines: 2 },
          workloads: alone.workloads.map((held) => ({
            ...held,
            ram_bytes: 3 * 2 ** 32,
          })),
        },
        {
          ...shared,
          workloads: shared.workloads.map((held, at) => ({ ...held, ...parts[at] })),
          parts_save_share: 0.2,
        },
      ],
      alternatives: [{ ...way, in_parts: [true] }],
    } as PlacementOut;
    const screen = await renderThemed(
      <SharingView found={found} asked={ASKED} months={36} patch={vi.fn()} />,
    );
    const systems = screen.getByRole("table", { name: "Systems" });
    await expect
      .element(systems.getByRole("row").nth(1))
      .toMatchTextContent(/of 300\.00, RAM divided/);
    await expect
      .element(systems.getByRole("row").nth(1))
      .toMatchTextContent(/12 GiB of RAM, 6 GiB on each of 2 machines; /);
    const shares = systems.getByRole("row").nth(2);
    await expect
      .element(shares)
      .toMatchTextContent(/own 1\.5 GiB, 75 %\).*in a part of its own 0 B, 0 %/);
    await expect.element(shares).not.toMatchTextContent(/divided/);
    const ways = screen.getByRole("table", { name: "Other ways to share" });
    await expect
      .element(ways.getByRole("row").nth(2))
      .toMatchTextContent(/orders, logs, prices \(RAM divided\)/);
    await expect
      .element(ways.getByRole("row").nth(1))
      .toMatchTextContent(/orders \(RAM divided\); logs, prices/);
  });

  it("shows of each system the figures that were limited, and why one is not known", async () => {
    serve([]);
    const [alone, shared] = FOUND.systems as [SystemOut, SystemOut];
    const found = {
      ...FOUND,
      constraints: { peak_busy: "0.7", response_mean_us: "3000" },
      systems: [
        {
          ...alone,
          in_parts: true,
          option: { ...alone.option, response_mean_us: 1970, response_reason: "" },
        },
        {
          ...shared,
          option: {
            ...shared.option,
            response_mean_us: null,
            response_reason: "no latency of the disk is stated",
          },
        },
      ],
    } as PlacementOut;
    const screen = await renderThemed(
      <SharingView found={found} asked={ASKED} months={36} patch={vi.fn()} />,
    );
    const systems = screen.getByRole("table", { name: "Systems" });
    const said = (row: number) =>
      systems.getByRole("row").nth(row).getByRole("cell").first();
    await expect
      .element(said(1))
      .toMatchTextContent(/Mean response, busiest hour: 1\.97 ms/);
    await expect
      .element(said(2))
      .toMatchTextContent(
        /Mean response, busiest hour: not known\. No latency of the disk is stated\./,
      );
    // The other figures that a limit may be on were not limited.
    expect(systems.element().textContent).not.toMatch(/p99|Throughput|Life/);
    await expectAccessible();
  });

  it("says which system becomes too small, and what the rate of the busiest hour rests on", async () => {
    serve([]);
    const [alone, shared] = FOUND.systems as [SystemOut, SystemOut];
    const early =
      "As the data grow, they no longer fit after 1 month, before the 36 months of the horizon are over.";
    const [first, ...others] = alone.workloads;
    const found = {
      ...FOUND,
      systems: [
        {
          ...alone,
          workloads: [{ ...first, peak_accesses_per_s: 5000 }, ...others],
          peak_accesses_per_s: 5000,
          too_small: early,
        },
        shared,
      ],
    } as PlacementOut;
    const screen = await renderThemed(
      <SharingView found={found} asked={ASKED} months={36} patch={vi.fn()} />,
    );
    const systems = screen.getByRole("table", { name: "Systems" });
    const row = systems.getByRole("row").nth(1);
    const other = systems.getByRole("row").nth(2);
    await expect.element(row).toMatchTextContent(/no longer fit after 1 month/);
    await expect
      .element(row)
      .toMatchTextContent(
        /2,000 accesses\/s, 5,000 in its busiest hour \(2\.5 times the mean, as its profile states\)/,
      );
    await expect.element(other).not.toMatchTextContent(/busiest hour|no longer/);
  });

  it("shows both ends of what depends on dirty pages, and no number in between", async () => {
    serve([]);
    const ranges = { io_time_us_per_access: [9, 14] as [number, number] };
    const ranged = { io_time_us_per_access: null, ranges };
    const [alone, shared] = FOUND.systems as [SystemOut, SystemOut];
    const [way] = FOUND.alternatives;
    const busy = { peak_busy: [0.25, 0.5] as [number, number] };
    const found = {
      ...FOUND,
      ...ranged,
      systems: [
        {
          ...alone,
          option: {
            ...alone.option,
            ...ranged,
            peak_busy: null,
            ranges: { ...ranges, ...busy },
          },
        },
        shared,
      ],
      alternatives: [{ ...way, ...ranged }],
    } as PlacementOut;
    const screen = await renderThemed(
      <SharingView found={found} asked={ASKED} months={36} patch={vi.fn()} />,
    );
    const answer = screen.getByRole("region", { name: "Recommendation" });
    await expect.element(answer).toMatchTextContent(/9 µs to 14 µs/);
    const systems = screen.getByRole("table", { name: "Systems" });
    const first = systems.getByRole("row").nth(1);
    await expect.element(first).toMatchTextContent(/9 µs to 14 µs/);
    await expect.element(first).toMatchTextContent(/25.* to 50/);
    await expect.element(systems.getByRole("row").nth(2)).toMatchTextContent(/12 µs/);
    const ways = screen.getByRole("table", { name: "Other ways to share" });
    for (const row of [1, 2]) {
      await expect
        .element(ways.getByRole("row").nth(row))
        .toMatchTextContent(/9 µs to 14 µs/);
    }
  });

  it("offers to relax the limits that nothing keeps, and only those", async () => {
    serve([]);
    const patch = vi.fn();
    const screen = await renderThemed(
      <SharingView found={NOTHING} asked={ASKED} months={36} patch={patch} />,
    );
    expect(titleOf(NOTHING)).toBe("No choice of systems keeps every limit");
    expect(screen.getByRole("table").query()).toBeNull();
    await screen.getByRole("button", { name: /allow 456\.98 USD/ }).click();
    expect(patch).toHaveBeenLastCalledWith({ most_usd: 456.98 });
    expect(screen.getByRole("button", { name: /machine/i }).query()).toBeNull();
  });

  it.each([
    [[1], "machine"],
    [[3], "machines"],
    [[1, 1], "machines"],
  ] as const)(
    "says of %j that as many machines are not counted",
    async (each, noun) => {
      const systems = each.map((machines, at) => {
        const bare = system("100.00", `w${at}`);
        const option = { ...bare.option, without_machine: true, machines };
        return { ...bare, option };
      });
      const found = { ...FOUND, systems, alternatives: [] };
      serve([]);
      const said = `${noun} for RAM and devices not counted`;
      expect(titleOf(found)).toMatch(new RegExp(`USD per month, ${said}$`));
      const screen = await renderThemed(
        <SharingView found={found} asked={ASKED} months={36} patch={vi.fn()} />,
      );
      const total = screen.getByRole("region", { name: "Recommendation" });
      await expect
        .element(total)
        .toMatchTextContent(new RegExp(`over 36 months; ${said}`));
    },
  );

  const bare = (one: SystemOut): SystemOut => ({
    ...one,
    option: { ...one.option, without_machine: true, machines: 1 },
  });

  it.each([
    // A way that lacks machines beside a recommendation that lacks none, and the other way round.
    ["whole", [1], /612\.50, ?its machine not counted/, false],
    ["whole", [2], /612\.50, ?its machines not counted/, false],
    ["parts", [], /612\.50(?!,)/, false],
    ["parts", [1, 0], /612\.50, ?the machine of 1 of them not counted/, false],
    ["parts", [2, 0, 1], /612\.50, ?the machines of 2 of them not counted/, false],
    // Both lack as many.
    ["parts", [1, 1], /612\.50, ?their machines not counted/, true],
    ["parts", [2], /612\.50, ?its machines not counted/, true],
    ["whole", [], /612\.50(?!,)/, true],
    // An answer that does not state it.
    ["whole", undefined, /612\.50(?!,)/, true],
  ] as const)(
    "sets the cost of a way to share against %s where both lack equally many machines: %j",
    async (own, lacking, cost, isComparable) => {
      serve([]);
      const isBare = own === "parts";
      const [way] = FOUND.alternatives;
      const found = {
        ...FOUND,
        systems: isBare ? FOUND.systems.map(bare) : FOUND.systems,
        alternatives: [{ ...way, machines_left_out: lacking && [...lacking] }],
      } as PlacementOut;
      const screen = await renderThemed(
        <SharingView found={found} asked={ASKED} months={36} patch={vi.fn()} />,
      );
      const ways = screen.getByRole("table", { name: "Other ways to share" });
      const chosen = ways.getByRole("row").nth(1);
      await expect
        .element(chosen)
        .toMatchTextContent(
          isBare ? /500\.00, ?their machines not counted/ : /500\.00(?!,)/,
        );
      const other = ways.getByRole("row").nth(2);
      await expect.element(other).toMatchTextContent(cost);
      if (isComparable) {
        await expect.element(other).toMatchTextContent(/\+112\.50/);
      } else {
        expect(other.element().textContent).not.toContain("112.50");
      }
    },
  );

  it("is asked again only when that is wanted", async () => {
    const asked: object[] = [];
    serve([workload("orders", 10), workload("logs", 10)], asked);
    const onAsked = vi.fn();
    const screen = await renderThemed(
      <Changing
        onAsked={onAsked}
        each={[5, 6].map((rate) => [
          { id: "orders", rate },
          { id: "logs", rate: null },
        ])}
      />,
    );
    await expect
      .element(screen.getByRole("heading", { name: /^2 systems/ }))
      .toBeVisible();
    expect(screen.getByRole("button", { name: "Ask again" }).query()).toBeNull();
    await screen.getByRole("button", { name: "Change" }).click();
    await expect
      .element(screen.getByText(/question before the last change/))
      .toBeVisible();
    expect(asked).toHaveLength(1);
    expect(onAsked).not.toHaveBeenCalled();
    await screen.getByRole("button", { name: "Ask again" }).click();
    await expect.poll(() => asked.length).toBe(2);
    expect(asked[1]).toMatchObject({
      workloads: [{ workload_id: "orders", accesses_per_s: 6 }, {}],
    });
    await expect
      .element(screen.getByRole("button", { name: "Ask again" }))
      .not.toBeInTheDocument();
    expect(onAsked).toHaveBeenCalledOnce();
  });

  it("asks nothing while a rate is missing, or of too many", async () => {
    const asked: object[] = [];
    serve([workload("orders", 10), workload("logs", null)], asked);
    const of = (...ids: string[]) => ids.map((id) => ({ id, rate: null }));
    const many = Array<string>(MOST_PLACED + 1).fill("orders");
    const onFault = vi.fn();
    const screen = await renderThemed(
      <Changing each={[of("orders", "logs"), of(...many)]} onFault={onFault} />,
    );
    await expect.element(screen.getByText(/accesses per second of logs/)).toBeVisible();
    // The form opens where the rate is stated, once for each thing that is missing.
    expect(onFault.mock.calls).toEqual([[{ section: "workloads", field: null }]]);
    await screen.getByRole("button", { name: "Change" }).click();
    await expect.element(screen.getByText("Too many workloads")).toBeVisible();
    expect(onFault).toHaveBeenCalledTimes(2);
    expect(asked).toEqual([]);
  });
});
