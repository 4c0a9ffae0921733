import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bytes,
  counted,
  formatAmount,
  formatBytes,
  formatBytesExactly,
  formatCapacity,
  formatCount,
  formatDuration,
  formatLargeCount,
  formatNumber,
  formatOff,
  formatPages,
  formatPercent,
  formatPercentBeside,
  formatSeconds,
  microseconds,
  type Pages,
  pages,
  parseNumber,
  parseSize,
  ratio,
  unbroken,
  usd,
} from "@/units/quantity";

const PAGE_SIZES = [512, 4096, 8192, 16_384, 1_048_576].map(bytes);

describe("formatting", () => {
  it("shows three significant digits and never an exponent in the usual range", () => {
    expect(formatNumber(1234.5)).toBe("1,230");
    expect(formatNumber(4)).toBe("4.00");
    expect(formatNumber(0.000_123_4)).toBe("0.000123");
    expect(formatNumber(0)).toBe("0");
    expect(formatNumber(Number.NaN)).toBe("–");
  });

  it("uses binary units for memory and decimal units for devices", () => {
    expect(formatBytes(bytes(675 * 1024 * 1024))).toBe("675 MiB");
    expect(formatBytes(bytes(1023))).toBe("1,023 B");
    expect(formatBytes(bytes(1024))).toBe("1 KiB");
    expect(formatCapacity(bytes(2_340_000_000_000))).toBe("2.34 TB");
    expect(formatCapacity(bytes(999_600_000_000))).toBe("1 TB");
  });

  it.each([
    [0, "0 µs"],
    [0.94, "940 ns"],
    [2.02e-5, "0.0202 ns"],
    [-0.052, "-52 ns"],
    [0.9996, "1 µs"],
    [2.87, "2.87 µs"],
  ])("writes %s µs in the unit of its size, as reports do", (value, text) => {
    expect(formatDuration(microseconds(value))).toBe(text);
  });

  it.each([
    ["2 TB", 2e12],
    ["750 MB", 750e6],
    ["4 TiB", 2 ** 42],
    ["512 B", 512],
    ["1.5 TB", 1.5e12],
    ["715.31 MiB", 750056898],
  ])("keep %s as it was typed", (text, value) => {
    expect(formatBytesExactly(bytes(value))).toBe(text);
    expect(parseSize(text, bytes(1))).toMatchObject({ ok: true, value });
  });

  it("reads large counts at a glance, without a thousand of a unit", () => {
    expect(formatLargeCount(5_180_000_000)).toBe("5.18 billion");
    expect(formatLargeCount(3_072_618)).toBe("3.07 million");
    expect(formatLargeCount(999_999_999)).toBe("1 billion");
    expect(formatLargeCount(50_000)).toBe("50,000");
    expect(formatLargeCount(999_700)).toBe("1 million");
    expect(formatLargeCount(17)).toBe("17");
  });

  it("writes counts exactly and times with a fitting unit", () => {
    expect(formatCount(3_070_123)).toBe("3,070,123");
    expect(formatPages(pages(1))).toBe("1 page");
    expect(formatDuration(microseconds(812.4))).toBe("812 µs");
    expect(formatDuration(microseconds(1420))).toBe("1.42 ms");
    expect(formatSeconds(245)).toBe("4 min 5 s");
    expect(formatSeconds(7800)).toBe("2 h 10 min");
    expect(formatPercent(ratio(0.9751))).toBe("97.5 %");
    expect(formatPercent(ratio(0.000_05))).toBe("under 0.01 %");
    expect(formatPercent(ratio(0.999_86))).toBe("over 99.9 %");
    expect(formatPercent(ratio(1))).toBe("100 %");
    expect(formatPercentBeside(ratio(0.7003), ratio(0.7))).toBe("70.03 %");
    expect(formatPercentBeside(ratio(0.7), ratio(0.7))).toBe("70 %");
    expect(formatPercentBeside(ratio(0.41), ratio(Number.NaN))).toBe("41 %");
    expect(formatPercent(ratio(0.0001))).toBe("0.01 %");
    expect(formatOff(ratio(0.124))).toBe("12.4 % off");
    expect(formatOff(ratio(0.9994))).toBe("99.9 % off");
    expect(formatOff(ratio(0.9996))).toBe("a factor of 2 off");
    expect(formatOff(ratio(2.49))).toBe("a factor of 3.49 off");
    expect(formatPercent(ratio(0))).toBe("0 %");
  });
});

