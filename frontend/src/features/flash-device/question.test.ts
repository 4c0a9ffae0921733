import { describe, expect, it } from "vitest";
import type { FlashDeviceOut } from "@/api/flash-device";
import { parseFlashDeviceSearch } from "@/questions/flash-device";
import { deviceFacts, flashDeviceQuestion, spareSeries, spareTable } from "./question";

const FOUND = {
  logical_pages: 65_536,
  blocks: 1311,
  block_pages: 64,
  page_bytes: 4096,
  mapping: "page",
  collection: "greedy",
  full_merges: 0,
  partial_merges: 0,
  switch_merges: 0,
  spare: 0.28,
  usable_spare: 0.278,
  waf: 2.41,
  closed_form: 2.4,
  asked: {},
  absorbed: 0,
  moved: 1,
  erases: 20_055,
  erases_least: 13,
  erases_mean: 15.3,
  erases_most: 18,
  erases_deviation: 0.8,
  used_share: 1,
  stream_wafs: [2.41],
  waf_without_trim: null,
  trim_saves: null,
  life: null,
  by_spare: [
    { mapping: "page", collection: "greedy", spare: 0.28, waf: 2.41, closed_form: 2.4 },
    {
      mapping: "page",
      collection: "cost-benefit",
      spare: 0.28,
      waf: 2.5,
      closed_form: null,
    },
  ],
} as unknown as FlashDeviceOut;

describe("the question of a flash device", () => {
  it("asks for the usual device at several spare spaces", () => {
    expect(flashDeviceQuestion({})).toEqual({
      spare: 0.07,
      streams: 1,
      spares: [0.07, 0.14, 0.28, 0.5, 1],
    });
  });

  it("adds the chosen spare space to the line, and leaves out what is not used", () => {
    const asked = flashDeviceQuestion({
      spare: 0.1,
      exponent: 2,
      hot_pages: 0.5,
      apart: "yes",
      choices: 3,
      pe_cycles: 3000,
    });
    expect(asked.spares).toEqual([0.07, 0.1, 0.14, 0.28, 0.5, 1]);
    expect(Object.keys(asked)).toEqual(["spare", "streams", "spares"]);
    expect(asked.streams).toBe(1);
    const log = { pattern: "log-and-random", hot_pages: 0.5, apart: "yes" } as const;
    expect(flashDeviceQuestion(log)).toMatchObject({ hot_pages: 0.5, streams: 2 });
    expect(flashDeviceQuestion({ pattern: "zipf", exponent: 2 }).exponent).toBe(2);
  });

  it("names parts of the address that it cannot use", () => {
    const read = parseFlashDeviceSearch({ collection: "lifo", spare: 0.28 });
    expect(read.spare).toBe(0.28);
    expect(read.refused).toContain("collection");
  });
});

describe("the answer", () => {
  it("draws a line for each rule and the formula of the chosen one", () => {
    const names = (found: FlashDeviceOut) =>
      spareSeries(found, "light").map(({ name }) => name);
    expect(names(FOUND).at(-1)).toBe("Closed form, greedy");
    const other = { ...FOUND, collection: "cost-benefit" } as const;
    expect(names(other)).toHaveLength(5);
    expect(spareTable(FOUND).rows).toHaveLength(2);
  });

  it("draws one line for another mapping, and leaves rules of collection out", () => {
    const search = { mapping: "bast", collection: "choices", choices: 3 } as const;
    expect(flashDeviceQuestion(search)).toMatchObject({ mapping: "bast", streams: 1 });
    expect(Object.keys(flashDeviceQuestion(search))).not.toContain("collection");
    const log = { ...search, pattern: "hot-cold", apart: "yes" } as const;
    expect(flashDeviceQuestion(log).streams).toBe(1);
    const found = {
      ...FOUND,
      mapping: "bast",
      collection: null,
      full_merges: 3,
      by_spare: [
        { mapping: "bast", collection: null, spare: 0.28, waf: 30, closed_form: null },
      ],
    } as FlashDeviceOut;
    const [line, ...more] = spareSeries(found, "light");
    expect([line?.name, line?.points, more]).toEqual([
      "Hybrid, BAST",
      [[0.28, 30]],
      [],
    ]);
    expect(spareTable(found).rows[0]?.[0]).toBe("Hybrid, BAST");
    const facts = new Map(deviceFacts(found));
    expect(facts.get("Merges, full, partial and switch")).toBe("3, 0, 0");
    expect(facts.get("Copied by merges")).toBe("1 page");
    const plain = new Map(deviceFacts(FOUND));
    expect(plain.has("Merges, full, partial and switch")).toBe(false);
  });

  it("says what TRIM saves, or adds, and only where it was asked", () => {
    const facts = (change: Partial<FlashDeviceOut>) =>
      new Map(deviceFacts({ ...FOUND, ...change }));
    expect(facts({}).has("Flash writes saved by TRIM")).toBe(false);
    expect(facts({}).get("Copied by collection")).toBe("1 page");
    expect(facts({}).has("Absorbed by the write buffer")).toBe(false);
    const buffered = { asked: { buffer_pages: 64 }, absorbed: 5 };
    expect(facts(buffered).get("Absorbed by the write buffer")).toBe("5 pages");
    const trimmed = { trim_saves: 0.25, waf_without_trim: 2.41 };
    expect(facts(trimmed).get("Flash writes saved by TRIM")).toBe("25 %");
    const worse = { trim_saves: -0.01, waf_without_trim: 2.41 };
    expect(facts(worse).get("Flash writes added by TRIM")).toBe("1 %");
    const life = { years: null, host_tb_written: 5, drive_writes_per_day: 1 };
    expect(facts({ life }).get("Life at this rate")).toBe("never wears out");
    expect(facts({ stream_wafs: [1, null] }).get("Write amplification by stream")).toBe(
      "1, unknown",
    );
    expect(facts({ closed_form: null }).get("By the closed form")).toBe("not covered");
  });
});
