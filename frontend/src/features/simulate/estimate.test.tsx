import { describe, expect, it } from "vitest";
import type { MiniatureOut, MiniatureRow } from "@/api/miniatures";
import { expectAccessible, renderThemed } from "@/testing/render";
import { SIMULATOR } from "@/testing/simulator";
import {
  estimateFinding,
  estimateNotes,
  estimateSentence,
  estimateTable,
  isSameEstimate,
  knownRows,
  leastPagesAt,
} from "./estimate";
import { EstimateChart, setupOf } from "./estimate-panel";
import { tierFinding, tierRows, tierSentence, tierTable } from "./estimate-tiers";
import { TiersChart } from "./estimate-tiers-chart";

const row = (
  pages: number,
  hit_ratio: number | null,
  lru_hit_ratio: number,
  too_small = false,
): MiniatureRow => ({
  pages,
  hit_ratio,
  hit_ratio_interval95:
    hit_ratio === null || too_small ? null : [hit_ratio - 0.02, hit_ratio + 0.02],
  lru_hit_ratio,
  misses: hit_ratio === null ? null : 1000 * (1 - hit_ratio),
  misses_interval95: hit_ratio === null || too_small ? null : [900, 1000],
  disk_writes: hit_ratio === null ? null : 10.4,
  disk_writes_interval95: hit_ratio === null || too_small ? null : [8, 12],
  too_small: hit_ratio === null ? null : too_small,
  in_production: null,
  per_s_interval95: null,
  warnings: too_small
    ? [
        {
          name: "too_small",
          message: "biased perhaps",
          hint: "take 2,560 pages",
          could_change_choice: null,
          about: [],
          effect: "",
        },
      ]
    : [],
  error: hit_ratio === null ? "too few pages are sampled" : null,
  hint: hit_ratio === null ? "use a larger rate" : null,
});

const made = (rows: readonly MiniatureRow[], title = "ARC"): MiniatureOut => ({
  id: "m",
  workload_id: "w",
  content_id: "c",
  status: "succeeded",
  inputs: {
    workload_id: "w",
    policy: title.toLowerCase(),
    sizes: [10, 100],
    sample_rate: 0.1,
  },
  title,
  sizes: rows.map(({ pages }) => pages),
  accesses: 1000,
  warm_up: 0,
  distinct_pages: 500,
  page_bytes: 4096,
  estimator: "miniature simulation",
  miniature_rate: 0.0125,
  interval_confidence: 0.95,
  rows: [...rows],
  warnings: [],
  core_version: "1",
  created_at: "2026-01-01T00:00:00Z",
  run: null,
});

