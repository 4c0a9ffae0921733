import { describe, expect, it } from "vitest";
import type { WindowCurves } from "@/api/analyses";
import { driftFinding, driftSentence, driftSeries, driftTable } from "./drift";

/** Ten windows of 100 accesses; misses beyond the first touches as given. */
const curves = (avoidable: (window: number) => number): WindowCurves => {
  const windows = Array.from({ length: 10 }, (_, window) => window);
  const touches = windows.map((window) => 50 - 5 * window);
  return {
    id: "w",
    pages: [10, 1000],
    page_bytes: 4096,
    distinct_pages: 1000,
    first_access: windows.map((window) => 100 * window),
    start_s: null,
    accesses: windows.map(() => 100),
    write_accesses: windows.map(() => 10),
    pages_written: windows.map(() => 5),
    first_references: touches,
    misses: windows.map((window) => [
      (touches[window] ?? 0) + avoidable(window),
      touches[window] ?? 0,
    ]),
  };
};

describe("drift", () => {
  it("does not take the cold start for drift", () => {
    expect(driftFinding(curves(() => 20))).toBe(
      "Steady: with 40 KiB (1 % of pages), where they vary most, misses other than first touches stay between 20 % and 20 %",
    );
  });

  it("sees misses that move, with the size they move at", () => {
    const found = driftFinding(curves((window) => (window > 5 ? 40 : 10)));
    expect(found).toContain("40 KiB");
    expect(found).toContain("between 10 % and 40 %");
  });

  it("does not judge by a window or two", () => {
    const few = curves(() => 0);
    expect(driftFinding({ ...few, accesses: [100] })).toBe(
      "Too few windows to see a change",
    );
  });

  it("draws one line a size and the first touches, at the middle of each window", () => {
    const series = driftSeries(
      curves(() => 20),
      "dark",
    );
    expect(series).toHaveLength(3);
    expect(series[0]?.points[0]).toEqual([50, 70]);
    expect(series.at(-1)?.points[0]).toEqual([50, 50]);
  });

  it("compares both halves and exports every window", () => {
    expect(driftSentence(curves(() => 20))).toContain("60 % then 35 %");
    const table = driftTable(curves(() => 20));
    expect(table.rows).toHaveLength(10);
    expect(table.header).toHaveLength(table.rows[0]?.length ?? 0);
  });
});
