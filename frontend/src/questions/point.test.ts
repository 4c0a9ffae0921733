import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AnalysisState,
  completeState,
  evaluationInput,
  parseAnalysisSearch,
  STARTS,
  STATE_KEYS,
} from "./point";

const identifiers = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/);
const states: fc.Arbitrary<AnalysisState> = fc.record({
  workload: identifiers,
  ram_pages: fc.integer({ min: 1, max: 2 ** 48 }),
  flash_pages: fc.integer({ min: 0, max: 2 ** 48 }),
  flash_device: identifiers,
  disk_device: identifiers,
  ram_device: identifiers,
  price_book: identifiers,
  months: fc.integer({ min: 1, max: 600 }),
  start: fc.constantFrom(...STARTS),
});

describe("the address", () => {
  it("restores every state exactly, also when all values come back as text", () => {
    fc.assert(
      fc.property(states, (state) => {
        const text = Object.fromEntries(
          Object.entries(state).map(([key, value]) => [key, String(value)]),
        );
        expect(completeState(parseAnalysisSearch(text))).toEqual(state);
        expect(completeState(parseAnalysisSearch({ ...state }))).toEqual(state);
      }),
    );
  });

  it("names a rate that it cannot use, where another currency is shown", () => {
    const asked = { currency: "EUR", per_usd: "cheap" };
    expect(parseAnalysisSearch(asked).refused).toContain("per_usd=cheap (needs a rate");
    const stated = parseAnalysisSearch({ currency: "EUR", per_usd: "0.92@2026-11-20" });
    expect(stated).toMatchObject({ currency: "EUR", per_usd: "0.92@2026-11-20" });
    expect(stated).not.toHaveProperty("refused");
    for (const dollars of [{ per_usd: "cheap" }, { currency: "USD", per_usd: "1" }]) {
      const search = parseAnalysisSearch(dollars);
      expect(search).toMatchObject({ currency: undefined, per_usd: undefined });
      expect(search).not.toHaveProperty("refused");
    }
  });

  it("restores identifiers that look like numbers", () => {
    const search = parseAnalysisSearch({ workload: 42 });
    expect(search.workload).toBe("42");
  });

  it.each([
    ["ram_pages", "0"],
    ["ram_pages", "-4"],
    ["ram_pages", "1.5"],
    ["flash_pages", "many"],
    ["flash_pages", "99999999999999999999"],
    ["months", "601"],
    ["start", "warm"],
    ["workload", "../etc"],
    ["flash_device", "A B"],
  ])("leaves %s=%s out and names it", (key, value) => {
    const search = parseAnalysisSearch({ [key]: value });
    expect(search[key as keyof AnalysisState]).toBeUndefined();
    expect(search.refused).toContain(`${key}=${value} (needs `);
    // Stated as absent, so that the raw value cannot show through.
    expect(search).toHaveProperty(key);
    const again = parseAnalysisSearch({ [key]: value, refused: search.refused });
    expect(again.refused).toBe(search.refused);
  });

  it("shows an object that has no text of its own", () => {
    const { refused } = parseAnalysisSearch({ workload: { toString: "" } });
    expect(refused).toContain('workload={"toString":""}');
  });

  it("never throws, whatever stands in it", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...STATE_KEYS, "other"), fc.anything()),
        (raw) => {
          const search = parseAnalysisSearch(raw);
          expect(Object.keys(search).every((key) => key !== "other")).toBe(true);
        },
      ),
    );
  });

  it("is incomplete as long as one part is missing", () => {
    fc.assert(
      fc.property(states, fc.constantFrom(...STATE_KEYS), (state, key) => {
        const search = parseAnalysisSearch({ ...state, [key]: undefined });
        expect(completeState(search)).toBeNull();
      }),
    );
  });

  it("sends an absent RAM device and price book as null", () => {
    const input = evaluationInput({
      workload: "w",
      ram_pages: 5,
      flash_pages: 0,
      flash_device: "f",
      disk_device: "d",
      ram_device: "none",
      price_book: "none",
      months: 36,
      start: "cold",
    });
    expect(input.start).toBe("cold");
    expect(input.ram_device_id).toBeNull();
    expect(input.price_book_id).toBeNull();
  });
});