describe("an estimate beside LRU", () => {
  it("is told apart only where LRU lies beyond the interval", () => {
    // 0.50 +- 0.02 against 0.49 and 0.47; 0.60 +- 0.02 against 0.63
    const rows = [row(10, 0.5, 0.49), row(20, 0.5, 0.47), row(40, 0.6, 0.63)];
    expect(estimateFinding(made(rows))).toBe(
      "ARC hits more than LRU at 1 and less at 1 of 3 sizes, beyond its interval",
    );
    expect(estimateFinding(made(rows.slice(0, 1)))).toBe(
      "ARC and LRU cannot be distinguished at any of 1 size",
    );
    expect(estimateFinding(made(rows, "LRU"))).toBe(
      "The LRU estimate contains the exact curve at 1 of 3 sizes",
    );
    expect(estimateFinding(made([row(10, null, 0.4)]))).toBe("No estimate of ARC yet");
    const small = row(10, 0.5, 0.3, true);
    expect(estimateFinding(made([small]))).toContain(
      "too small to distinguish ARC from LRU",
    );
    const unlike = { ...small, too_small: false };
    expect(estimateFinding(made([unlike], "LRU-2"))).toContain(
      "No scaled cache represents one under LRU-2",
    );
    expect(estimateSentence(made([unlike], "LRU-2"))).toContain(
      "no interval can be stated",
    );
    const cliff = {
      ...unlike,
      warnings: [
        {
          name: "cliff",
          message: "the curve has a cliff",
          hint: "replay it",
          could_change_choice: null,
          about: [],
          effect: "",
        },
      ],
    };
    expect(estimateFinding(made([cliff]))).toBe(
      "The curve of ARC has a cliff at this size, so it cannot be distinguished from LRU",
    );
    expect(estimateFinding(made([cliff, cliff]))).toContain("at each of 2 sizes");
    expect(estimateTable(made([cliff])).rows[0]?.at(-1)).toBe(
      "the curve has a cliff at this size: no interval",
    );
    expect(estimateFinding(made([small, cliff]))).toContain(
      "No scaled cache represents",
    );
    expect(estimateFinding(made([small, row(20, 0.5, 0.6)]))).toBe(
      "ARC hits less than LRU at 1 of 1 size with an interval, beyond its interval",
    );
  });

  it("says the size in the middle, with its interval", () => {
    const sentence = estimateSentence(made([row(10, 0.5, 0.4), row(256, 0.6, 0.55)]));
    expect(sentence).toContain("1 MiB");
    expect(sentence).toMatch(/ARC hits about 60 % \(58 % to 62 % in 95 % of samples\)/);
    expect(sentence).toContain("LRU exactly 55 %");
    expect(estimateSentence(made([row(10, null, 0.4)]))).toBeUndefined();
  });

  it("keeps a size that failed in the table, and names it once below", () => {
    const found = made([
      row(10, null, 0.4),
      row(20, 0.5, 0.4, true),
      row(40, null, 0.4),
    ]);
    const table = estimateTable(found);
    for (const line of [...table.rows, ...table.shown]) {
      expect(line).toHaveLength(table.header.length);
    }
    expect(table.rows[0]?.[2]).toBeNull();
    expect(table.rows[0]?.at(-1)).toBe("too few pages are sampled");
    const notes = estimateNotes(found);
    expect(notes.map(({ name }) => name)).toEqual(["too_small", "failed"]);
    expect(table.rows[1]?.at(-1)).toContain("below 32 pages");
    // 32 pages x 8 miniatures / 0.1
    expect(notes[0]?.hint).toContain("2,560 pages");
    expect(leastPagesAt(0.1)).toBe(2560);
  });

  it("has the rates of production beside its counts, and none of a size that was refused", () => {
    const plain = row(256, 0.6, 0.55);
    const at = {
      ram_pages: 256,
      flash_pages: null,
      page_bytes: 4096,
      replayed_ram_pages: 64,
      replayed_flash_pages: null,
      accesses_per_s: 80_000,
      per_s: { misses: 32_000, disk_writes: 832 },
    };
    const there = {
      ...plain,
      in_production: at,
      per_s_interval95: {
        misses: [30_000, 34_000] as [number, number],
        disk_writes: [640, 960] as [number, number],
      },
    };
    const refused = { ...row(10, null, 0), lru_hit_ratio: null };
    const found = { ...made([refused, there]), warm_up: 1000 };
    const sentence = estimateSentence(found);
    expect(sentence).toContain("ARC hits about 60 %");
    expect(sentence).toContain(
      "One machine of production has 80,000 accesses per second, of which it misses about 32,000 (30,000 to 34,000).",
    );
    expect(estimateSentence(made([plain]))).not.toContain("production");
    const table = estimateTable(found);
    for (const line of [...table.rows, ...table.shown]) {
      expect(line).toHaveLength(table.header.length);
    }
    const column = table.header.indexOf("Misses in production [1/s]");
    expect(table.rows.map((line) => line[column])).toEqual([null, 32_000]);
    expect(table.shown[0]?.[column]).toBe("–");
    expect(table.caption).toContain("1,000 accesses after a warm-up of 1,000");
    expect(estimateTable(made([plain])).header).not.toContain(
      "Misses in production [1/s]",
    );
    expect(estimateFinding(found)).toContain("of 1 size");
  });

  it("is another one with another rate, option or size", () => {
    const { inputs } = made([]);
    expect(isSameEstimate(inputs, { ...inputs, options: {}, seed: 0 })).toBe(true);
    for (const change of [
      { sample_rate: 0.2 },
      { options: { k_in: "0.5" } },
      { sizes: [10] },
      { policy: "2q" },
    ]) {
      expect(isSameEstimate(inputs, { ...inputs, ...change })).toBe(false);
    }
  });

  it.each(["light", "dark"] as const)("is drawn with its band (%s)", async (colors) => {
    const screen = await renderThemed(
      <EstimateChart
        made={made([row(10, 0.3, 0.25), row(100, 0.5, 0.55)])}
        exact={{ pages: [1, 30, 500], misses: [900, 700, 500], accesses: 1000 }}
        name="trace"
      />,
      colors,
    );
    const chart = screen.getByRole("region", {
      name: "Estimated hit ratio of ARC by size of trace",
    });
    await expect.element(chart.getByText("LRU, exact")).toBeVisible();
    // The band is the only shape that is filled and seen through.
    await expect
      .poll(() => document.querySelectorAll('path[fill-opacity="0.22"]').length)
      .toBe(1);
    await expectAccessible();
  });
});

