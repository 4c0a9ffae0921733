import { describe, expect, it } from "vitest";
import type { RatesOut } from "@/api/scaling";
import { EMPTY_PRODUCTION, hasRates, productionOf, usualName } from "./production-form";
import { hasParts, rateSeries, rateTable, timeAxis, typedRates } from "./rates";

const HOURS: RatesOut = {
  steps: 3,
  step_s: 3600,
  busiest_step: 2,
  first_time: null,
  steps_per_part: 1,
  means_per_s: [100, 400, 100],
  peaks_per_s: [100, 400, 100],
  mean_per_s: 200,
  peak_per_s: 400,
  sentence: "The busiest of 3 hours is number 2.",
};
const YEAR: RatesOut = {
  ...HOURS,
  steps: 47,
  steps_per_part: 24,
  step_s: 3600 * 4,
  first_time: "2026-03-01T00:00",
  means_per_s: [100, 200],
  peaks_per_s: [300, 500],
};

describe("rates as they are typed", () => {
  it("are numbers, one an hour, or a table that the server reads", () => {
    expect(typedRates(" ")).toEqual({ ok: true, value: null });
    expect(typedRates("1, 2.5;3\n4e3")).toEqual({
      ok: true,
      value: { rates: [1, 2.5, 3, 4000] },
    });
    const table = "time,accesses_per_s\n0,5\n60,7";
    expect(typedRates(table)).toEqual({
      ok: true,
      value: { rates_table: `${table}\n` },
    });
  });

  it("name what is no rate", () => {
    for (const bad of ["1 -2", "1 2x", "3 Infinity"]) {
      const found = typedRates(bad);
      expect(found.ok).toBe(false);
      expect(found).toMatchObject({ error: expect.stringContaining("is not a rate") });
    }
  });

  it("stand in place of mean and peak", () => {
    const form = { ...EMPTY_PRODUCTION, dataBytes: 2 ** 40, rate: 5, peak: 9 };
    expect(hasRates(form)).toBe(false);
    expect(productionOf(form)).toMatchObject({
      accesses_per_s: 5,
      peak_accesses_per_s: 9,
    });
    const over = productionOf({ ...form, rates: "1 2 3" });
    expect(over).toMatchObject({ rates: [1, 2, 3] });
    expect(over).not.toHaveProperty("accesses_per_s");
    expect(over).not.toHaveProperty("peak_accesses_per_s");
    expect(productionOf({ ...form, rates: "1 x" })).toBeNull();
    expect(over === null ? "" : usualName("Orders", over)).toBe(
      "Orders at 1 TiB, rates over time",
    );
  });
});

describe("rates over time", () => {
  it("are drawn as stairs, each step over all of its time", () => {
    const [line, ...others] = rateSeries(HOURS, "light");
    expect(others).toHaveLength(0);
    expect(line?.points).toEqual([
      [0, 100],
      [1, 100],
      [1, 400],
      [2, 400],
      [2, 100],
      [3, 100],
    ]);
    expect(timeAxis(HOURS)).toBe("time [hours]");
    expect(rateTable(HOURS).rows).toEqual([
      [0, 100],
      [1, 400],
      [2, 100],
    ]);
  });

  it("show mean and busiest step where parts hold several", () => {
    expect(hasParts(HOURS)).toBe(false);
    expect(hasParts(YEAR)).toBe(true);
    expect(rateSeries(YEAR, "dark").map(({ name }) => name)).toEqual([
      "Mean of the part",
      "Busiest step of the part",
    ]);
    expect(rateSeries(YEAR, "dark")[1]?.points.at(-1)?.[0]).toBeCloseTo(47 / 6);
    expect(timeAxis(YEAR)).toBe("time since 2026-03-01T00:00 [days]");
    expect(rateTable(YEAR).header).toHaveLength(3);
    expect(rateTable(YEAR).rows[1]).toEqual([4, 200, 500]);
  });
});
