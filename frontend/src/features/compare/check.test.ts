import { describe, expect, it } from "vitest";
import type { EvaluationIn, SimulationOut } from "@/api/evaluations";
import { summary } from "./check-panel";
import { isSamePoint } from "./use-check";

const inputs: EvaluationIn = {
  workload_id: "w",
  ram_pages: 10,
  flash_pages: 100,
  flash_device_id: "f",
  disk_device_id: "d",
};
const simulation: Pick<SimulationOut, "content_id" | "inputs"> = {
  content_id: "c",
  inputs,
};
type Row = Parameters<typeof summary>[0][number];
const row = (counter: string, gap: number, simulated: number): Row => ({
  scheme: "lazy",
  counter,
  unit: "accesses",
  model: simulated + gap,
  simulated,
  gap,
  gap_relative: gap / simulated,
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

  it("does not depend on prices, which a simulation does not know", () => {
    const priced = { ...inputs, price_book_id: "b", amortisation_months: 12 };
    expect(isSamePoint(simulation, "c", priced)).toBe(true);
  });

  it("is summed up by the largest gap in I/O time", () => {
    const rows = [
      row("io_time_us_per_access", -0.5, 20),
      row("io_time_us_per_access", 0.1, 20),
    ];
    expect(summary(rows)).toBe(
      "The model's I/O times are within 2.5 % of the simulation.",
    );
  });

  it("counts rounding as agreement", () => {
    expect(summary([row("io_time_us_per_access", 3.5e-15, 31)])).toContain(
      "agree exactly",
    );
    expect(summary([row("flash_hits", 0, 7), row("flash_writes", 2, 7)])).toBe(
      "1 of 2 counters agree exactly.",
    );
  });
});
