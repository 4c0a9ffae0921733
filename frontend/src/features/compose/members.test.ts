import { describe, expect, it } from "vitest";
import { barOf, drawnOf, partsOf } from "./members";

const row = (name: string, accesses_per_s: number) => ({ name, accesses_per_s });

describe("the workloads that are drawn", () => {
  const rows = [1, 9, 3, 8, 7, 2, 6].map((rate) => row(`w${rate}`, rate));

  it("are the busiest, in the order given, each in a colour of its own", () => {
    const drawn = drawnOf(rows);
    expect(drawn.map(({ place }) => place)).toEqual([1, 2, 3, 4, 6]);
    expect(new Set(drawn.map(({ light }) => light)).size).toBe(5);
  });

  it("leave the others to one part of the bar", () => {
    const parts = partsOf(rows);
    expect(parts.map(({ title }) => title)).toEqual([
      "w9",
      "w3",
      "w8",
      "w7",
      "w6",
      "All others",
    ]);
    const bar = barOf(rows, ({ accesses_per_s }) => accesses_per_s);
    expect(parts.map(({ name }) => bar[name])).toEqual([9, 3, 8, 7, 6, 3]);
    expect(partsOf(rows.slice(0, 2)).map(({ title }) => title)).toEqual(["w1", "w9"]);
  });
});