describe("parsing sizes", () => {
  it("gives back every page count it formats", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 40 }),
        fc.constantFrom(...PAGE_SIZES),
        (count, pageBytes) => {
          const parsed = parseSize(formatPages(pages(count)), pageBytes);
          expect(parsed).toEqual({ ok: true, value: count });
        },
      ),
    );
  });

  it("gives back whole binary sizes through their formatted text", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999 }),
        fc.integer({ min: 2, max: 4 }),
        (amount, power) => {
          const size = bytes(amount * 1024 ** power);
          const parsed = parseSize(formatBytes(size), bytes(4096));
          expect(parsed).toEqual({ ok: true, value: size / 4096 });
        },
      ),
    );
  });

  it("never throws and never returns a broken count, whatever is typed", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const parsed = parseSize(text, bytes(8192), 1);
        if (parsed.ok) {
          expect(Number.isSafeInteger(parsed.value)).toBe(true);
          expect(parsed.value).toBeGreaterThanOrEqual(1);
        } else {
          expect(parsed.hint).not.toBe("");
        }
      }),
    );
  });

  it("tells binary and decimal units apart and rounds down to whole pages", () => {
    expect(parseSize("1 MiB", bytes(4096))).toEqual({ ok: true, value: 256 as Pages });
    expect(parseSize("1 MB", bytes(4096))).toEqual({ ok: true, value: 244 as Pages });
    expect(parseSize("0.1MiB", bytes(1024))).toEqual({ ok: true, value: 102 as Pages });
  });

  it.each([
    ["-4", 'a size cannot be negative, got "-4"'],
    ["", '"" is not a size'],
    ["12 parsecs", '"parsecs" is not a unit of size'],
    ["1.5", 'pages are whole, got "1.5"'],
    ["1,5", '"1,5" is not a number'],
    ["0", 'at least 1 page, got "0"'],
    ["100 B", 'at least 1 page, got "100 B"'],
  ])("refuses %j and says why", (text, message) => {
    expect(parseSize(text, bytes(8192), 1)).toMatchObject({ ok: false, message });
  });

  it("accepts thousands separators only in groups of three", () => {
    expect(parseNumber("1,234,567.5")).toBe(1_234_567.5);
    expect(parseNumber("12,34")).toBeNull();
    expect(parseNumber("1e5")).toBeNull();
  });
});

describe("counts in sentences", () => {
  it("are in the singular for 1 alone", () => {
    expect([0, 1, 2, 21, 1200].map((count) => counted(count, "bad record"))).toEqual([
      "0 bad records",
      "1 bad record",
      "2 bad records",
      "21 bad records",
      "1,200 bad records",
    ]);
  });

  it("form the regular plurals, and take others and whole sentences as given", () => {
    expect(
      ["access", "miss", "entry", "day", "size"].map((one) => counted(2, one)),
    ).toEqual(["2 accesses", "2 misses", "2 entries", "2 days", "2 sizes"]);
    expect([1, 2].map((count) => counted(count, "run is", "runs are"))).toEqual([
      "1 run is",
      "2 runs are",
    ]);
  });

  it("keep a number that is already a text", () => {
    expect(["1", "1.5", "3.07 million"].map((text) => counted(text, "access"))).toEqual(
      ["1 access", "1.5 accesses", "3.07 million accesses"],
    );
  });
});

describe("money and sentences", () => {
  it.each([
    [0.1, "0.10 USD"],
    [1.5, "1.50 USD"],
    [12.34, "12.34 USD"],
    [16, "16 USD"],
    [99.999, "100 USD"],
    [123.4, "123 USD"],
    [0.0132, "0.0132 USD"],
    [0.00254, "under 0.01 USD"],
    [0, "0 USD"],
    [-0.5, "−0.50 USD"],
  ])("writes %f as %s", (value, text) => {
    expect(formatAmount(usd(value))).toBe(text);
  });

  it("keeps a number and its unit on one line, and nothing else", () => {
    expect(unbroken("saves 33.4 % of 21.2 µs in 2 GiB; 3 schemes")).toBe(
      "saves 33.4\u00a0% of 21.2\u00a0µs in 2\u00a0GiB; 3 schemes",
    );
  });
});
