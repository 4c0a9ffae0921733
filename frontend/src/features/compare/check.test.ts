import { describe, expect, it } from "vitest";
import {
  type EvaluationIn,
  type EvaluationOut,
  type SimulationOut,
  shownSchemes,
} from "@/api/compare";
import {
  type CheckRow,
  exactSchemes,
  isLargeGap,
  summary,
  verdict,
} from "./check-findings";
import { count } from "./check-panel";
import { isSamePoint } from "./use-check";

const inputs: EvaluationIn = {
  workload_id: "w",
  ram_pages: 10,
  flash_pages: 100,
  flash_device_id: "f",
  disk_device_id: "d",
  start: "steady",
};
const simulation: Pick<SimulationOut, "content_id" | "inputs"> = {
  content_id: "c",
  inputs,
};
const TITLES = new Map([
  ["lazy", "Lazy"],
  ["exclusive", "Exclusive"],
]);
const row = (
  counter: string,
  gap: number,
  simulated: number,
  scheme = "lazy",
): CheckRow => ({
  scheme,
  counter,
  unit: "accesses",
  model: simulated + gap,
  simulated,
  gap,
  gap_relative: simulated === 0 ? null : gap / simulated,
  exact: false,
});

describe("a check", () => {
  it("belongs to a point of the same content, sizes and devices", () => {
    expect(isSamePoint(simulation, "c", { ...inputs, workload_id: "twin" })).toBe(true);
    expect(isSamePoint(simulation, "other", inputs)).toBe(false);
    expect(isSamePoint(simulation, "c", { ...inputs, ram_pages: 11 })).toBe(false);
    expect(isSamePoint(simulation, "c", { ...inputs, disk_device_id: "e" })).toBe(
      false,
    );
  });

  it("belongs to the start of its counts, cold where an earlier version kept it", () => {
    const cold: EvaluationIn = { ...inputs, start: "cold" };
    const { start: _start, ...kept } = inputs;
    expect(isSamePoint(simulation, "c", cold)).toBe(false);
    expect(isSamePoint({ ...simulation, inputs: kept }, "c", inputs)).toBe(false);
    expect(isSamePoint({ ...simulation, inputs: kept }, "c", cold)).toBe(true);
  });

  it("belongs to the metadata that were charged", () => {
    const charged = { ...inputs, flash_metadata: "face" };
    expect(isSamePoint(simulation, "c", charged)).toBe(false);
    expect(isSamePoint({ ...simulation, inputs: charged }, "c", charged)).toBe(true);
  });

  it("does not depend on prices, which a simulation does not know", () => {
    const priced = { ...inputs, price_book_id: "b", amortisation_months: 12 };
    expect(isSamePoint(simulation, "c", priced)).toBe(true);
  });

  it("is summed up by the largest gap in I/O time", () => {
    const rows = [
      row("io_time_us_per_access", -0.5, 20),
      row("io_time_us_per_access", 0.1, 20),
    ];
    expect(summary(rows, TITLES)).toBe(
      "The model's I/O times are within 2.5 % of the simulation.",
    );
  });

  it("counts rounding as agreement", () => {
    expect(summary([row("io_time_us_per_access", 3.5e-15, 31)], TITLES)).toContain(
      "agree exactly",
    );
    expect(summary([row("flash_hits", 0, 7)], TITLES)).toBe(
      "1 of 1 counter agrees exactly.",
    );
  });

  it("names the largest gap of a counter, leaving out rare operations", () => {
    const rows = [
      row("ram_hits", 0, 900_000),
      row("flash_hits", 60, 60_000),
      row("flash_misses", -60, 40_000),
      row("flash_writes", 226, 1000),
      row("disk_writes", 900, 999),
      row("disk_reads", 5, 0),
      row("io_time_us_per_access", -0.02, 20),
    ];
    expect(summary(rows, TITLES)).toBe(
      "The model's I/O times are within 0.1 % of the simulation. Largest counter gap: +22.6 % (Lazy, Flash writes).",
    );
    expect(rows.filter(isLargeGap).map((one) => one.counter)).toEqual([
      "flash_writes",
      "disk_writes",
      "disk_reads",
    ]);
  });

  it("knows exact schemes by their counts", () => {
    const rows = [
      { ...row("flash_hits", 0, 7, "exclusive"), exact: true },
      row("io_time_us_per_access", 0, 7, "exclusive"),
      row("flash_hits", 0, 7),
    ];
    expect([...exactSchemes(rows)]).toEqual(["exclusive"]);
  });
});

describe("the verdict of a simulation", () => {
  const time = (scheme: string, simulated: number) =>
    row("io_time_us_per_access", 0, simulated, scheme);

  it("names the least I/O time and its lead over the next", () => {
    const rows = [time("exclusive", 13.57), time("lazy", 13.5), time("none", 40)];
    expect(verdict(rows, TITLES, "lazy")).toBe(
      "In the simulation Lazy costs 13.5 µs per access, 0.52 % less than Exclusive (13.6 µs).",
    );
    expect(verdict(rows, TITLES, "exclusive")).toMatch(
      / The model puts Exclusive first\.$/,
    );
  });

  it("does not make up a winner", () => {
    expect(verdict([time("exclusive", 5), time("lazy", 5)], TITLES, "lazy")).toBe(
      "In the simulation Exclusive and Lazy cost the same: 5 µs per access.",
    );
    expect(
      verdict([time("exclusive", 5.000_01), time("lazy", 5)], TITLES, "lazy"),
    ).toContain("less than 0.01 % less");
    expect(verdict([], TITLES, null)).toBeNull();
  });
});

describe("what is shown of a point", () => {
  it("is one scheme without flash, where all are the same", () => {
    const schemes = ["none", "inclusive", "lazy"].map((scheme) => ({ scheme }));
    const at = (flash_pages: number) =>
      shownSchemes({ flash_pages, schemes: schemes as EvaluationOut["schemes"] }).map(
        ({ scheme }) => scheme,
      );
    expect(at(0)).toEqual(["none"]);
    expect(at(1)).toEqual(["none", "inclusive", "lazy"]);
  });

  it("has no parts of an access", () => {
    expect(count(623_933.6)).toBe("623,934");
    expect(count(623_933)).toBe("623,933");
    expect(count(13.4321)).toBe("13.43");
  });
});