const tierRow = (flash: number, misses: number, band: number | null): MiniatureRow => {
  const around = (value: number): [number, number] | null =>
    band === null ? null : [value - band, value + band];
  return {
    ...row(flash, 1 - misses / 1000, 0, band === null),
    hit_ratio_interval95:
      band === null ? null : [1 - (misses + band) / 1000, 1 - (misses - band) / 1000],
    lru_hit_ratio: null,
    misses,
    misses_interval95: around(misses),
    tiers: {
      ram_pages: 50,
      ram_hits: 500,
      ram_hits_interval95: around(500),
      flash_hits: 500 - misses,
      flash_hits_interval95: around(500 - misses),
      disk_reads: misses + 1,
      disk_reads_interval95: around(misses + 1),
      flash_writes: 250,
      flash_writes_interval95: around(250),
      counters: { ram_hits: 500 },
      counters_interval95: band === null ? null : { ram_hits: [490, 510] },
      ram_tax_bytes: flash * 64,
      ram_tax_share: 0.25,
    },
  };
};

const LIFE = {
  written_pages: 250,
  erases: null,
  waf: null,
  waf_note: "no layer",
  accesses_per_s: 500,
  tb_per_day: 0.1,
  years: 8.453,
  never_worn_out: false,
  basis: "at the stated 500 accesses/s",
  reason: null,
  sentence: "Flash took about 250 page writes.",
};

const overFlash = (rows: readonly MiniatureRow[]): MiniatureOut => {
  const found = made(rows, "LARC");
  return {
    ...found,
    inputs: { ...found.inputs, family: "flash_cache", ram_pages: 50 },
  };
};

describe("an estimate of RAM over flash", () => {
  const found = overFlash([
    tierRow(64, 400, null),
    tierRow(256, 300, 20),
    tierRow(1024, 200, 10),
  ]);

  it("says what it misses at the ends, and both tiers in the middle", () => {
    expect(tierFinding(found)).toBe(
      "LARC misses about 40 % of the accesses at 64 pages of flash and 20 % at 1,024",
    );
    expect(tierFinding(overFlash([tierRow(64, 400, null)]))).toBe(
      "LARC misses about 40 % of the accesses at 64 pages of flash",
    );
    expect(tierFinding(overFlash([row(64, null, 0)]))).toBe("No estimate of LARC yet");
    const sentence = tierSentence(found);
    expect(sentence).toContain("flash of 256 pages");
    expect(sentence).toContain("RAM of 50 pages");
    expect(sentence).toContain(
      "LARC misses about 30 % (28 % to 32 % in 95 % of samples)",
    );
    expect(sentence).toContain(
      "RAM hits about 50 %, flash 20 %, and flash takes about 25 page writes per 100 accesses.",
    );
    expect(tierSentence(overFlash([tierRow(64, 400, null)]))).toContain(
      "no interval can be stated",
    );
    expect(tierSentence(overFlash([]))).toBeUndefined();
  });

  it("has every count with its interval in the table, and is not compared with LRU", () => {
    const failed = overFlash([...found.rows, row(2048, null, 0)]);
    const table = tierTable(failed);
    for (const line of [...table.rows, ...table.shown]) {
      expect(line).toHaveLength(table.header.length);
    }
    const at = (title: string) => {
      const column = table.header.indexOf(title);
      return table.rows[1]?.slice(column, column + 3);
    };
    expect(table.rows.map((line) => line[0])).toEqual([64, 256, 1024, 2048]);
    expect(at("RAM hits, estimated")).toEqual([500, 480, 520]);
    expect(at("Flash hits, estimated")).toEqual([200, 180, 220]);
    expect(at("Misses, estimated")).toEqual([300, 280, 320]);
    expect(at("Disk reads, estimated")).toEqual([301, 281, 321]);
    expect(at("Flash writes, estimated")).toEqual([250, 230, 270]);
    const taxed = table.header.indexOf("RAM of its directory [bytes]");
    expect(table.header[taxed + 1]).toBe("Of RAM");
    expect(table.rows[1]?.slice(taxed, taxed + 2)).toEqual([256 * 64, 0.25]);
    expect(table.shown[1]?.slice(taxed, taxed + 2)).toEqual(["16 KiB", "25 %"]);
    expect(table.rows[3]?.slice(taxed, taxed + 2)).toEqual([null, null]);
    expect(table.rows[0]?.slice(4, 6)).toEqual([null, null]);
    expect(table.rows[3]?.at(-1)).toBe("too few pages are sampled");
    expect(table.header).not.toContain("Life of flash [years]");
    const lasting = { ...tierRow(64, 400, null), flash_life: LIFE };
    const withLife = tierTable(overFlash([lasting, row(2048, null, 0)]));
    const column = withLife.header.indexOf("Life of flash [years]");
    expect(withLife.rows.map((line) => line[column])).toEqual([8.453, null]);
    expect(withLife.shown[0]?.[column]).toBe("8.45");
    expect(knownRows(found)).toEqual([]);
    expect(tierRows(made([row(10, 0.5, 0.4)]))).toEqual([]);
  });

  it("has the rates of production", () => {
    const plain = tierRow(256, 300, 20);
    const there = overFlash([
      {
        ...plain,
        in_production: {
          ram_pages: 50,
          flash_pages: 256,
          page_bytes: 4096,
          replayed_ram_pages: 25,
          replayed_flash_pages: 128,
          accesses_per_s: 80_000,
          per_s: { flash_misses: 24_000, flash_writes: 20_000, hdd_writes: 832 },
        },
        per_s_interval95: { flash_misses: [22_400, 25_600] },
      },
    ]);
    expect(tierSentence(there)).toContain(
      "of which it misses about 24,000 (22,400 to 25,600).",
    );
    const table = tierTable(there);
    const column = table.header.indexOf("Misses in production [1/s]");
    expect(table.rows[0]?.slice(column, column + 4)).toEqual([
      24_000, 22_400, 25_600, 20_000,
    ]);
    expect(table.rows[0]).toHaveLength(table.header.length);
  });

  it.each(["light", "dark"] as const)("is drawn with its band (%s)", async (colors) => {
    const screen = await renderThemed(<TiersChart made={found} name="trace" />, colors);
    const chart = screen.getByRole("region", {
      name: "Estimated misses of LARC by size of flash of trace",
    });
    await expect
      .element(chart.getByText(/below RAM of 50\spages/).first())
      .toBeVisible();
    await expect
      .poll(() => document.querySelectorAll('path[fill-opacity="0.22"]').length)
      .toBe(1);
    await expectAccessible();
  });
});

