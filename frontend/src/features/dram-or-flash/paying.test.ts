import { describe, expect, test } from "vitest";
import type { BreakEvenOut } from "@/api/dram-or-flash";
import {
  countsPower,
  type Paying,
  payingMarkers,
  payingSeries,
  payingTable,
  termBars,
  termParts,
} from "./paying";

const limit = (name: string, break_even_s: number, pages: number) => ({
  lower: name,
  lower_name: name,
  break_even_s,
  pages,
  bytes: pages * 4096,
  is_trend: false,
  sentence: "",
  law_pages: null,
  law_sentence: "",
});

const paying: Paying = {
  accesses_per_s: 200,
  rate_basis: "as given",
  from_pages: [0, 256, 512],
  to_pages: [256, 512, 1024],
  interval_s: [0.1, 5, null],
  existing_interval_s: 5,
  sizes: [limit("SSD", 1, 256), limit("Disk", 9, 512)],
  finding: "",
  estimator: "",
  validity: "",
};

const found = (change: Partial<BreakEvenOut>): BreakEvenOut =>
  ({ ram_pages: 64, page_bytes: 4096, intervals: [], ...change }) as BreakEvenOut;

const NO_POWER = { device_power_s: 0, memory_power_s: 0 };

const interval = (name: string, host_s: number, device_s: number) => ({
  upper: "dram",
  lower: name,
  upper_name: "DRAM",
  lower_name: name,
  interval_s: host_s + device_s,
  terms: { host_s, bandwidth_s: 0, device_s, ...NO_POWER },
  missing: [],
  validity: "",
  warnings: [],
});

describe("RAM that pays", () => {
  test("is steps in MiB, as far as pages save anything, below level lines", () => {
    const [steps, ...lines] = payingSeries(paying, 4096, "light");
    expect(steps?.points).toEqual([
      [1 / 256, 0.1],
      [1, 0.1],
      [1, 5],
      [2, 5],
    ]);
    expect(lines.map(({ points }) => points)).toEqual([
      [
        [1 / 256, 1],
        [2, 1],
      ],
      [
        [1 / 256, 9],
        [2, 9],
      ],
    ]);
  });

  test("has no lines where no page saves an access", () => {
    expect(payingSeries({ ...paying, interval_s: [null] }, 4096, "light")).toEqual([]);
  });

  test("marks sizes whose labels do not overlap", () => {
    const names = (ram_pages: number) =>
      payingMarkers(paying, found({ ram_pages })).map(({ x }) => x);
    expect(names(64)).toEqual([0.25, 1, 2]);
    expect(names(250)).toEqual([250 / 256, 2]);
  });

  test("says of every step over which device it pays", () => {
    expect(payingTable(paying, 4096).rows).toEqual([
      [0, 256, 1_048_576, 0.1, "yes", "yes"],
      [256, 512, 2_097_152, 5, "no", "yes"],
      [512, 1024, 4_194_304, null, "no", "no"],
    ]);
  });
});

describe("terms of an interval", () => {
  test("are drawn where the host is counted, beside intervals of like length", () => {
    const intervals = [interval("SSD", 1, 9), interval("Disk", 1, 9000)];
    expect(termBars(found({ intervals })).map(({ title }) => title)).toEqual([
      "DRAM over SSD",
    ]);
    expect(termBars(found({ intervals: [interval("SSD", 0, 9)] }))).toEqual([]);
  });

  test("have power only where electricity has a price, which may shorten an interval", () => {
    const plain = interval("SSD", 0, 9);
    const power = { device_power_s: 1, memory_power_s: -2 };
    const priced = found({
      intervals: [{ ...plain, terms: { ...plain.terms, ...power } }],
    });
    expect(termBars(priced)).toEqual([
      {
        title: "DRAM over SSD",
        parts: { host_s: 0, bandwidth_s: 0, device_s: 9, ...power },
      },
    ]);
    const titles = (of: BreakEvenOut) => termParts(of).map(({ title }) => title);
    expect(titles(priced)).toContain("Power of the memory");
    expect(countsPower(priced)).toBe(true);
    const without = found({ intervals: [interval("SSD", 1, 9)] });
    expect(titles(without)).toEqual(["Device", "Host", "DRAM bandwidth"]);
    expect(countsPower(without)).toBe(false);
  });
});
