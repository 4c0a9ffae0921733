import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type {
  AdviceOptionOut,
  AdviceOut,
  RejectedOptionOut,
  RuleOfThumbOut,
} from "@/api/advice";
import { type AdviceSearch, parseAdviceSearch } from "@/questions/advice";
import { NONE } from "@/questions/point";
import { STATE } from "@/testing/analysis-state";
import { expectAccessible, renderRouted, renderThemed } from "@/testing/render";
import { AdviceForm } from "./advice-form";
import { statusOf } from "./advice-page";
import { AdviceView, basisOf, reasonsOf } from "./advice-view";
import { Alternatives, closeFinding } from "./alternatives";
import { laterFinding } from "./later";
import { BillOfMaterials, Expected } from "./option-parts";
import type { Looked } from "./pins";
import { adviceQuestion } from "./question";
import {
  Infeasible,
  nearestRelaxations,
  reasonOf,
  relaxation,
  relaxing,
  roundedUp,
  withoutRelaxation,
} from "./rejected";
import { rulesFinding } from "./rules";
import { scenarioFinding } from "./scenarios";
import {
  difference,
  firstSentence,
  frontFinding,
  headroom,
  limitValue,
  noPower,
  noResponse,
  perSecond,
  statedLimit,
} from "./words";

/** Of an answer that was kept before limits had a heading. */
const NO_HEADING = { heading: "", more: "" };

const OPTION: AdviceOptionOut = {
  name: "1 x small",
  kind: "volumes",
  machines: 1,
  ram_bytes: 32 * 2 ** 30,
  flash_bytes: 2 ** 40,
  flash_device: "ssd",
  disk_device: "volume",
  flash_devices: 1,
  disks: 1,
  server: "small",
  volumes: [],
  scheme: "lazy",
  clean_share: null,
  clean_share_gain: null,
  clean_share_reason: "a flash cache lies below RAM",
  clean_share_uncounted_pages: null,
  admission: null,
  admission_by: null,
  options: {},
  usd_per_month: "800.50",
  purchase_usd: "0",
  replayed_io_time_us_per_access: null,
  io_time_us_per_access: 12,
  response_mean_us: null,
  response_p50_us: null,
  response_p99_us: null,
  response_mean_mean_us: null,
  response_p50_mean_us: null,
  response_p99_mean_us: null,
  response_reason: "no source states the latency of a read of ssd",
  ranges: {},
  on_existing: false,
  without_machine: false,
  peak_busy: 0.38,
  flash_life_years: null,
  restart_s: 90,
  power_watts: null,
  rack_units: null,
  throughput_accesses_per_s: 40000,
  ram_hit_share: 0.8,
  flash_hit_share: 0.15,
  disk_share: 0.05,
  months_until_too_small: 40.3,
  bill: [
    {
      what: "small",
      kind: "server",
      quantity: 1,
      unit: "USD/hour",
      unit_price: "1.0966",
      date: "2026-07-20",
      usd_per_month: "800.50",
      purchase_usd: "0",
      source: "a list",
      note: "",
      months: null,
    },
  ],
  point: null,
  config: {},
};

const LARGE: AdviceOptionOut = {
  ...OPTION,
  name: "2 x large",
  scheme: "none",
  flash_bytes: 0,
  usd_per_month: "1000.50",
  io_time_us_per_access: 3,
};

const TODAY: AdviceOptionOut = {
  ...OPTION,
  name: "64 GiB of RAM and 2 x disk",
  kind: "have",
  usd_per_month: "900.50",
  bill: [],
};

const REJECTED: RejectedOptionOut = {
  option: { ...OPTION, name: "1 x tiny", usd_per_month: "356.20" },
  constraint: "peak_busy",
  value: 0.75,
  limit: 0.7,
  relaxation: 0.05,
  also: [],
  text: "1 x tiny is too busy",
};

const FOUND: AdviceOut = {
  asked: { workload: "w", body: {} },
  workload_id: "w",
  advice_id: "abc",
  question: null,
  status: "model",
  objective: "usd",
  constraints: { peak_busy: "0.7" },
  finding: "Rent 1 x small: 800 USD per month.",
  decision: "Rent 1 x small: 800 USD per month.",
  because: "",
  reservations: [],
  pruned: 0,
  evaluated: 12,
  suitable: 9,
  recommendation: OPTION,
  verdict: {
    viable: true,
    optimality_gap: 0,
    limited_by: null,
    shadows: [],
    text: "Viable.",
  },
  option_zero: TODAY,
  saving_usd_per_month: "100.00",
  alternatives: [LARGE, TODAY],
  pareto: [OPTION, LARGE],
  pareto_in_all: 2,
  rejected: [REJECTED],
  rejected_counts: { price: 1, peak_busy: 2 },
  infeasible: null,
  confidence: {
    probability_best: null,
    expected_regret_usd_per_month: null,
    tornado: [
      {
        about: "the law",
        low: "it overstates",
        high: "it understates",
        usd_per_month_low: "500.00",
        usd_per_month_high: "1000.00",
        best_low: "1 x tiny",
        best_high: "2 x large",
        changes: true,
        flip: null,
        usd_per_month_flip: null,
        io_time_us_low: null,
        io_time_us_high: null,
        io_time_us_flip: null,
      },
    ],
    value_of_information: [],
    reason: "no probability: no windows",
    text: "",
    windows: null,
    block_windows: null,
    headline: "",
    about_bars: "",
    draws: null,
    breaks_share: null,
    none_keeps_share: null,
    more_accesses: null,
    intervals: [],
  },
  flash_caches: [],
  beyond_page_flow: 0,
  near_misses: 0,
  near_misses_replayed: 0,
  checked: [],
  when: {
    growth_per_year: 0.2,
    months_until_too_small: 40.3,
    steps: [
      {
        month: 17,
        month_before: 16,
        name: "2 x large",
        scheme: "none",
        usd_per_month: "1000.50",
        io_time_us_per_access: 3,
      },
      {
        month: 36,
        month_before: 24,
        name: null,
        scheme: null,
        usd_per_month: null,
        io_time_us_per_access: null,
      },
    ],
    asked_until: 36,
    text: "Then.",
    basis: "asked again in that month",
  },
  waiting: {
    pays: null,
    months: 12,
    usd_now: null,
    usd_later: null,
    usd_meanwhile: null,
    usd_by_prices: null,
    break_even_per_year: null,
    keeps_limits: true,
    trends: [],
    text: "Whether to wait is open.",
  },
  flat: [
    {
      size: "ram_bytes",
      value: 32 * 2 ** 30,
      low: 16 * 2 ** 30,
      high: 64 * 2 ** 30,
      less: null,
      more: {
        name: "1 x middle",
        value: 64 * 2 ** 30,
        usd_per_month_more: "20.25",
        io_time_us_more: -2,
      },
      text: "RAM.",
    },
  ],
  scenarios: {
    columns: [
      {
        name: "present",
        title: "as stated",
        definition: "as stated",
        best: "1 x small",
        best_usd_per_month: "800.50",
        best_io_time_us: 12,
      },
      {
        name: "loss",
        title: "a failure",
        definition: "one machine fails",
        best: null,
        best_usd_per_month: null,
        best_io_time_us: null,
      },
    ],
    rows: [
      {
        name: "1 x small",
        scheme: "lazy",
        alike: ["exclusive"],
        title: "1 x small, page flow Lazy or Exclusive",
        role: "recommended",
        is_rented: true,
        regret: [
          {
            usd_per_month: "800.50",
            breaks: [],
            regret_usd_per_month: "0",
            regret_io_time_us: null,
            reason: "",
          },
          {
            usd_per_month: "800.50",
            breaks: ["peak_busy"],
            regret_usd_per_month: null,
            regret_io_time_us: null,
            reason: "no candidate keeps every limit there",
          },
        ],
        most_regret_usd_per_month: "0",
        most_regret_io_time_us: null,
        is_robust: true,
      },
    ],
    robust: "1 x small",
    text: "Over 2 scenarios, the recommendation is the robust choice.",
    basis: "a choice stays as it was bought",
  },
  continuous: {
    ram_bytes: 2 ** 34,
    flash_bytes: 0,
    flash_device: null,
    disk_device: "disk",
    disks: 2.5,
    scheme: "none",
    usd_per_month: "700.00",
    least_usd_per_month: "699.50",
    gap: 0.0007,
    text: "If RAM and devices were sold in any size, 16 GiB would cost 700 USD per month.",
  },
  next_dollar: {
    steps: [
      {
        name: "2 x large",
        scheme: "none",
        usd_per_month_more: "200.00",
        io_time_us_saved: 9,
        usd_per_month_per_us: "22.22",
      },
      {
        name: "3 x large",
        scheme: "none",
        usd_per_month_more: "0.02",
        io_time_us_saved: 5,
        usd_per_month_per_us: "0.004",
      },
    ],
    text: "The next 200 USD per month save the most.",
  },
  staircases: [],
  rules_of_thumb: [
    {
      name: "all_in_ram",
      title: "RAM for all of the data",
      ram_bytes: 2 ** 42,
      flash_bytes: 0,
      option: LARGE,
      regret_usd_per_month: "200.00",
      regret_io_time_us: -9,
      reason: "",
    },
    {
      name: "five_minutes",
      title: "RAM for five minutes",
      ram_bytes: null,
      flash_bytes: 0,
      option: null,
      regret_usd_per_month: null,
      regret_io_time_us: null,
      reason: "the workload states no rate",
    },
  ],
  data_bytes: 2 ** 42,
  accesses_per_s: 20_000,
  peak_accesses_per_s: 50_000,
  horizon_months: 36,
  versions: {},
  estimator: "every option",
  validity: "equal machines",
  warnings: [],
  cautions: [],
  derivation: null,
};

