import { describe, expect, it } from "vitest";
import type { BreakEvenOut } from "@/api/dram-or-flash";
import type { SimulationOut } from "@/api/simulations";
import {
  checkedGains,
  checkVerdict,
  crossingMarkers,
  flipSeries,
  knownNote,
  marginalTable,
  moneySeries,
  type NextMoney,
  schemeTheta,
  surplusText,
  tellingSteps,
  trendNote,
  unknownText,
} from "./findings";

const equal: NextMoney["equal_money"][number] = {
  form: "full",
  dram_gain_us: 2,
  flash_gain_us: 5,
  flash_scheme: "lazy",
  flash_gain_least_us: 4,
  flash_gain_most_us: 6,
  flash_gains: [
    { scheme: "lazy", title: "Lazy", gain_us: 5 },
    { scheme: "exclusive", title: "Exclusive", gain_us: 3 },
  ],
  within_error: false,
  matching_scheme: "lazy",
  flash_to_dram_gain_ratio: 2.5,
  winner: "flash",
  matching_flash_pages: 40,
  flip_price_ratio: 0.25,
  flip_reason: "",
  estimator: "e",
  validity: "v",
};

const money: NextMoney = {
  usd: "0.5",
  usual_usd: "0.5",
  most_usd: null,
  dram_pages: 10,
  flash_pages: 100,
  flash_useful_pages: 400,
  ram_pages_beside_flash: 10,
  equal_money: [equal],
  spent_usd: ["0.005", "1", "2"],
  dram_gain_us: [0, 3, 4],
  flash_gain_us: [0, 6, null],
  dram_next: [4, 2, 1],
  flash_next: [12, 0, null],
  crossings: [{ usd: "0.8", better_beyond: "dram" }],
  total_crossings: [],
  dram_trend_from_usd: null,
  flash_trend_from_usd: null,
  entry_gain_us: 0,
};

const simulation = (times: Record<string, number>): Pick<SimulationOut, "result"> => ({
  result: {
    schemes: {},
    rows: Object.entries(times).map(([scheme, simulated]) => ({
      scheme,
      counter: "io_time_us_per_access",
      unit: "µs/access",
      model: null,
      simulated,
      gap: null,
      gap_relative: null,
      exact: false,
    })),
  },
});

describe("the lines of money", () => {
  it("leaves out what is not known and marks the first sum at the left", () => {
    const series = moneySeries(money, "next", "light");
    expect(series.map(({ name }) => name)).toEqual([
      "DRAM",
      "Flash",
      "First amount in DRAM",
      "First amount in flash",
    ]);
    expect(series[1]?.points).toEqual([
      [0.005, 12],
      [1, 0],
    ]);
    expect(series[3]?.points).toEqual([[0.005, 10]]);
    expect(moneySeries(money, "total", "dark")).toHaveLength(2);
  });

  it("names the tier that is better beyond a crossing", () => {
    expect(crossingMarkers(money, "next")).toEqual([
      { name: "from here DRAM", x: 0.8 },
    ]);
    expect(crossingMarkers(money, "total")).toEqual([]);
  });

  it("exports every number, the unknown one as nothing", () => {
    const table = marginalTable(money);
    expect(table.rows[2]).toEqual([2, 4, null, 1, null]);
    expect(table.shown[2]?.[2]).toBe("–");
  });
});

describe("sizes of which counters do not speak", () => {
  const counted = { ...money, most_usd: "1.5", dram_gain_us: [0, 3, null] };

  it("ends the lines there and says so", () => {
    const [dram] = moneySeries(counted, "total", "light");
    expect(dram?.points).toEqual([
      [0.005, 0],
      [1, 3],
    ]);
    expect(knownNote(counted)).toContain("unknown, not nothing");
    expect(knownNote(counted)).toContain("1.5");
    expect(knownNote(money)).toBe("");
    expect(marginalTable(counted).rows[2]?.[1]).toBeNull();
  });

  it("repeats what the answer left out, and nothing else", () => {
    const about = {
      ...{ hint: "", effect: "", about: [], could_change_choice: null },
      ...{ name: "given_curve", message: "other" },
    };
    const unknown = { ...about, name: "sizes_unknown", message: "left out: 3 GiB" };
    expect(unknownText({ warnings: [about, unknown] })).toBe("Left out: 3 GiB.");
    expect(unknownText({ warnings: [about] })).toBe("");
  });
});