describe("what is estimated", () => {
  it("may be flash below RAM, whose size the address states", () => {
    const usual = setupOf({ estimated: "flash_cache:face" }, SIMULATOR, 100_000);
    expect(usual.faults).toEqual([]);
    expect(usual.contender.name).toBe("face");
    // 5 % of the pages, unless miniatures of so small a RAM were too small.
    expect(usual.ram).toBe(5000);
    expect(setupOf({ estimated: "scheme:lazy" }, SIMULATOR, 30_687).ram).toBe(2560);
    const stated = setupOf(
      { estimated: "flash_cache:face", estimate_ram: 700 },
      SIMULATOR,
      30_687,
    );
    expect(stated.ram).toBe(700);
    expect(setupOf({ estimate_ram: 700 }, SIMULATOR, 30_687).ram).toBeNull();
    const { inputs } = overFlash([]);
    expect(isSameEstimate(inputs, { ...inputs, ram_pages: 51 })).toBe(false);
    expect(isSameEstimate(inputs, { ...inputs, family: "scheme" })).toBe(false);
    const { inputs: policy } = made([]);
    expect(isSameEstimate(policy, { ...policy, family: "policy" })).toBe(true);
  });

  it("begins where miniatures are large enough, and names what it cannot use", () => {
    const usual = setupOf({}, SIMULATOR, 30_687);
    expect(usual.contender.name).toBe("arc");
    expect(usual.sizes).toMatchObject({ from: 2560, to: 30_687 });
    const small = setupOf({ estimate_rate: 0.5 }, SIMULATOR, 400);
    expect(small.sizes).toMatchObject({ from: 1, to: 400 });
    // Sizes of production, from those whose miniatures of the recording are large enough.
    const large = setupOf({}, SIMULATOR, 4 * 30_687, 30_687);
    expect(large.sizes).toMatchObject({ from: 4 * 2560, to: 4 * 30_687 });
    const wrong = setupOf(
      { estimated: "buffer:cflru", estimate_sizes: "9..2x1" },
      SIMULATOR,
      400,
    );
    expect(wrong.contender.name).toBe("arc");
    expect(wrong.faults).toHaveLength(2);
    const own = setupOf({ estimated: "policy:2q~k_in=0.5" }, SIMULATOR, 400);
    expect(own.contender).toEqual({
      family: "policy",
      name: "2q",
      options: { k_in: "0.5" },
    });
    expect(own.item?.title).toBe("2Q");
  });
});
