import { expect, test } from "vitest";
import type { TierCostsOut } from "@/api/tier-cost";
import { barTotal } from "@/charts/stacked-bars-option";
import { readObject } from "@/components/json-input";
import { parseTierSearch } from "@/questions/tier-cost";
import { leftOut, tierBars, tierQuestion, tierTable } from "./tier-findings";

const ROW = {
  device_id: "a",
  device_name: "A",
  kind: "nvme",
  reason: "",
  usd_per_month: "3.5",
  opex_usd_per_month: "0.5",
  capex_usd: "108",
  devices: 0.5,
  lines: [
    { name: "capital", usd_per_month: "3", capital: true },
    { name: "requests", usd_per_month: "0.2", capital: false },
    { name: "requests", usd_per_month: "0.3", capital: false },
  ],
  usd_per_million_pages_month: "0.02",
  usd_per_million_accesses: "0.001",
  served_by: 1,
  busy_share: 0.25,
  missing: ["power: no price of electricity was given"],
};

const FOUND = {
  rows: [
    ROW,
    {
      ...ROW,
      device_id: "b",
      device_name: "B",
      usd_per_month: null,
      lines: [],
      reason: "`b` has no price",
    },
  ],
  cheapest: "a",
  cheapest_that_keeps_up: "a",
} as unknown as TierCostsOut;

test("a bar is the sum of its lines, and what has no price has no bar", () => {
  const bars = tierBars(FOUND);
  expect(bars.map(({ title, best }) => [title, best])).toEqual([["A", true]]);
  expect(bars.map(barTotal)).toEqual([3.5]);
  expect(tierTable(FOUND).shown[1]?.[1]).toBe("–");
  expect(tierTable(FOUND).shown[0]?.at(-1)).toBe("25 %");
  // A tenth of a cent is said as such, in the table; the export holds it.
  expect(tierTable(FOUND).shown[0]?.at(-2)).toBe("under 0.01");
  expect(tierTable(FOUND).rows[0]?.at(-2)).toBe(0.001);
});

test("what is left out is said once", () => {
  expect(leftOut(FOUND)).toEqual([
    "power: no price of electricity was given",
    "`b` has no price",
  ]);
});

test("a load a second becomes one of a month of 730 hours", () => {
  const question = tierQuestion(
    { held_gib: 1, tier_reads: 10, tier_writes: 0, tier_page: 8192 },
    ["a"],
    null,
  );
  expect(question.held_bytes).toBe(2 ** 30);
  expect(question.reads_per_month).toBe(10 * 730 * 3600);
  expect(question.read_bytes_per_month).toBe(10 * 730 * 3600 * 8192);
  expect(question.written_bytes_per_month).toBe(0);
  expect(question.usd_per_kwh).toBeNull();
  expect(question.watts_per_gib).toBeNull();
  const powered = { usd_per_kwh: 0.2, watts_per_gib: 0.25 };
  expect(tierQuestion(powered, [], null)).toMatchObject(powered);
});

test("what an address cannot say counts as absent", () => {
  expect(
    parseTierSearch({ held_gib: -1, tier_devices: "a,b", tier_page: 12, whole: "no" }),
  ).toMatchObject({
    held_gib: undefined,
    tier_devices: "a,b",
    tier_page: undefined,
    whole: undefined,
  });
  expect(parseTierSearch({ tier_devices: "A b" }).tier_devices).toBeUndefined();
});

test("lines before a document are passed over, and what is no object is refused", () => {
  expect(readObject('fio: a warning\n{"a": 1}')).toEqual({ a: 1 });
  expect(() => readObject("[1]")).toThrow(/not an object/);
  expect(() => readObject("no json")).toThrow();
});