describe("sizes that the recording does not tell about", () => {
  const trend = { ...money, dram_trend_from_usd: "1.6", flash_trend_from_usd: "9" };

  it("draws them dotted, from the last known point on", () => {
    const series = moneySeries(trend, "next", "light");
    expect(series.map(({ name }) => name).slice(0, 3)).toEqual([
      "DRAM",
      "DRAM, trend",
      "Flash",
    ]);
    // The sum after 1 reaches 1.5, after 2 it is beyond 1.6.
    expect(series[0]?.points.map(([x]) => x)).toEqual([0.005, 1]);
    expect(series[1]?.points.map(([x]) => x)).toEqual([1, 2]);
  });

  it("says so only where they are drawn", () => {
    expect(trendNote(trend)).toContain("beyond 1.60 USD of DRAM or 9 USD of flash");
    expect(trendNote({ ...trend, dram_trend_from_usd: "3" })).toBe("");
    expect(trendNote(money)).toBe("");
  });
});

describe("the price at which it flips", () => {
  const flips = { delta: [1, 2], log: [0.9, 0.8], curve: [0.5, null], full: null };
  const found = (ratio: number | null) =>
    ({ flips, prices: { ratio } }) as unknown as BreakEvenOut;

  it("draws the price of now only where there is one", () => {
    const series = flipSeries(found(0.25), "light");
    expect(series.at(-1)?.points).toEqual([
      [1, 25],
      [2, 25],
    ]);
    expect(series[0]?.points).toEqual([[1, 50]]);
    expect(flipSeries(found(null), "light")).toHaveLength(2);
  });
});

describe("the check by simulation", () => {
  const base = simulation({ none: 100 });
  const dram = simulation({ none: 97 });
  const titles = new Map([["lazy", "Lazy"]]);

  it("compares what each alternative saves with the model", () => {
    const gains = checkedGains(
      base,
      dram,
      simulation({ none: 100, lazy: 94, exclusive: 99 }),
      equal,
    );
    expect(
      gains.map(({ scheme, simulatedUs, gapUs }) => [scheme, simulatedUs, gapUs]),
    ).toEqual([
      ["none", 3, -1],
      ["lazy", 6, -1],
      ["exclusive", 1, 2],
    ]);
    expect(checkVerdict(gains, "flash", titles)).toContain("confirm");
    expect(checkVerdict(gains, "flash", titles)).toContain("Lazy saves 6 µs");
    expect(checkVerdict(gains, "dram", titles)).toContain("contradict");
  });

  it("says nothing while a replay is missing", () => {
    expect(checkedGains({ result: null }, dram, base, equal)).toEqual([]);
    expect(checkVerdict([], "flash", titles)).toBeNull();
  });
});

describe("the flash that a scheme needs", () => {
  const step = {
    scheme: "lazy",
    title: "Lazy",
    theta: 2,
    theta_least: 1.5,
    theta_most: 3,
    is_exact: false,
    is_trend: false,
  };

  it("has its stated error", () => {
    expect(schemeTheta(step, "why")).toBe("2 x (1.5 to 3)");
    const exact = { ...step, theta_least: 2, theta_most: 2, is_exact: true };
    expect(schemeTheta(exact, "why")).toBe("2 x");
  });

  it("has no upper end beyond what the recording tells", () => {
    expect(schemeTheta({ ...step, theta_most: null }, "why")).toBe(
      "2 x (at least 1.5)",
    );
    const trend = { ...step, theta_least: null, theta_most: null, is_trend: true };
    expect(schemeTheta(trend, "why")).toBe("2 x, trend");
  });

  it("says why there is none", () => {
    const none = { ...step, theta: null, theta_most: null };
    expect(schemeTheta(none, "why")).toBe("none (at least 1.5)");
    expect(schemeTheta({ ...none, theta_least: null }, "why")).toEqual({
      absent: "why",
    });
  });
});

describe("flash beyond all pages of the workload", () => {
  it("is said to gain nothing where a plan buys it, and only there", () => {
    expect(surplusText({ flash_pages: [0, 300, 600] }, money)).toContain(
      "Flash beyond 400 pages gains nothing",
    );
    expect(surplusText({ flash_pages: [0, 300, 400] }, money)).toBe("");
    const unknown = { flash_useful_pages: null };
    expect(surplusText({ flash_pages: [0, 300, 600] }, unknown)).toBe("");
  });
});

describe("a plan", () => {
  const steps = (dram_gain_us: number[], flash_gain_us: (number | null)[]) =>
    tellingSteps({ dram_gain_us, flash_gain_us });

  it("is shown up to the last step that saves something worth telling", () => {
    expect(steps([40, 20, 0.8, 0.004, 0.003], [800, 500, 10, 0, 0])).toBe(3);
    // A step behind a pause counts.
    expect(steps([1, 0, 1, 0], [null, null, null, null])).toBe(3);
    expect(steps([1, 1], [0, 0])).toBe(2);
    expect(steps([0, 0], [0, 0])).toBe(0);
  });
});
