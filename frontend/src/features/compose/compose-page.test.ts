import { describe, expect, it } from "vitest";
import type { SummaryOut, WorkloadOut } from "@/api/workloads";
import { basisText, withoutRate } from "@/questions/workload-members";
import { missesTitle } from "./misses-chart";

const summary = (changes: Partial<SummaryOut> = {}): SummaryOut =>
  ({
    kind: "trace",
    accesses: 100,
    duration_s: 10,
    production: null,
    ...changes,
  }) as SummaryOut;
const workload = (id: string, found: SummaryOut | null): WorkloadOut =>
  ({ id, name: id.toUpperCase(), summary: found }) as WorkloadOut;

describe("the rate of a workload", () => {
  it("says where it is from", () => {
    expect(basisText(summary(), 5)).toBe("As stated here");
    expect(basisText(summary(), null)).toBe("As recorded");
    expect(basisText(summary({ kind: "curve" }), null)).toBe(
      "As stated with the workload",
    );
    expect(basisText(summary({ duration_s: null }), null)).toContain("state the rate");
    expect(basisText(null, null)).toContain("Unknown");
    const production = (machines: number) =>
      ({ production: { machines } }) as SummaryOut["production"];
    expect(basisText(summary({ production: production(1) }), null)).toBe(
      "As in production",
    );
    expect(basisText(summary({ production: production(3) }), null)).toBe(
      "As in production, of one machine",
    );
  });

  it("is asked for where nobody knows it", () => {
    const known = [
      workload("a", summary()),
      workload("b", summary({ duration_s: null })),
      workload("c", null),
    ];
    const asked = (...ids: string[]) => ids.map((id) => ({ id, rate: null }));
    expect(withoutRate(asked("a", "b", "b", "c", "gone"), known)).toEqual(["B"]);
    expect(withoutRate([{ id: "b", rate: 3 }], known)).toEqual([]);
  });
});

describe("the title of the misses", () => {
  it("names who has the most, or that nothing misses", () => {
    const row = (name: string, shared_misses_per_s: number) => ({
      name,
      shared_misses_per_s,
    });
    const rows = [row("a", 10), row("b", 30)];
    expect(missesTitle({ rows, shared_misses_per_s: 40 })).toBe(
      "In one shared cache b has 30 of 40 misses per second",
    );
    expect(missesTitle({ rows: [row("a", 0)], shared_misses_per_s: 0 })).toBe(
      "No workload misses in one shared cache",
    );
  });
});
