import { describe, expect, it } from "vitest";
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import type { PlacementOut } from "@/api/placements";
import type { ReplayJob } from "@/api/replay-checks";
import {
  besideFinding,
  decided,
  figures,
  placed,
  type Side,
  withoutMachines,
} from "./beside";
import { parseBesideSearch, readIds } from "./beside-address";
import { against } from "./option-figures";

const side = (name: string, usd: string | null, us: number | null): Side =>
  ({
    scenario: { id: name, name },
    workload: "TPC-C",
    goal: "least cost",
    limits: "none",
    by: "the model",
    found: {
      cautions: [],
      recommendation: {
        name: "1 x small",
        scheme: "lazy",
        usd_per_month: usd,
        io_time_us_per_access: us,
        replayed_io_time_us_per_access: null,
      } as AdviceOptionOut,
    },
  }) as unknown as Side;

const without = (name: string): Side =>
  ({
    scenario: { id: name, name },
    workload: "TPC-C",
    goal: "least cost",
    limits: "none",
    by: "the model",
    found: { cautions: [], recommendation: null },
  }) as unknown as Side;

describe("advices side by side", () => {
  it.each([
    [
      [side("A", "10", 2), side("B", "20", 3)],
      "A costs least and takes the least I/O time",
    ],
    [
      [side("A", "20", 2), side("B", "10", 3)],
      "B costs least, A takes the least I/O time",
    ],
    [
      [side("A", "10", 2), side("B", "10", 2)],
      "Several cost the same and take the same time",
    ],
    [
      [side("A", "10", 2), side("B", "20", 2)],
      "A costs least; several take the least I/O time",
    ],
    [
      [side("A", "10", 3), side("B", "10", 2), side("C", "10", 3)],
      "Several cost the same; B takes the least I/O time",
    ],
    [
      [side("A", "10", 3), side("B", null, 2)],
      "Not every scenario has a recommendation with a cost and a time",
    ],
    [
      [side("A", "10", 3), without("B")],
      "Not every scenario has a recommendation with a cost and a time",
    ],
  ])("are told apart: %#", (sides, said) => {
    expect(besideFinding(sides)).toBe(said);
  });

  it("differ from the first in the unit of the figure", () => {
    const [cost, time] = ["Cost per month", "I/O time per access"].map((name) =>
      figures().find((figure) => figure.name === name),
    );
    if (cost === undefined || time === undefined) {
      throw new Error("a figure is missing");
    }
    expect(against(cost, 10, 12.5)).toBe("+2.50");
    expect(against(cost, 12.5, 10)).toBe("−2.50");
    expect(against(cost, 10, 10)).toBe("equal");
    expect(against(cost, null, 10)).toBeNull();
    expect(against(time, 2, 3)).toMatch(/^\+1.*µs$/);
    expect(against(time, "a", "b")).toBe("differs");
    expect(against(time, "a", "a")).toBe("equal");
  });

  it("are those of the check that was saved, and say where it is not theirs", () => {
    const advice = (advice_id: string, status: string, usd: string) =>
      ({ ...side("A", usd, 2).found, advice_id, status }) as unknown as AdviceOut;
    // The replays refused the choice of the model.
    const model = advice("m1", "model", "840.91");
    const replayed = advice("m2", "checked", "329.96");
    const none = { found: undefined, error: null };
    expect(decided(model, { ...none, named: undefined })).toEqual({
      found: model,
      by: "the model",
    });
    expect(decided(model, { ...none, named: "m1" })).toBeNull();
    expect(decided(model, { ...none, named: "m1", found: replayed })).toEqual({
      found: replayed,
      by: "replays",
    });
    for (const [check, said] of [
      [{ ...none, named: "m0" }, /^the model: .* of another answer/],
      [
        { ...none, named: "m1", found: { run: { id: "r" } } as unknown as ReplayJob },
        /^the model: .* being made again/,
      ],
      [
        { ...none, named: "m1", error: new Error("the trace was deleted") },
        /^the model: .* is gone \(the trace was deleted\)/,
      ],
    ] as const) {
      const shown = decided(model, check);
      expect(shown?.found).toBe(model);
      expect(shown?.by).toMatch(said);
    }
    const by = figures().find(({ name }) => name === "Decided by");
    expect(by?.of({ ...side("A", "1", 2), by: "replays" }, new Map())).toBe("replays");
    // Times by replay stand beside those of the model where a recommendation has one.
    const names = (sides: readonly Side[]) => figures(sides).map(({ name }) => name);
    expect(names([side("A", "1", 2)])).not.toContain("I/O time per access, by replay");
    const one = side("A", "1", 2);
    const timed = {
      ...one,
      found: {
        ...one.found,
        recommendation: {
          ...(one.found as AdviceOut).recommendation,
          replayed_io_time_us_per_access: 4.17,
        },
      },
    } as unknown as Side;
    expect(names([one, timed])).toContain("I/O time per access, by replay");
  });

  it("name the class of a curve from counters", () => {
    const one = side("A", "10", 2);
    const counted = {
      ...one,
      found: { ...one.found, cautions: [{ code: "curve_from_ages" }] },
    } as unknown as Side;
    const evidence = (...sides: readonly Side[]) =>
      figures(sides).find(({ name }) => name === "Evidence of the curve");
    // Where no curve is from counters the row would say nothing.
    expect(evidence(one, one)).toBeUndefined();
    const figure = evidence(one, counted);
    expect(figure?.of(counted, new Map())).toBe("ages");
    expect(figure?.of(one, new Map())).toBe("not from counters");
  });

  it("say why a figure is not known", () => {
    for (const figure of figures()) {
      const value = figure.of(without("A"), new Map());
      expect(value === null || typeof value === "string").toBe(true);
    }
    const cost = figures().find(({ name }) => name === "Cost per month");
    expect(cost?.unknown?.(without("A"))).toBe("No option keeps every limit.");
    expect(cost?.unknown?.(side("A", null, 2))).toBe("A price is missing.");
  });

  it("of several workloads are the sums of their systems, or say that each has its own", () => {
    const system = (name: string, workload: string, ram_bytes: number) => ({
      option: { name, scheme: "none", ram_bytes, flash_bytes: 0, machines: 2 },
      workloads: [{ name: workload }],
    });
    const several = (systems: readonly object[]): Side => ({
      ...side("Shops", null, null),
      ...placed({
        systems,
        usd_per_month: systems.length === 0 ? null : "30",
        purchase_usd: systems.length === 0 ? null : "0",
        io_time_us_per_access: null,
        ranges: { io_time_us_per_access: [1, 2] },
        cautions: [],
      } as unknown as PlacementOut),
    });
    const [two, none] = [
      several([system("1 x a", "Orders", 2 ** 30), system("1 x b", "Stock", 2 ** 31)]),
      several([]),
    ];
    const of = (name: string, from: Side) => {
      const figure = figures([from]).find((each) => each.name === name);
      return [figure?.of(from, new Map()), figure?.unknown?.(from)];
    };
    expect(two.by).toBe("the model");
    expect(of("Recommendation", two)[0]).toBe("1 x a for Orders; 1 x b for Stock");
    expect(of("Cost per month", two)[0]).toBe(30);
    expect(of("RAM", two)[0]).toBe(3 * 2 ** 30);
    expect(of("Machines", two)[0]).toBe(4);
    expect(of("Page flow", two)[0]).toBe("no flash cache");
    expect(of("I/O time per access", two)[0]).toBe("1 µs to 2 µs");
    expect(of("Busy, busiest hour", two)).toEqual([
      null,
      "Each system has its own: open the scenario to see it.",
    ]);
    expect(of("Recommendation", none)[0]).toBe("No option keeps every limit.");
    expect(of("RAM", none)).toEqual([null, "No option keeps every limit."]);
    expect(besideFinding([two, none])).toMatch(/^Not every scenario/);
    expect(besideFinding([side("A", "10", 2), two])).toMatch(/^Not every scenario/);
  });

  it("are not set against each other where unequally many machines are missing", () => {
    const bare = (machines: number) => ({
      option: {
        name: "RAM",
        kind: "devices",
        scheme: "none",
        machines,
        without_machine: true,
      },
      workloads: [{ name: "Orders" }],
    });
    const whole = { ...bare(1), option: { ...bare(1).option, without_machine: false } };
    const several = (name: string, usd: string, systems: readonly object[]): Side => ({
      ...side(name, null, null),
      ...placed({
        systems,
        usd_per_month: usd,
        purchase_usd: "0",
        io_time_us_per_access: 3,
        ranges: {},
        cautions: [],
      } as unknown as PlacementOut),
    });
    const two = several("Two", "10", [bare(1), bare(1)]);
    const one = several("One", "20", [bare(1), whole]);
    expect([two, one, side("A", "10", 2)].map(withoutMachines)).toEqual([2, 1, 0]);
    expect(besideFinding([two, one])).toBe(
      "Two costs least, its 2 machines not counted; several take the least I/O time",
    );
    expect(besideFinding([several("Even", "20", [bare(1), bare(1)]), two])).toBe(
      "Two costs least; several take the least I/O time",
    );
    const row = figures([two, one]).find(({ name }) => name === "Price of the machine");
    expect([two, one].map((each) => row?.of(each, new Map()))).toEqual([
      "not counted for 2 machines",
      "not counted for 1 of 2 machines",
    ]);
  });

  it("are named in the address, each once, four at most", () => {
    expect(readIds("a,b,c,d")).toEqual(["a", "b", "c", "d"]);
    expect(readIds("a,b,c,d,e")).toBeUndefined();
    expect(readIds("a,a")).toBeUndefined();
    expect(readIds("a,")).toBeUndefined();
    expect(parseBesideSearch({ of: "a,b" }).of).toBe("a,b");
    expect(parseBesideSearch({ of: "a,a" }).refused).toMatch(/at most 4 scenarios/);
  });
});
