import { describe, expect, it } from "vitest";
import { decimalText, parseDollarSearch } from "./dram-or-flash";

describe("the address of DRAM or flash", () => {
  it("reads what it can use and names the rest", () => {
    expect(
      parseDollarSearch({
        usd: 0.02,
        price_ratio: -1,
        form: "plain",
        disks: 2.5,
        old_share: 0.3,
        appends: true,
        metadata: "l2arc",
        host_usd: "many",
        reads: 0.5,
      }),
    ).toEqual({
      usd: 0.02,
      price_ratio: undefined,
      form: "plain",
      disks: undefined,
      old_share: 0.3,
      appends: true,
      metadata: "l2arc",
      host_usd: undefined,
      reads: 0.5,
      refused:
        "price_ratio=-1 (needs a number from 1e-6 to 1,000); " +
        "disks=2.5 (needs a whole number from 1 to 100,000); " +
        "host_usd=many (needs a number from 0 to 1e9)",
    });
  });

  it("holds access intervals that are stated", () => {
    const stated = { interval_s: 10, interval_sigma: 1.2, interval_pages: 5000 };
    expect(parseDollarSearch(stated)).toEqual(stated);
    expect(
      parseDollarSearch({ interval_s: 0, interval_sigma: 21, interval_pages: 0.5 })
        .refused,
    ).toMatch(/interval_s=0 .*interval_sigma=21 .*interval_pages=0.5 /);
  });

  it("writes money without an exponent", () => {
    expect(decimalText(0.000_000_1)).toBe("0.0000001");
    expect(decimalText(1000)).toBe("1000");
    expect(decimalText(12.5)).toBe("12.5");
  });
});
