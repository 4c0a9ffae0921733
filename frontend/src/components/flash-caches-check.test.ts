import { expect, test } from "vitest";
import type { CheckedFigure } from "@/api/replay-checks";
import { besideText, rateAsked, replayedBars } from "./flash-caches-check";

const row = (
  of: string,
  figure: string,
  simulated: number | null,
  model: number | null = null,
): CheckedFigure => ({
  of,
  title: of.toUpperCase(),
  figure,
  unit: "µs/access",
  model,
  simulated,
  gap_relative: null,
});

const ROWS = [
  row("lazy", "I/O time", 900, 880),
  row("lazy", "I/O time: disk reads", 850),
  row("lazy", "I/O time: flash writes", 50),
  row("lazy", "flash writes", 0.2),
  row("larc", "I/O time", 600),
  row("larc", "I/O time: disk reads", 600),
  row("larc", "flash hits", 0.3),
  row("face", "I/O time", null),
];

test("bars are the schemes and caches that have a time, the fastest first, by operation", () => {
  const bars = replayedBars(ROWS, ["larc", "face"]);
  expect(bars.map(({ of, isCache }) => [of, isCache])).toEqual([
    ["larc", true],
    ["lazy", false],
  ]);
  expect(bars[1]?.parts).toEqual({ "disk reads": 850, "flash writes": 50 });
  expect(bars[1]?.modelUs).toBe(880);
  expect(bars[0]?.flashHits).toBe(0.3);
  expect(bars[1]?.flashHits).toBeNull();
  expect(bars[1]?.flashWrites).toBe(0.2);
});

test.each([
  [1200, "LARC takes 50 % less than the money in DRAM (1.2 ms)."],
  [400, "LARC takes 50 % more than the money in DRAM (400 µs)."],
  [600, "LARC takes as much as the money in DRAM (600 µs)."],
])("beside %d µs the sentence says which is less", (us, said) => {
  const bars = replayedBars(ROWS, ["larc"]);
  expect(besideText(bars, { title: "the money in DRAM", us })).toBe(said);
});

test("without anything beside it nothing is said", () => {
  expect(besideText(replayedBars(ROWS, ["larc"]), null)).toBeNull();
  expect(besideText([], { title: "the money in DRAM", us: 1 })).toBeNull();
});

test("asks with a rate where the trace has none, and caches are chosen", () => {
  const stated = { caches: "larc", access_rate: 500 };
  expect(rateAsked(stated, "no rate")).toEqual({ accesses_per_s: 500 });
  expect(rateAsked(stated, "goes")).toEqual({});
  expect(rateAsked(stated, "part")).toEqual({});
  expect(rateAsked({ access_rate: 500 }, "no rate")).toEqual({});
  expect(rateAsked({ caches: "larc" }, "no rate")).toEqual({});
});