const EMPTY: unknown = [];

// A component alone has no server; without names it shows ids.
beforeEach(() => {
  vi.spyOn(window, "fetch").mockImplementation(async () =>
    Response.json(EMPTY, { headers: { "content-type": "application/json" } }),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("the expected figures", () => {
  it("say between which values they lie, where that was drawn, and of the recommendation alone", async () => {
    const intervals = [
      { figure: "peak_busy", low: 0.31, high: 0.52 },
      { figure: "io_time_us_per_access", low: 12, high: 12 },
      { figure: "months_until_too_small", low: 31.9, high: 44.2 },
    ];
    const drawn = { ...FOUND, confidence: { ...FOUND.confidence, intervals } };
    const shown = (option: AdviceOptionOut) =>
      renderRouted(<Expected found={drawn} option={option} titles={new Map()} />);
    const own = await shown(OPTION);
    await expect
      .element(own.getByText("31 % to 52 % in 90 % of the draws"))
      .toBeVisible();
    await expect.element(own.getByText("the same in 90 % of the draws")).toBeVisible();
    await expect
      .element(own.getByText("31 months to 44 months in 90 % of the draws"))
      .toBeVisible();
    await own.unmount();
    const other = await shown(LARGE);
    await expect.element(other.getByText("the busiest device")).toBeVisible();
    expect(other.container.textContent).not.toContain("of the draws");
  });
});

describe("figures of what is rented", () => {
  it("are left out where they are the provider's", async () => {
    const shown = (option: AdviceOptionOut) =>
      renderRouted(<Expected found={FOUND} option={option} titles={new Map()} />);
    const rented = await shown(OPTION);
    await expect.element(rented.getByText(/are the provider's\.$/)).toBeVisible();
    for (const name of ["Life of the flash", "Power", "Rack space"]) {
      expect(rented.getByText(name, { exact: true }).query()).toBeNull();
    }
    await rented.unmount();
    const bought = await shown({ ...OPTION, kind: "chassis" });
    for (const name of ["Life of the flash", "Power", "Rack space"]) {
      await expect.element(bought.getByText(name, { exact: true })).toBeVisible();
    }
    expect(bought.getByText(/provider's/).query()).toBeNull();
  });
});

describe("the life of the flash", () => {
  it.each([
    [
      { ...FOUND, versions: { model: "18" } },
      "of drives that are bought, as the load grows by 20 % a year",
    ],
    [{ ...FOUND, when: null, versions: { model: "18" } }, "of drives that are bought"],
    // An answer that was saved before has the life at the writes of its day.
    [{ ...FOUND, versions: { model: "17" } }, "of drives that are bought"],
  ])("says which growth of the load it counts", async (found, said) => {
    const page = await renderRouted(
      <Expected
        found={found}
        option={{ ...OPTION, kind: "chassis" }}
        titles={new Map()}
      />,
    );
    await expect.element(page.getByText(said, { exact: true })).toBeVisible();
  });
});

describe("the link of a bill", () => {
  it("opens the page at the bill, which stands below all devices", async () => {
    const config = { machines: 2, horizon_months: 36, server: "aws-i4i.4xlarge" };
    const option = { ...OPTION, config } as AdviceOptionOut;
    const screen = await renderRouted(
      <BillOfMaterials option={option} months={36} label="Bill" />,
    );
    const link = screen.getByRole("link", { name: /Open this bill/ });
    await expect.element(link).toHaveAttribute("href", expect.stringMatching(/#bill$/));
  });
});

describe("the alternatives after a check", () => {
  it("hold replays against replays, and the model against the model", async () => {
    const option = (name: string, model: number, replayed: number | null) => ({
      ...OPTION,
      name,
      io_time_us_per_access: model,
      replayed_io_time_us_per_access: replayed,
    });
    const best = option("best", 10, 12);
    const found = {
      ...FOUND,
      option_zero: null,
      recommendation: best,
      alternatives: [option("replayed", 11, 18), option("modelled", 15, null)],
    } as AdviceOut;
    const screen = await renderRouted(
      <Alternatives found={found} best={best} titles={new Map()} />,
    );
    const table = screen.getByRole("table", { name: "Alternatives" });
    const heads = table.getByRole("columnheader");
    const names = heads.elements().map((each) => each.textContent ?? "");
    const at = (head: string) => names.findIndex((name) => name.startsWith(head));
    const cells = (row: number) =>
      [...table.getByRole("row").nth(row).element().children].map(
        (each) => each.textContent ?? "",
      );
    await expect.element(table).toBeVisible();
    expect(cells(2)[at("Difference by replay")]).toContain("+6 µs");
    expect(cells(2)[at("Difference by the model")]).toContain("+1 µs");
    expect(cells(3)[at("Difference by replay")]).not.toMatch(/\d/);
    expect(cells(3)[at("Difference by the model")]).toContain("+5 µs");
  });

  it("has no column in which nothing is known", async () => {
    const best = { ...OPTION, name: "best", replayed_io_time_us_per_access: null };
    const replayed = {
      ...OPTION,
      name: "replayed",
      replayed_io_time_us_per_access: 18,
    };
    const found = {
      ...FOUND,
      option_zero: null,
      recommendation: best,
      alternatives: [replayed],
    } as AdviceOut;
    const screen = await renderRouted(
      <Alternatives found={found} best={best} titles={new Map()} />,
    );
    const heads = screen.getByRole("table", { name: "Alternatives" });
    await expect
      .element(heads.getByRole("columnheader", { name: /^By replay/ }))
      .toBeVisible();
    expect(
      heads.getByRole("columnheader", { name: /^Difference by replay/ }).elements(),
    ).toHaveLength(0);
  });
});

describe("power, space and headroom", () => {
  it("are said of what is bought, and why not of what is rented", () => {
    expect(noPower(OPTION)).toContain("rented");
    expect(noPower({ ...OPTION, kind: "chassis" })).toContain("No source");
    // 40,000 accesses per second, and 50,000 in the busiest hour.
    expect(headroom(FOUND, OPTION)).toBe("0.8 times the busiest hour");
    // A hundredth more is not as much, and what RAM alone serves has no limit here.
    const carries = (rate: number) => ({ ...OPTION, throughput_accesses_per_s: rate });
    expect(headroom(FOUND, carries(50_500))).toBe("1.01 times the busiest hour");
    expect(headroom(FOUND, carries(49e9))).toBe("not limited by its devices");
    expect(perSecond(49e9)).toBe("over 1 billion /s");
    expect(perSecond(50_500)).toBe("50,500 /s");
    expect(headroom({ ...FOUND, peak_accesses_per_s: null }, OPTION)).toBeNull();
    const unknown = { ...OPTION, throughput_accesses_per_s: null };
    expect(headroom(FOUND, unknown)).toBeNull();
  });
});

describe("what is asked", () => {
  it("is what the address says, and nothing that it does not", () => {
    expect(adviceQuestion(STATE, {}, false)).toEqual({
      start: "steady",
      objective: "usd",
      horizon_months: 36,
      price_book_id: "book",
      candidates: { kinds: ["instances", "volumes", "chassis"] },
      constraints: {},
    });
    const search = parseAdviceSearch({
      goal: "io_time",
      kinds: "devices,volumes",
      providers: "aws,gcp",
      vendors: "SK hynix,Solidigm",
      most_usd: 5000,
      most_ram_gib: 2,
      chassis_usd: 9000,
      borrow: true,
      have_ram_gib: 64,
      have_disks: 2,
    });
    expect(search.refused).toBeUndefined();
    const asked = adviceQuestion({ ...STATE, price_book: NONE }, search, true);
    expect(asked).toMatchObject({
      objective: "io_time",
      price_book_id: "none",
      candidates: {
        kinds: ["volumes", "devices"],
        providers: ["aws", "gcp"],
        vendors: ["SK hynix", "Solidigm"],
        part_usd: { chassis: 9000 },
      },
      constraints: { usd_per_month: 5000, ram_bytes: 2 ** 31 },
      flash_device_id: "ssd",
      disk_device_id: "hdd",
      have: { ram_bytes: 2 ** 36, disk_device_id: "hdd", disks: 2, machines: 1 },
      dirty_share: null,
    });
    expect(asked.have).not.toHaveProperty("scheme");
    // Own devices are bought by themselves: without that kind they are no candidates.
    const own = parseAdviceSearch({ own: "own-a-1,own-b-2", kinds: "devices" });
    expect(adviceQuestion(STATE, own, false).candidates).toMatchObject({
      own: ["own-a-1", "own-b-2"],
    });
    const { candidates } = adviceQuestion(STATE, { ...own, kinds: "volumes" }, false);
    expect(candidates).not.toHaveProperty("own");
    const cached = adviceQuestion(STATE, { ...search, have_flash_gib: 1 }, false);
    expect(cached.have).toMatchObject({ flash_bytes: 2 ** 30, scheme: "lazy" });
    // Equal machines share their devices equally: one each, unless stated.
    const limited = adviceQuestion(
      STATE,
      { most_flash_gib: 3, most_p50_us: 20, most_watts: 900, most_units: 4 },
      false,
    );
    expect(limited.constraints).toEqual({
      flash_bytes: 3 * 2 ** 30,
      response_p50_us: 20,
      power_watts: 900,
      rack_units: 4,
    });
    const few = adviceQuestion(STATE, { limit_machines: 1 }, false);
    expect(few.constraints).toEqual({ machines: 1 });
    expect(few.candidates).not.toHaveProperty("max_machines");
    // More than the usual 8 are listed where they may be bought, and beyond the limit what it costs.
    const many = adviceQuestion(STATE, { limit_machines: 16 }, false);
    expect(many).toMatchObject({
      constraints: { machines: 16 },
      candidates: { max_machines: 32 },
    });
    for (const limit_machines of [32, 64, 128, 500]) {
      const most = adviceQuestion(STATE, { limit_machines }, false);
      expect(most.candidates).toMatchObject({ max_machines: 64 });
      expect(most.constraints).toEqual({ machines: limit_machines });
    }
    // An address of before there was a limit states how many are listed, and asks no more than that.
    const earlier = parseAdviceSearch({ most_machines: 1 });
    expect(earlier.refused).toBeUndefined();
    expect(adviceQuestion(STATE, earlier, false)).toMatchObject({
      candidates: { max_machines: 1 },
    });
    expect(adviceQuestion(STATE, earlier, false).constraints).toEqual({});
    const both = { limit_machines: 16, most_machines: 4 };
    expect(adviceQuestion(STATE, both, false)).toMatchObject({
      constraints: { machines: 16 },
      candidates: { max_machines: 4 },
    });
    const several = { have_ram_gib: 64, have_flash_gib: 1, have_machines: 3 };
    expect(adviceQuestion(STATE, several, false).have).toMatchObject({
      disks: 3,
      flash_devices: 3,
    });
  });

  it("is changed in the form, each field in its unit", async () => {
    const patch = vi.fn();
    const search: AdviceSearch = { most_busy: 0.5 };
    const screen = await renderThemed(
      <AdviceForm state={STATE} search={search} patch={patch} />,
    );
    const budget = screen.getByLabelText("Budget per month");
    await budget.fill("5,000");
    await userEvent.keyboard("{Enter}");
    expect(patch).toHaveBeenLastCalledWith({ most_usd: 5000 });
    await screen.getByText("Least I/O time").click();
    expect(patch).toHaveBeenLastCalledWith({ goal: "io_time" });
    await screen.getByRole("button", { name: /More limits \(1 set\)/ }).click();
    const busy = screen.getByLabelText("Busy share in the busiest hour");
    await expect.element(busy).toHaveValue("50");
    await busy.fill("60");
    await userEvent.keyboard("{Enter}");
    expect(patch).toHaveBeenLastCalledWith({ most_busy: 0.6 });
    await screen.getByRole("button", { name: /What may be bought/ }).click();
    await screen.getByLabelText("Cloud instances").click();
    expect(patch).toHaveBeenLastCalledWith({ kinds: "volumes,chassis" });
    await expectAccessible();
  });

  it("shows how many machines are looked at beside what may be bought, and not as a limit", async () => {
    const patch = vi.fn();
    const screen = await renderThemed(
      <AdviceForm state={STATE} search={{ most_machines: 3 }} patch={patch} />,
    );
    await screen.getByRole("button", { name: "More limits (none set)" }).click();
    await expect
      .element(screen.getByRole("textbox", { name: "Machines" }))
      .toHaveValue("");
    await screen.getByRole("button", { name: /^What may be bought or rented/ }).click();
    const listed = screen.getByRole("textbox", { name: "Equal machines looked at" });
    await expect.element(listed).toHaveValue("3");
    await listed.fill("5");
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => patch.mock.lastCall).toEqual([{ most_machines: 5 }]);
  });

  it("takes devices of the user's own, which adds their kind", async () => {
    const device = (id: string, change: object = {}) => ({
      id,
      name: `Drive ${id}`,
      kind: "nvme",
      origin: "own",
      sold_as: "device",
      capacity_bytes: 10 ** 12,
      ...change,
    });
    const items = [
      device("mine"),
      device("shipped", { origin: "shipped" }),
      device("volume", { kind: "cloud_block" }),
      device("of-no-size", { capacity_bytes: null }),
    ];
    vi.spyOn(window, "fetch").mockImplementation(async (request) =>
      Response.json(
        (request as Request).url.includes("/catalog/devices")
          ? { items, total: items.length }
          : EMPTY,
      ),
    );
    const patch = vi.fn();
    const screen = await renderThemed(
      <AdviceForm state={STATE} search={{}} patch={patch} />,
    );
    await screen.getByRole("button", { name: /What may be bought/ }).click();
    await screen.getByRole("combobox", { name: "Your own devices" }).click();
    const listed = screen.getByRole("option", { name: /^Drive/ });
    await expect.element(listed).toHaveTextContent("Drive mine");
    await listed.click();
    expect(patch).toHaveBeenLastCalledWith({
      own: "mine",
      kinds: "instances,volumes,chassis,devices",
    });
    await expectAccessible();
  });
});

describe("the answer", () => {
  it.each(["light", "dark"] as const)(
    "is read from the sentence on, in %s",
    async (colors) => {
      const screen = await renderRouted(
        <AdviceView found={FOUND} isRefining={false} patch={vi.fn()} />,
        colors,
      );
      await expect
        .element(screen.getByRole("heading", { name: /^Rent 1 x small/ }))
        .toBeVisible();
      const headline = screen.getByRole("region", {
        name: "Recommendation",
        exact: true,
      });
      await expect.element(headline).toMatchTextContent(/−100\.00/);
      const bill = screen.getByRole("table", { name: "Bill of the recommendation" });
      await expect.element(bill).toMatchTextContent(/Total: 800\.50 USD per month/);
      const others = screen.getByRole("table", { name: "Alternatives" });
      await expect.element(others).toMatchTextContent(/\+200\.00/);
      await expect.element(others).toMatchTextContent(/−9 µs/);
      await expect.element(others).toMatchTextContent(/what you have/);
      await screen
        .getByRole("button", { name: /2 x large/ })
        .first()
        .click();
      await expect
        .element(screen.getByRole("table", { name: "Bill of 2 x large" }))
        .toBeVisible();
      const unknown = screen.getByRole("table", { name: "What is not known" });
      await expect.element(unknown).toMatchTextContent(/500\.00/);
      const rules = screen.getByRole("table", { name: "Rules of thumb" });
      await expect.element(rules).toMatchTextContent(/the workload states no rate/);
      await expect
        .element(
          screen.getByRole("heading", { name: /^Why not the others: 3 options of 12/ }),
        )
        .toBeVisible();
      await expectAccessible();
    },
  );

  it("gives a volume no name of the catalogue, which is of one of another size", async () => {
    const item = (id: string, kind: string) => ({
      id,
      name: `${id}, 16,384 GiB`,
      kind,
    });
    const items = [item("sc1", "cloud_disk"), item("drive", "nvme")];
    vi.spyOn(window, "fetch").mockImplementation(async (request) =>
      Response.json(
        (request as Request).url.includes("/catalog/devices")
          ? { items, total: items.length }
          : EMPTY,
      ),
    );
    const screen = await renderRouted(
      <AdviceView
        found={{ ...FOUND, because: "`sc1` of 3,638 GiB is behind `drive`." }}
        isRefining={false}
        patch={vi.fn()}
      />,
    );
    await expect
      .element(screen.getByRole("region", { name: "Recommendation", exact: true }))
      .toMatchTextContent(/sc1 of 3,638 GiB is behind drive, 16,384 GiB/i);
  });

  it("says of no candidate what to state, and nothing of limits that nobody stated", async () => {
    const screen = await renderRouted(
      <AdviceView
        found={{
          ...FOUND,
          decision: "",
          finding: "There is no candidate: nothing that may be bought is priced",
          recommendation: null,
          evaluated: 0,
          rejected: [],
          rejected_counts: {},
          infeasible: { ...NO_HEADING, conflict: [], text: "There is no candidate." },
          cautions: [
            {
              code: "chassis_without_price",
              about: [],
              effect: "",
              could_change_choice: null,
              message: "servers built from parts are no candidates",
              hint: "state the price of a chassis",
            } as (typeof FOUND.cautions)[number],
          ],
        }}
        isRefining={false}
        patch={vi.fn()}
      />,
    );
    const headline = screen.getByRole("region", { name: "Recommendation" });
    await expect
      .element(headline)
      .toMatchTextContent(
        /There is no candidate.*State the price of a chassis, or allow more kinds of hardware\./,
      );
    const said = screen.container.textContent ?? "";
    expect(said).not.toMatch(/[Nn]o single limit|limit that keeps|breaks a limit/);
    expect(said).not.toMatch(/keeps the other limits|What a limit costs/);
  });

  it("stands in the order of the answer, and leads from its head to the check", async () => {
    const screen = await renderRouted(
      <AdviceView
        found={FOUND}
        isRefining={false}
        patch={vi.fn()}
        check={() => <section aria-label="The check">Here.</section>}
      />,
    );
    const check = screen.getByRole("region", { name: "The check" });
    const wanted = [
      "Recommendation",
      "Bill of materials",
      "What else was close",
      "Why not the others",
      "How sure it is",
      "The check",
      "When it changes",
      "Rules of thumb",
    ];
    const shown = screen
      .getByRole("region")
      .elements()
      .map((each) => each.getAttribute("aria-label") ?? "")
      .filter((label) => wanted.includes(label));
    expect(shown.length).toBeGreaterThan(5);
    expect(shown).toEqual(wanted.filter((label) => shown.includes(label)));
    await screen.getByRole("button", { name: "Go to the check" }).click();
    expect(document.activeElement?.contains(check.element())).toBe(true);
    await userEvent.tab();
    expect(check.element().contains(document.activeElement)).toBe(false);
  });

  it("keeps how sure it is out of the heading, and says it once", async () => {
    const text =
      "In 93 % of the draws of what is not known it is the best choice, or within 1 % of it; in the other 7.0 % another choice is better.";
    const found = {
      ...FOUND,
      finding: `${FOUND.finding} ${text}`,
      confidence: { ...FOUND.confidence, text },
    };
    const screen = await renderRouted(
      <AdviceView found={found} isRefining={false} patch={vi.fn()} />,
    );
    const headline = screen.getByRole("region", {
      name: "Recommendation",
      exact: true,
    });
    expect(headline.element().textContent?.split(text)).toHaveLength(2);
  });

  it.each([true, false])(
    "says at its head why it states no probability once it is whole, refining %s",
    async (isRefining) => {
      const reason = "no probability: too short; record 560,000 accesses more";
      const confidence = { ...FOUND.confidence, text: "", reason };
      const screen = await renderRouted(
        <AdviceView
          found={{ ...FOUND, confidence }}
          isRefining={isRefining}
          patch={vi.fn()}
        />,
      );
      const headline = screen.getByRole("region", {
        name: "Recommendation",
        exact: true,
      });
      const said = headline.element().textContent ?? "";
      expect(said.includes(`N${reason.slice(1)}.`)).toBe(!isRefining);
    },
  );

  it("is headed by all that was found where an answer was kept before its parts were told apart", async () => {
    const screen = await renderRouted(
      <AdviceView
        found={{ ...FOUND, decision: "" }}
        isRefining={false}
        patch={vi.fn()}
      />,
    );
    await expect
      .element(screen.getByRole("heading", { name: FOUND.finding, exact: true }))
      .toBeVisible();
  });

  it("is headed by what to buy and its price, with the reasons below", async () => {
    const decision =
      "Buy 2 x Acme Inc. SSD of 1.5 TB, page flow Lazy: 1,234.50 USD per month against 3,000 USD today, 1,770 USD less.";
    const because = "It is the cheapest of 12 options that keep every limit.";
    const found = { ...FOUND, decision, because, finding: `${decision} ${because}` };
    expect(firstSentence("In month 1.5 it is full. Then another.")).toEqual([
      "In month 1.5 it is full.",
      "Then another.",
    ]);
    const onState = vi.fn();
    const screen = await renderRouted(
      <AdviceView
        found={{ ...found, option_zero: null, saving_usd_per_month: null }}
        isRefining={false}
        patch={vi.fn()}
        onState={onState}
      />,
    );
    const headline = screen.getByRole("region", {
      name: "Recommendation",
      exact: true,
    });
    await expect.element(headline.getByRole("heading")).toHaveTextContent(decision);
    const definitions = headline.getByRole("definition");
    await expect.element(definitions.nth(0)).toMatchTextContent(/^800\.50 USD/);
    await expect.element(definitions.nth(1)).toHaveTextContent("nothing");
    await expect.element(definitions.nth(5)).toHaveTextContent(`${because} Viable.`);
    // What does not last is said in full in the notes, and once.
    const but = "Nothing is evicted: another costs $& 1 USD per month more.";
    const told = {
      ...found,
      because: `${because} ${but} By the model alone.`,
      reservations: [but],
    };
    expect(reasonsOf(told, false)[0]).toEqual([
      "Why",
      `${because} By the model alone. ${FOUND.verdict.text}`,
    ]);
    await headline.getByRole("button", { name: "State what you have now" }).click();
    expect(onState).toHaveBeenCalledOnce();
  });

  it("says that it was checked only where something was replayed", () => {
    const row = { option: OPTION, simulated: 12 } as AdviceOut["checked"][number];
    const of = (change: Partial<AdviceOut>) => basisOf({ ...FOUND, ...change });
    expect(of({})).toBe("By the model, not replayed.");
    expect(of({ status: "checked", checked: [row] })).toMatch(/^Checked/);
    const none = { ...row, simulated: null };
    expect(of({ status: "checked", checked: [none] })).toBe(
      "By the model: no option could be replayed.",
    );
    const others = [none, { ...row, option: LARGE }];
    expect(of({ status: "checked", checked: others })).toBe(
      "By the model: the recommendation could not be replayed, other options were.",
    );
    // What the model rules out was replayed, too, and stands in no table.
    const near = { status: "checked", checked: [row, others[1]] } as Partial<AdviceOut>;
    expect(of({ ...near, near_misses_replayed: 0 })).toBe(
      "Checked: 2 options were replayed in the reference simulator.",
    );
    expect(of({ ...near, near_misses_replayed: 3 })).toBe(
      "Checked: 2 options were replayed in the reference simulator, and so were 3 more options that the model rules out.",
    );
    // The one that its replay admits is recommended, among the two, and not counted again.
    const admitted = {
      ...OPTION,
      io_time_us_per_access: 12,
      replayed_io_time_us_per_access: 12,
    };
    const byReplay = {
      ...near,
      recommendation: admitted,
      checked: [
        { ...row, option: admitted, model: 15 },
        { ...row, option: LARGE },
      ],
    } as Partial<AdviceOut>;
    expect(of({ ...byReplay, near_misses_replayed: 0 })).toBe(
      "Checked: 2 options were replayed in the reference simulator.",
    );
    expect(of({ ...byReplay, near_misses_replayed: 1 })).toBe(
      "Checked: 2 options were replayed in the reference simulator, and so was 1 more option that the model rules out.",
    );
    const cache = { io_time_us_per_access: 3 } as AdviceOut["flash_caches"][number];
    // Nor is it where a flash cache runs the recommendation, which is itself no option more.
    const cached = {
      ...byReplay,
      recommendation: { ...admitted, scheme: "cac" },
      checked: [
        { ...row, option: { ...admitted, scheme: "cac" }, model: null },
        ...(byReplay.checked ?? []),
      ],
      flash_caches: [{ ...cache, is_chosen: true }, cache],
    } as Partial<AdviceOut>;
    expect(of({ ...cached, near_misses_replayed: 0 })).toBe(
      "Checked: 2 options and 2 flash caches were replayed in the reference simulator.",
    );
    expect(of({ status: "checked", flash_caches: [cache] })).toMatch(/^Checked/);
    expect(
      of({ status: "checked", flash_caches: [cache], near_misses_replayed: 2 }),
    ).toBe(
      "Checked: 1 flash cache was replayed in the reference simulator, and so were 2 options that the model rules out.",
    );
  });

  it("says when it changes, what its neighbours cost and what it would regret", async () => {
    const view = (found: AdviceOut) =>
      renderRouted(<AdviceView found={found} isRefining={false} patch={vi.fn()} />);
    const screen = await view(FOUND);
    const table = (name: string) => screen.getByRole("table", { name, exact: true });
    const steps = table("When another choice is the best");
    await expect.element(steps).toMatchTextContent(/17.*2 x large.*1,000\.50/);
    // The months between were not asked.
    await expect
      .element(steps)
      .toMatchTextContent(/25 to 36.*no option keeps every limit/);
    const sizes = table("Other sizes");
    await expect.element(sizes).toMatchTextContent(/16 GiB to 64 GiB/);
    await expect.element(sizes).toMatchTextContent(/64 GiB: \+20\.25, −2 µs/);
    await expect.element(sizes).toMatchTextContent(/no option/);
    const more = table("What more money buys");
    await expect.element(more).toMatchTextContent(/22\.2(?!2)/);
    await expect.element(more).toMatchTextContent(/under 0\.01/);
    await expect
      .element(table("Regret in each scenario"))
      .toMatchTextContent(
        /1 x small, page flow Lazy or Exclusive \(recommended, robust\).*breaks a limit/,
      );
    await expect
      .element(table("Scenarios"))
      .toMatchTextContent(/no limit.*one machine fails.*Busy share/);
    // What a regret is stands there in two sentences; all of it is folded.
    const regret = screen.getByRole("region", { name: "Scenarios", exact: true });
    await expect
      .element(regret)
      .toMatchTextContent(
        /where it breaks a limit, what an exchange for that loses at most/,
      );
    const basis = "A choice stays as it was bought.";
    expect(regret.element().textContent?.split(basis)).toHaveLength(2);
    await regret.getByRole("button", { name: "How regret is counted" }).click();
    expect(regret.element().textContent?.split(basis)).toHaveLength(3);
    await screen.unmount();
    const quick = await view({
      ...FOUND,
      when: null,
      waiting: null,
      scenarios: null,
      flat: [],
      next_dollar: null,
      continuous: null,
    });
    for (const label of ["When it changes", "How flat it is", "Scenarios"]) {
      expect(quick.getByLabelText(label).query()).toBeNull();
    }
  });

  it("says where what there is could not be recommended", async () => {
    const said =
      /What you have stands last: it breaks a limit, or its cost is not known\./;
    const view = (found: AdviceOut) =>
      renderRouted(<AdviceView found={found} isRefining={false} patch={vi.fn()} />);
    const kept = await view(FOUND);
    await expect.element(kept.getByText(/^What else was close/)).toBeVisible();
    expect(kept.getByText(said).elements()).toHaveLength(0);
    await kept.unmount();
    const broken = await view({ ...FOUND, alternatives: [LARGE] });
    await expect.element(broken.getByText(said)).toBeVisible();
  });

  it("says how sure it is, what to measure first, and where the choice flips", async () => {
    const view = (found: AdviceOut) =>
      renderRouted(<AdviceView found={found} isRefining={false} patch={vi.fn()} />);
    const worth = (usd: string) => [
      { about: "the law", usd_per_month: usd, text: "Record more first: worth it." },
    ];
    // A share of some draws, in the words of the sentence beside.
    const headline =
      "In 47 % of all draws of what is not known none of the options compared keeps every limit; in 18 % of the others the recommendation is the best choice, or within 1 % of it, in 82 % another choice is better";
    const sure: AdviceOut = {
      ...FOUND,
      confidence: {
        ...FOUND.confidence,
        probability_best: 0.1837,
        headline,
        text: `${headline}.`,
        none_keeps_share: 0.47,
        about_bars: "Besides the windows of the recording 15 inputs were drawn.",
        expected_regret_usd_per_month: "12.00",
        reason: "512 draws",
        tornado: FOUND.confidence.tornado.map((bar) => ({
          ...bar,
          flip: "the misses are 20 % off",
          usd_per_month_flip: "777.00",
        })),
        value_of_information: worth("9.00"),
      },
    };
    const shown = await view(sure);
    await expect
      .element(shown.getByRole("heading", { name: headline, exact: true }))
      .toBeVisible();
    expect(shown.container.textContent).not.toMatch(/18\.\d %/);
    // The bars are not all that is not known.
    expect(shown.container.textContent).toContain("15 inputs were drawn");
    // What was drawn is folded behind what it says.
    expect(shown.container.textContent).not.toContain("512 draws");
    await shown
      .getByRole("button", { name: "What was drawn, and how a draw counts" })
      .click();
    await expect.element(shown.getByText("512 draws.")).toBeVisible();
    await expect.element(shown.getByText(/Record more first: worth it/)).toBeVisible();
    const unknown = shown.getByRole("table", { name: "What is not known" });
    await expect.element(unknown).toMatchTextContent(/777\.00/);
    await shown.unmount();
    const fast = await view({
      ...FOUND,
      objective: "io_time",
      confidence: {
        ...FOUND.confidence,
        value_of_information: null,
        tornado: FOUND.confidence.tornado.map((bar) => ({
          ...bar,
          io_time_us_low: 4,
          io_time_us_high: 1500,
          flip: "the misses are 20 % off",
          usd_per_month_flip: "777.00",
          io_time_us_flip: 70,
        })),
      },
    });
    const times = fast.getByRole("table", { name: "What is not known" });
    // Times, and behind what is bought there what it costs.
    await expect
      .element(times)
      .toMatchTextContent(
        /4 µs.*1 x tiny, 500\.00 USD per month.*1\.5 ms.*2 x large, 1,000\.00 USD per month/,
      );
    await expect
      .element(times)
      .toMatchTextContent(/20 % off: 70 µs, 777\.00 USD per month/);
    await fast.unmount();
    const idle = await view({
      ...sure,
      confidence: { ...sure.confidence, value_of_information: worth("0.00") },
    });
    await expect
      .element(idle.getByText(/No single input is worth measuring/))
      .toBeVisible();
    expect(idle.getByText(/Record more first/).elements()).toHaveLength(0);
  });

  it("says which limits conflict, and offers what admits an option", async () => {
    const patch = vi.fn();
    const found: AdviceOut = {
      ...FOUND,
      finding: "No option keeps every limit: none keeps the limit on RAM.",
      decision: "No option keeps every limit: none keeps the limit on RAM.",
      recommendation: null,
      alternatives: [],
      pareto: [],
      constraints: { peak_busy: "0.7", usd_per_month: "100" },
      infeasible: {
        ...NO_HEADING,
        conflict: ["space", "peak_busy", "usd_per_month"],
        text: "No option.",
      },
    };
    const alone = {
      ...found,
      infeasible: { ...NO_HEADING, conflict: ["space"], text: "None." },
    };
    const none = await renderRouted(
      <AdviceView found={alone} isRefining={false} patch={patch} />,
    );
    await expect
      .element(none.getByText("Space for the data: cannot be relaxed"))
      .toBeVisible();
    await none.unmount();
    const screen = await renderRouted(
      <AdviceView found={found} isRefining={false} patch={patch} />,
    );
    const headline = screen.getByRole("region", {
      name: "Recommendation",
      exact: true,
    });
    await expect
      .element(headline)
      .toMatchTextContent(/Cost per month: at most 100\.00 USD/);
    // What nobody can relax is nothing to act on beside what was asked for.
    await expect.element(headline).not.toMatchTextContent(/cannot be relaxed/);
    await screen
      .getByRole("button", {
        name: "Busy share of a device in the busiest hour: allow 75 %",
      })
      .click();
    expect(patch).toHaveBeenCalledWith({ most_busy: 0.75 });
    expect(screen.getByRole("table", { name: "Alternatives" }).query()).toBeNull();
    await expectAccessible();
  });

  it("has a short heading where nothing keeps every limit, and below what would be enough", async () => {
    const heading =
      "No option keeps both limits: 500 USD per month and 200 µs at the 99th percentile.";
    const more =
      "Relaxing one limit is enough: cost per month to 664.62 USD, which admits 1 x a.";
    const found: AdviceOut = {
      ...FOUND,
      finding: `${heading} ${more}`,
      decision: heading,
      because: more,
      recommendation: null,
      alternatives: [],
      pareto: [],
      constraints: { usd_per_month: "500", response_p99_us: "200" },
      infeasible: {
        conflict: ["usd_per_month", "response_p99_us"],
        text: `No option keeps every limit. ${more}`,
        heading,
        more,
      },
    };
    const screen = await renderRouted(
      <AdviceView found={found} isRefining={false} patch={vi.fn()} />,
    );
    const headline = screen.getByRole("region", {
      name: "Recommendation",
      exact: true,
    });
    await expect
      .element(headline.getByRole("heading", { level: 2 }))
      .toHaveTextContent(heading);
    const enough = headline.getByText(more);
    await expect.element(enough).toBeVisible();
    expect(Number(getComputedStyle(enough.element()).fontWeight)).toBeLessThan(500);
    // Each limit and what would be enough stand there once.
    const text = headline.element().textContent ?? "";
    expect(text.split("200 µs").length).toBe(2);
    expect(text.split("664.62").length).toBe(2);
  });

  it.each([
    [1, "the machine they need is", "the machine of what to buy is", "machine"],
    [3, "the machines they need are", "the machines of what to buy are", "machines"],
  ] as const)(
    "claims no saving against today where %i machines are not counted",
    async (machines, needed, ofBest, mark) => {
      const bare = {
        ...OPTION,
        machines,
        kind: "devices",
        name: "5 GiB of RAM and 2 x d",
        usd_per_month: "20.00",
        without_machine: true,
      } as const;
      const today = {
        ...OPTION,
        kind: "have",
        name: "old machines",
        usd_per_month: "2500.00",
      } as const;
      const found: AdviceOut = {
        ...FOUND,
        recommendation: bare,
        option_zero: today,
        saving_usd_per_month: null,
        alternatives: [
          { ...OPTION, name: "1 x whole", usd_per_month: "300.00" },
          today,
        ],
      };
      const screen = await renderRouted(
        <AdviceView found={found} isRefining={false} patch={vi.fn()} />,
      );
      const headline = screen.getByRole("region", {
        name: "Recommendation",
        exact: true,
      });
      const said = headline.element().textContent;
      expect(said).toContain(`; ${needed} not counted`);
      expect(said).toContain(`today costs 2,500.00; ${ofBest} not counted`);
      expect(headline.element().textContent).not.toContain("2,480");
      const table = screen.getByRole("table", { name: "Alternatives" });
      await expect
        .element(table.getByText(`${mark} not counted`, { exact: true }))
        .toBeVisible();
      const are = machines === 1 ? "is" : "are";
      const unlike = table.getByLabelText(
        `Unknown: The ${mark} of one of both ${are} not counted.`,
      );
      await expect.element(unlike.first()).toBeVisible();
      // 280 more than parts without a machine is no difference of two systems.
      expect(table.element().textContent).not.toContain("280");
    },
  );

  it.each([null, { ...OPTION, kind: "have", name: "old machines" }] as const)(
    "shows what there is where nothing keeps every limit",
    async (option_zero) => {
      const infeasible = {
        ...NO_HEADING,
        conflict: ["usd_per_month"],
        text: "No option.",
      };
      const found: AdviceOut = {
        ...FOUND,
        finding: "No option keeps every limit.",
        decision: "No option keeps every limit.",
        recommendation: null,
        alternatives: [],
        pareto: [],
        option_zero,
        infeasible,
      };
      const screen = await renderRouted(
        <AdviceView found={found} isRefining={false} patch={vi.fn()} />,
      );
      const today = screen.getByRole("region", { name: "What you have today" });
      if (option_zero === null) {
        expect(today.query()).toBeNull();
        return;
      }
      await expect.element(today).toMatchTextContent(/old machines/);
      await expect.element(today).toMatchTextContent(/I\/O time/);
      await expectAccessible();
    },
  );
});

describe("the front", () => {
  /** As the page holds it: what is selected and pinned is in the address alone. */
  function Looking({ start, found = FOUND }: { start: Looked; found?: AdviceOut }) {
    const [looked, setLooked] = useState(start);
    return (
      <>
        <output>{JSON.stringify(looked)}</output>
        <AdviceView
          found={found}
          isRefining={false}
          looked={looked}
          patch={(change) => setLooked((before) => ({ ...before, ...change }))}
        />
      </>
    );
  }
  const looking = (start: Looked, colors: "light" | "dark" = "light") =>
    renderRouted(<Looking start={start} />, colors);

  it.each(["light", "dark"] as const)(
    "opens an option, pins and compares, by keys alone, in %s",
    async (colors) => {
      const screen = await looking({}, colors);
      const front = screen.getByRole("table", { name: "Front", exact: true });
      await expect.element(front).toBeVisible();
      expect(screen.getByRole("region", { name: "Compare" }).query()).toBeNull();

      // Chosen: its bill and figures.
      const large = front.getByRole("button", { name: "2 x large", exact: true });
      (large.element() as HTMLElement).focus();
      await userEvent.keyboard("{Enter}");
      await expect.element(large).toHaveAttribute("aria-pressed", "true");
      const selected = screen.getByRole("region", { name: "Selected option" });
      await expect.element(selected).toMatchTextContent(/Total: 1,000\.50 USD/);
      await expect.element(selected).toMatchTextContent(/I\/O time per access3 µs/);

      // Pinned: beside the recommendation, each difference with its sign.
      const pin = front.getByRole("button", { name: "Pin 2 x large" });
      (pin.element() as HTMLElement).focus();
      await userEvent.keyboard(" ");
      await expect.element(pin).toHaveAttribute("aria-pressed", "true");
      const compare = screen.getByRole("region", { name: "Compare" });
      await expect
        .element(compare.getByRole("heading"))
        .toHaveTextContent(
          "The recommendation costs least, A takes the least I/O time",
        );
      const row = (name: RegExp) =>
        screen
          .getByRole("table", { name: "Pinned options", exact: true })
          .getByRole("row", { name });
      await expect
        .element(row(/^Cost per month/))
        .toHaveTextContent("Cost per month [USD]800.501,000.50+200.00");
      await expect
        .element(row(/^I\/O time/))
        .toHaveTextContent("I/O time per access12 µs3 µs−9 µs");
      await expect
        .element(row(/^Found in the flash cache/))
        .toHaveTextContent("Found in the flash cache15 %none");
      await front.getByRole("button", { name: /^Pin What you have/ }).click();
      await expect
        .element(screen.getByText(/"pins"/))
        .toHaveTextContent(
          '{"selected":"2 x large [none]","pins":"2 x large [none]|what you have"}',
        );
      await expectAccessible();

      // Unpinned: keys go on from the list.
      await compare.getByRole("button", { name: "Unpin A: 2 x large" }).click();
      await expect.element(pin).toHaveAttribute("aria-pressed", "false");
      await expect
        .element(
          screen.getByRole("region", { name: "Options of the front", exact: true }),
        )
        .toHaveFocus();
      await compare.getByRole("button", { name: "Unpin all" }).click();
      await selected.getByRole("button", { name: "Close" }).click();
      await expect.element(compare).not.toBeInTheDocument();
      await expect.element(selected).not.toBeInTheDocument();
      await expect.element(screen.getByText("{}", { exact: true })).toBeVisible();
    },
  );

  it("shows what the address names, and says what is no longer there", async () => {
    const screen = await looking({
      selected: "gone [lazy]",
      pins: "1 x small [lazy]|gone [lazy]|3 x away [none]",
    });
    await expect
      .element(screen.getByRole("region", { name: "Compare" }).getByRole("heading"))
      .toHaveTextContent(
        "The recommendation is pinned; pin another option to compare it",
      );
    const list = screen.getByRole("region", {
      name: "Options of the front",
      exact: true,
    });
    await expect
      .element(list)
      .toMatchTextContent(
        /Not on the front of this answer, so not shown: gone \[lazy\] and 3 x away \[none\]\./,
      );
    await list.getByRole("button", { name: "Take out of the address" }).click();
    await expect.element(list).not.toMatchTextContent(/Not on the front/);
    await expect.element(screen.getByText('{"pins":"1 x small [lazy]"}')).toBeVisible();
  });

  it("pins four options at most", async () => {
    const more = ["a", "b", "c"].map((name) => ({ ...LARGE, name }));
    const found = { ...FOUND, pareto: [OPTION, ...more, LARGE] };
    const start = { pins: "a [none]|b [none]|c [none]|1 x small [lazy]" };
    const screen = await renderRouted(<Looking start={start} found={found} />);
    const front = screen.getByRole("table", { name: "Front", exact: true });
    const pin = front.getByRole("button", { name: "Pin 2 x large" });
    await expect.element(pin).toBeDisabled();
    await front.getByRole("button", { name: "Pin b" }).click();
    await expect.element(pin).toBeEnabled();
    // What is pinned as the recommendation stands once.
    await expect
      .element(
        screen
          .getByRole("table", { name: "Pinned options", exact: true })
          .getByRole("columnheader")
          .nth(1),
      )
      .toHaveTextContent("Recommendation, C1 x smallUnpin");
  });
});

describe("the chart of the front", () => {
  const front = (found: AdviceOut) =>
    renderRouted(
      <AdviceView found={found} isRefining={false} looked={{}} patch={() => {}} />,
    );
  const said = "What takes no I/O time is drawn at the lower edge.";

  it("has the option that misses nothing, and says where", async () => {
    const full = { ...LARGE, name: "all in RAM", io_time_us_per_access: 0 };
    const screen = await front({
      ...FOUND,
      recommendation: full,
      pareto: [full, OPTION],
      pareto_in_all: 2,
      option_zero: null,
    });
    await expect.element(screen.getByText(said)).toBeVisible();
  });

  it("speaks of no edge where no option takes time, for its axis begins at 0", async () => {
    const full = { ...LARGE, name: "all in RAM", io_time_us_per_access: 0 };
    const screen = await front({
      ...FOUND,
      recommendation: full,
      pareto: [full],
      pareto_in_all: 1,
      option_zero: null,
    });
    await expect
      .element(screen.getByRole("table", { name: "Front", exact: true }))
      .toBeVisible();
    expect(screen.getByText(said).query()).toBeNull();
  });

  it("says nothing of an edge where every option takes time", async () => {
    const screen = await front(FOUND);
    await expect
      .element(screen.getByRole("table", { name: "Front", exact: true }))
      .toBeVisible();
    expect(screen.getByText(said).query()).toBeNull();
  });
});

describe("a rejected option", () => {
  it("is admitted by the limit that it alone breaks", () => {
    const dear: RejectedOptionOut = {
      ...REJECTED,
      constraint: "usd_per_month",
      value: 356.2,
      limit: 100,
      relaxation: 256.2,
    };
    // As the finding says it: to the cent, so that what is read and what is set are one.
    expect(relaxing(dear)).toEqual({ most_usd: 356.2 });
    // A device that would be busy all the time and more.
    const busy = { ...REJECTED, value: 1.2, relaxation: null };
    expect(relaxing(busy)).toBeNull();
    expect(relaxation(FOUND, busy)).toBe("–");
    expect(relaxation(FOUND, REJECTED)).toBe("5 points");
    expect(relaxation(FOUND, { ...REJECTED, relaxation: 0.01 })).toBe("1 point");
    expect(relaxation(FOUND, dear)).toBe("256.20 USD");
    const also = [{ constraint: "price", value: null, limit: null, relaxation: null }];
    expect(relaxing({ ...dear, also })).toBeNull();
    const slow = {
      constraint: "response_p99_us",
      value: null,
      limit: 9,
      relaxation: null,
    };
    expect(relaxing({ ...dear, also: [slow] })).toBeNull();
    expect(withoutRelaxation([], [{ ...dear, also }])).toMatch(
      /^No single limit admits/,
    );
    expect(withoutRelaxation([], [{ ...dear, also: [slow] }])).toMatch(
      /is known to admit/,
    );
    expect(withoutRelaxation(["evidence"], [])).toMatch(/^More evidence/);
    expect(relaxing({ ...dear, constraint: "price", relaxation: null })).toBeNull();
    const dearer = { ...dear, value: 400, relaxation: 300 };
    expect(nearestRelaxations([dearer, REJECTED, dear])).toEqual([dear, REJECTED]);
  });

  it("is given a little more room than it needs, never less", () => {
    expect(roundedUp(12.4066)).toBe(12.5);
    expect(roundedUp(0.012_341)).toBe(0.0124);
    expect(roundedUp(817)).toBe(817);
    expect(roundedUp(0.07)).toBe(0.07);
  });

  it.each([
    ["io_time_us_per_access", 5.0013, { most_io_us: 5.01 }, "5.01 µs"],
    ["io_time_us_per_access", 5, { most_io_us: 5 }, "5 µs"],
    ["response_p99_us", 1234.2, { most_p99_us: 1240 }, "1.24 ms"],
    ["restart_s", 613.2, { most_restart_s: 614 }, "10 min 14 s"],
    ["restart_s", 7201, { most_restart_s: 7260 }, "2 h 1 min"],
    ["restart_s", 12.31, { most_restart_s: 12.4 }, "12.4 s"],
    ["ram_bytes", 64.01 * 2 ** 30, { most_ram_gib: 64.1 }, "64.1 GiB"],
    ["ram_bytes", 6 * 2 ** 30, { most_ram_gib: 6 }, "6 GiB"],
    ["flash_bytes", 1.0001 * 2 ** 40, { most_flash_gib: 1034.24 }, "1.01 TiB"],
    ["power_watts", 400.2, { most_watts: 401 }, "401 W"],
    ["machines", 5, { limit_machines: 5 }, "5"],
    ["rack_units", 2, { most_units: 2 }, "2 U"],
    ["peak_busy", 0.7003, { most_busy: 0.701 }, "70.1 %"],
    ["throughput_accesses_per_s", 40_060, { least_per_s: 40_000 }, "40,000 accesses/s"],
    ["flash_life_years", 4.9996, { least_life: 4.99 }, "4.99 years"],
    ["usd_per_month", 816.634, { most_usd: 816.64 }, "816.64 USD"],
  ] as const)(
    "of %s at %d is read and set to what admits it",
    async (constraint, value, change, text) => {
      const patch = vi.fn();
      const row = { ...REJECTED, constraint, value, relaxation: 1 };
      const screen = await renderThemed(
        <Infeasible
          found={{
            ...FOUND,
            recommendation: null,
            infeasible: {
              ...NO_HEADING,
              conflict: [constraint],
              text: "none",
              nearest: null,
            } as never,
            rejected: [row],
          }}
          patch={patch}
        />,
      );
      await screen.getByRole("button", { name: `allow ${text}`, exact: false }).click();
      const [[stated]] = patch.mock.calls as [[Record<string, number>]];
      expect(Object.keys(stated)).toEqual(Object.keys(change));
      expect(Object.values(stated)[0]).toBeCloseTo(Object.values(change)[0] ?? 0, 9);
    },
  );
});

describe("the title of a part", () => {
  it("is what it found", () => {
    expect(closeFinding(FOUND, [OPTION, LARGE])).toBe(
      "What else was close: the next costs 200 USD per month more",
    );
    expect(closeFinding(FOUND, [OPTION, { ...OPTION, name: "twin" }])).toBe(
      "What else was close: the next costs as much",
    );
    expect(closeFinding({ objective: "io_time" }, [LARGE, OPTION])).toBe(
      "What else was close: the next takes 9 µs more I/O time per access",
    );
    // What a replay put first may cost more than the next; what there is has its own words.
    // Where both were replayed they are ranked by it, and so is what is said of them.
    const [one, two] = [
      { ...LARGE, replayed_io_time_us_per_access: 5 },
      { ...OPTION, replayed_io_time_us_per_access: 5.001 },
    ];
    expect(closeFinding({ objective: "io_time" }, [one, two])).toBe(
      "What else was close: the next takes as long, 5 µs of I/O time per access by its replay",
    );
    const slower = { ...two, replayed_io_time_us_per_access: 6.5 };
    expect(closeFinding({ objective: "io_time" }, [one, slower])).toBe(
      "What else was close: the next takes 1.5 µs more I/O time per access by its replay",
    );
    expect(closeFinding({ objective: "io_time" }, [one, OPTION])).toBe(
      "What else was close: the next takes 9 µs more I/O time per access by the model",
    );
    expect(closeFinding(FOUND, [LARGE, OPTION])).toBe("What else was close");
    // Two machines are missing in one cost, and one in the other.
    const bare = { kind: "devices", without_machine: true } as const;
    const [single, pair] = [
      { ...OPTION, ...bare, machines: 1 },
      { ...LARGE, ...bare, machines: 2 },
    ];
    expect(closeFinding(FOUND, [single, pair])).toBe("What else was close");
    expect(closeFinding(FOUND, [single, { ...pair, machines: 1 }])).toBe(
      "What else was close: the next costs 200 USD per month more",
    );
    expect(closeFinding(FOUND, [OPTION, TODAY])).toBe("What else was close");
    expect(laterFinding(FOUND.when?.steps ?? [])).toBe(
      "When it changes: from month 17 on another choice is the best",
    );
    expect(laterFinding(FOUND.when?.steps.slice(1) ?? [])).toBe(
      "When it changes: from month 25 to 36 on no option keeps every limit",
    );
    expect(laterFinding([])).toBe("When it changes, and whether to wait");
    expect(rulesFinding(FOUND)).toBe(
      "What rules of thumb would have bought: 1 of 1 costs more, 200 USD per month",
    );
    const [rule] = FOUND.rules_of_thumb;
    const same = { ...rule, regret_usd_per_month: "0" } as RuleOfThumbOut;
    expect(rulesFinding({ ...FOUND, rules_of_thumb: [same] })).toBe(
      "What rules of thumb would have bought: none costs more",
    );
    expect(rulesFinding({ ...FOUND, rules_of_thumb: [] })).toBe(
      "What rules of thumb would have bought",
    );
    const scenarios = FOUND.scenarios as NonNullable<AdviceOut["scenarios"]>;
    expect(scenarioFinding(scenarios)).toBe(
      "If it turns out otherwise: the recommendation breaks a limit in 1 of 2 scenarios",
    );
    expect(scenarioFinding({ ...scenarios, rows: [] })).toBe(
      "If it turns out otherwise",
    );
  });

  it("says of rejected options whether they break a limit or lack something", async () => {
    expect(reasonOf("peak_busy", 2)).toBe(
      "break the limit on busy share of a device in the busiest hour",
    );
    expect(reasonOf("price", 1)).toBe("lacks a price");
    const screen = await renderRouted(
      <AdviceView found={FOUND} isRefining={false} patch={vi.fn()} />,
    );
    const why = screen.getByRole("region", { name: "Why not the others", exact: true });
    await expect.element(why).toMatchTextContent(/1 option lacks a price/);
    const heads = why.getByRole("columnheader");
    await expect.element(heads.last()).toHaveTextContent("Admitted if relaxed by");
    await screen.unmount();
    // Columns in which nothing is stated are left out.
    const bare = { ...FOUND, rejected: [{ ...REJECTED, relaxation: null }] };
    const less = await renderRouted(
      <AdviceView found={bare} isRefining={false} patch={vi.fn()} />,
    );
    await expect
      .element(less.getByRole("columnheader", { name: "Limit", exact: true }).last())
      .toBeVisible();
    expect(less.getByText("Admitted if relaxed by").query()).toBeNull();
    expect(less.getByText("And also").query()).toBeNull();
  });
});

describe("sentences", () => {
  it("say what the front costs, whichever way it lies", () => {
    expect(frontFinding([OPTION, LARGE])).toBe(
      "More money buys less I/O time: 12 µs per access for 801 USD per month, 3 µs for 1,000 USD",
    );
    expect(frontFinding([OPTION])).toBe(
      "One option is both the cheapest and the fastest",
    );
    expect(frontFinding([])).toMatch(/^No option keeps every limit/);
  });

  it("give a difference its sign, and nothing none", () => {
    expect(difference(2.656)).toBe("+2.66");
    expect(difference(-1200)).toBe("−1,200.00");
    expect(difference(0.001)).toBe("0.00");
  });

  it("give each limit its unit", () => {
    expect(limitValue(FOUND, "peak_busy", 0.7)).toBe("70 %");
    expect(limitValue(FOUND, "ram_bytes", 2 ** 30)).toBe("1 GiB");
    expect(limitValue(FOUND, "usd_per_month", 800)).toBe("800.00 USD");
    expect(limitValue(FOUND, "response_p99_us", 1500)).toBe("1.5 ms");
  });

  it("convert a value in dollars once, and a limit in the currency shown never", () => {
    const rate = { currency: "EUR", per_usd: "0.5", date: "2026-09-30", source: "" };
    const found = { ...FOUND, exchange_rate: rate };
    expect(limitValue(found, "usd_per_month", 800)).toMatch(/^400\.00 /);
    expect(statedLimit(found, "usd_per_month", "400")).toMatch(/^400\.00 /);
    expect(statedLimit(found, "peak_busy", "0.7")).toBe("70 %");
  });

  it("say why a response time is unknown", () => {
    expect(noResponse({ ...OPTION, response_p99_us: 3 })).toBeNull();
    expect(noResponse(OPTION)).toBe("No source states the latency of a read of ssd.");
  });

  it("say what goes on", () => {
    expect(statusOf(false, true, false)).toBe("Evaluating every option.");
    expect(statusOf(true, true, false)).toMatch(/last answer stays/);
    expect(statusOf(true, false, true)).toBe("Computing how sure it is.");
    expect(statusOf(true, false, false)).toBe("");
  });
});
