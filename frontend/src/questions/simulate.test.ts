import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SIMULATOR } from "@/testing/simulator";
import {
  countSizes,
  parseSweepSearch,
  readContenders,
  readSizes,
  readWarmUp,
  type SizeSpec,
  sizesInput,
  specOfInput,
  sweepOf,
  usualContenders,
  usualRange,
  writeContenders,
  writeSizes,
  writeWarmUp,
} from "./simulate";

describe("the warm-up in the address", () => {
  it.each([
    ["100000", 100_000],
    ["50%", 0.5],
    ["12.5%", 0.125],
    ["full", "full"],
    ["0", 0],
  ] as const)("reads %s", (text, warmUp) => {
    expect(readWarmUp(text)).toBe(warmUp);
    expect(writeWarmUp(warmUp)).toBe(warmUp === 0 ? undefined : text);
  });

  it.each(["", "-1", "1.5", "100%", "half", "1e400"])("refuses %s", (text) => {
    expect(readWarmUp(text)).toBeNull();
  });

  it("comes back, whatever it is", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), (share) => {
        expect(readWarmUp(writeWarmUp(share / 100) ?? "")).toBe(share / 100);
      }),
    );
  });
});

describe("contenders in the address", () => {
  it("come back with their options, whatever the values hold", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            pick: fc.constantFrom(
              ["policy", "2q"] as const,
              ["scheme", "lazy"] as const,
              ["flash_cache", "face"] as const,
            ),
            value: fc.string({ minLength: 1, maxLength: 20 }),
          }),
          { maxLength: 6 },
        ),
        (drawn) => {
          const contenders = drawn.map(({ pick: [family, name], value }) => ({
            family,
            name,
            options: { k_in: value },
          }));
          const read = readContenders(writeContenders(contenders), SIMULATOR);
          expect(read).toEqual({ contenders, faults: [] });
        },
      ),
    );
  });

  it("names what the simulator does not know and keeps the rest", () => {
    const read = readContenders(
      "policy:lru,policy:mru,nonsense,buffer:lazy",
      SIMULATOR,
    );
    expect(read.contenders).toEqual([{ family: "policy", name: "lru", options: {} }]);
    expect(read.faults).toHaveLength(3);
    expect(read.faults[0]).toContain("policy:mru");
  });

  it("begins with the first policies and the bound", () => {
    expect(usualContenders(SIMULATOR).map(({ name }) => name)).toEqual([
      "lru",
      "2q",
      "clock",
      "opt",
    ]);
  });
});

describe("sizes in the address", () => {
  const specs: readonly SizeSpec[] = [
    { kind: "range", from: 10, to: 30_000, points: 12 },
    { kind: "list", pages: [1, 64, 4096] },
  ];
  it.each(specs)("come back: %j", (spec) => {
    expect(readSizes(writeSizes(spec), 1)).toEqual(spec);
    expect(specOfInput(sizesInput(spec))).toEqual(spec);
  });

  it.each(["", "x", "1..", "5..2x3", "0..9x3", "1..9x999", "1,,2", "-1", "1.5"])(
    "refuses %j",
    (text) => expect(readSizes(text, 1)).toBeNull(),
  );

  it("takes zero only where it is allowed", () => {
    expect(readSizes("0,10", 0)).toEqual({ kind: "list", pages: [0, 10] });
    expect(readSizes("0,10", 1)).toBeNull();
  });

  it("counts different sizes", () => {
    expect(countSizes({ kind: "list", pages: [4, 4, 5] })).toBe(2);
    expect(countSizes({ kind: "range", from: 1, to: 4, points: 12 })).toBe(4);
    expect(countSizes({ kind: "range", from: 10, to: 10_000, points: 4 })).toBe(4);
    expect(countSizes({ kind: "range", from: 7, to: 7, points: 9 })).toBe(1);
    expect(countSizes(usualRange(30_687))).toBe(12);
    // At a thousandth of production the recording would have 30 pages.
    const scaled = { factor: 500, production: { machines: 2 } };
    expect(usualRange(30_000_000, scaled)).toMatchObject({ from: 250_000 });
    expect(usualRange(200_000, scaled)).toMatchObject({ from: 200_000, to: 200_000 });
  });
});

describe("the page's own parameters", () => {
  it("drops what has the wrong shape", () => {
    expect(
      parseSweepSearch({ sweep: "../x", over: "side", held: -1, sizes: 1000 }),
    ).toMatchObject({
      sweep: undefined,
      over: undefined,
      held: undefined,
      sizes: "1000",
    });
  });

  it("leads to a sweep without the choices before it", () => {
    const led = sweepOf({ workload: "w", sizes: "1", contenders: "policy:lru" }, "abc");
    expect(led).toMatchObject({ workload: "w", sweep: "abc" });
    expect(led.sizes).toBeUndefined();
    expect(led.contenders).toBeUndefined();
  });
});
