import { describe, expect, it } from "vitest";
import type { ProductionOut } from "@/api/scaling";
import {
  EMPTY_PRODUCTION,
  errorText,
  productionOf,
  readTime,
  scaledText,
  tiersText,
  usualName,
} from "./production-form";

const TIB = 2 ** 40;
const STATED = { ...EMPTY_PRODUCTION, dataBytes: 4 * TIB, rate: 80_000 };

const scaled = (known: Partial<ProductionOut["known_error"]> | null): ProductionOut =>
  ({
    law: "stretch",
    factor: 8192,
    known_error:
      known === null
        ? null
        : {
            mean: 0.04,
            worst: 0.1,
            measured_up_to: 8,
            extrapolated: false,
            per: "access",
            ...known,
          },
  }) as ProductionOut;

describe("the form of production", () => {
  it("asks for nothing until data and rate are stated", () => {
    expect(productionOf(EMPTY_PRODUCTION)).toBeNull();
    expect(productionOf({ ...STATED, rate: null })).toBeNull();
    expect(productionOf({ ...STATED, unit: "unit" })).toBeNull();
    expect(productionOf({ ...STATED, pageBytes: 16_384 })?.page_bytes).toBe(16_384);
    expect(productionOf(STATED)).toMatchObject({
      page_bytes: null,
      data_bytes: 4 * TIB,
      accesses_per_s: 80_000,
      law: null,
    });
  });

  it("states new pages where they are stated, else leaves those of the profile", () => {
    expect(productionOf({ ...STATED, newPages: 5000 })?.new_pages).toBe(5000);
    expect(productionOf(STATED)).not.toHaveProperty("new_pages");
  });

  it("asks in transactions where the rate is of these", () => {
    const asked = productionOf({ ...STATED, unit: "unit", accessesPerUnit: 20 });
    expect(asked).toMatchObject({ units_per_s: 80_000, accesses_per_unit: 20 });
    expect(asked).not.toHaveProperty("accesses_per_s");
  });

  it("sends relations only to the law that knows them", () => {
    const form = { ...STATED, fixed: ["2"], factors: { "1": 3 } };
    expect(productionOf(form)).toMatchObject({
      fixed: ["2"],
      relation_factors: { "1": 3 },
    });
    expect(productionOf({ ...form, law: "stretch" })).toMatchObject({
      fixed: [],
      relation_factors: {},
    });
    const exponent = { ...STATED, exponent: 1.1 };
    expect(productionOf(exponent)?.exponent).toBeNull();
    expect(productionOf({ ...exponent, law: "cold_growth" })?.exponent).toBe(1.1);
  });

  it("names a workload after its production", () => {
    const asked = productionOf(STATED);
    expect(asked && usualName("Orders", asked)).toBe(
      "Orders at 4 TiB, 80,000 accesses/s",
    );
    const units = productionOf({ ...STATED, unit: "unit", accessesPerUnit: 20 });
    expect(units && usualName("Orders", units)).toBe(
      "Orders at 4 TiB, 80,000 transactions/s",
    );
  });

  it("says what is known of the error, and where nothing is", () => {
    expect(scaledText(scaled({}))).toBe("scaled 8,190 times by the law stretch");
    expect(errorText(scaled(null))).toBe("never measured");
    expect(errorText(scaled({}))).toBe(
      "misses per access are 4 % off on average and 10 % off at worst",
    );
    // No count is 249 % too low.
    expect(errorText(scaled({ worst: 2.49 }))).toBe(
      "misses per access are 4 % off on average and a factor of 3.49 off at worst",
    );
    expect(errorText(scaled({ extrapolated: true }))).toContain(
      "extrapolated from at most 8 times",
    );
  });
});

describe("the tiers of a running system", () => {
  const tier = (read_us: number | null) => ({
    name: "the cache on flash",
    size_bytes: 2 ** 30,
    requests_per_s: 100,
    read_us,
    text: "",
    device_id: null,
  });

  it("stand in the block of production with the times that were measured", () => {
    expect(readTime(tier(200))).toBe("200 µs");
    expect(readTime(tier(null))).toBe("not timed");
    expect(tiersText([tier(null), tier(200)])).toContain("waits included");
    expect(tiersText([tier(null)])).toContain("track_io_timing");
  });
});
