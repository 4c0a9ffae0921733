import { describe, expect, it } from "vitest";
import {
  hasWrites,
  hitRatioFinding,
  hitRatioSentence,
  knee,
  sampleRows,
  sizeForHitRatio,
  sizeSentence,
  startedCurve,
  type WrittenCurve,
  writeBackFinding,
  writeBackSentence,
} from "./curve-findings";

// 1,000 accesses to 16 pages, 100 of them writes.
const curve: WrittenCurve = {
  kind: "trace",
  pages: [1, 2, 4, 8, 16],
  misses: [900, 700, 200, 100, 16],
  write_backs: [90, 60, 20, 10, 0],
  accesses: 1000,
  write_accesses: 100,
  tells_writes: true,
  distinct_pages: 16,
  page_bytes: 4096,
  knees: [{ pages: 4, hit_ratio: 0.8, height: 0.292 }],
  knee_method: "Kneedle",
};

describe("findings of a curve", () => {
  it("finds the smallest listed size that reaches a hit ratio", () => {
    expect(sizeForHitRatio(curve, 0.8)).toBe(4);
    expect(sizeForHitRatio(curve, 0.9)).toBe(8);
    expect(sizeForHitRatio(curve, 0.99)).toBeNull();
  });

  it("says of the chosen size what its start counts, and what is an estimate", () => {
    expect(sizeSentence(curve, 4)).toBe(
      "An LRU cache of 4 pages (16 KiB) has 200 misses and 20 write-backs.",
    );
    const misses = [890, 690, 190, 90, 6];
    const both = {
      ...curve,
      steady: {
        misses,
        misses_low: misses,
        misses_high: curve.misses,
        write_backs: [95, 65, 25, 15, 5],
        knees: curve.knees,
      },
    } as unknown as WrittenCurve;
    expect(sizeSentence(startedCurve(both, "steady"), 4)).toBe(
      "In the steady state, an LRU cache of 4 pages (16 KiB) has about 190 misses and about 25 write-backs in 1,000 accesses.",
    );
    expect(sizeSentence(startedCurve(both, "cold"), 4)).toBe(
      "An LRU cache of 4 pages (16 KiB) has 200 misses and 20 write-backs from a cold start.",
    );
    expect(sizeSentence(startedCurve(both, "cold"), 3)).toContain(
      "from a cold start. This size lies between two listed ones",
    );
  });

  it("names the highest knee, and the others after it", () => {
    expect(knee(curve)).toBe(4);
    const two = [...curve.knees, { pages: 8, hit_ratio: 0.9, height: 0.1 }];
    expect(hitRatioSentence({ ...curve, knees: two })).toContain(
      "A less marked knee is at 32 KiB.",
    );
    expect(hitRatioSentence(curve)).not.toContain("less marked");
    expect(knee({ ...curve, knees: [] })).toBeNull();
  });

  it("states the finding in sizes and per cent", () => {
    expect(hitRatioFinding(curve)).toBe("90 % of the accesses hit in 32 KiB of cache");
    expect(hitRatioSentence(curve)).toContain("knee is at 16 KiB (4 pages, 80 % hits)");
    expect(hitRatioSentence(curve)).toContain(
      "no cache that starts empty hits more than 98.4 %",
    );
  });

  it("says what doublings beyond the knee bring, and when one brings more", () => {
    // 50 % by doubling from 2 to 4 pages, then 10 % and 8.4 %.
    expect(hitRatioSentence(curve)).toContain(
      "hits): the doubling up to it adds 50 % of the accesses to the hits, and each later doubling at most 10 %.",
    );
    // A bend at small sizes, a flat part, and the bend that matters.
    const late = {
      ...curve,
      pages: [1, 2, 4, 8, 16, 32, 64],
      misses: [900, 700, 600, 590, 580, 200, 100],
      distinct_pages: 64,
      knees: [{ pages: 4, hit_ratio: 0.4, height: 0.3 }],
    };
    expect(hitRatioSentence(late)).toContain(
      "but a larger cache can pay more: doubling from 64 KiB to 128 KiB adds 38 % of the accesses to the hits, and the doubling up to the knee 10 %",
    );
    // At the end of the curve there is no doubling to speak of.
    const end = { ...curve, knees: [{ pages: 16, hit_ratio: 0.9, height: 0.3 }] };
    expect(hitRatioSentence(end)).toContain(
      "knee is at 64 KiB (16 pages, 98.4 % hits).",
    );
  });

  it("claims nothing of sizes that a profile does not list", () => {
    const cut = { ...curve, kind: "profile" as const, distinct_pages: 4000 };
    const sentence = hitRatioSentence(cut);
    expect(sentence).toContain("what a larger cache would hit is not known");
    expect(sentence).not.toContain("first touch");
    const scan = { ...cut, misses: [990, 990, 985, 985, 980] };
    expect(hitRatioFinding(scan)).toBe(
      "Up to 64 KiB of cache, at most 2 % of the accesses hit",
    );
  });

  it("makes no share of the accesses out of a share of the evicted pages", () => {
    const stated: WrittenCurve = {
      ...curve,
      kind: "curve",
      write_accesses: 350,
      write_backs: curve.misses.map((count) => 0.35 * count),
    };
    expect(writeBackFinding(stated)).toBe(
      "35 % of the evicted pages are dirty, as stated or counted, at every size",
    );
    expect(writeBackSentence(stated)).toBe(
      "By this share of the misses: 0.315 write-backs per access at 4 KiB, 0.0056 write-backs per access at 64 KiB. How many of the accesses write was not recorded.",
    );
    const clean = { ...stated, write_accesses: 0, write_backs: [0, 0, 0, 0, 0] };
    expect(writeBackFinding(clean)).toContain(
      "No evicted page is dirty, as stated or counted",
    );
  });

  it("says so when no smaller cache helps", () => {
    const scan = { ...curve, misses: [1000, 1000, 1000, 1000, 16] };
    expect(hitRatioFinding(scan)).toBe(
      "No cache of this workload hits more than 98.4 % of the accesses",
    );
  });

  it("speaks of write-backs only where there are writes", () => {
    expect(writeBackFinding(curve)).toBe(
      "Halving the write-backs of a cache of 4 KiB takes 16 KiB",
    );
    expect(writeBackFinding({ ...curve, write_backs: [90, 89, 88, 87, 0] })).toBe(
      "Halving the write-backs of a cache of 4 KiB takes 64 KiB, which holds every page",
    );
    expect(
      writeBackFinding({
        ...curve,
        write_backs: [90, 89, 88, 87, 86],
        distinct_pages: 4000,
      }),
    ).toBe("No listed cache, up to 64 KiB, halves the write-backs of a cache of 4 KiB");
    expect(writeBackFinding({ ...curve, write_backs: [0, 0, 0, 0, 0] })).toBe(
      "100 accesses write, but no cache of a listed size writes a page back",
    );
    const one = { ...curve, write_accesses: 1 };
    expect(writeBackFinding({ ...one, write_backs: [0, 0, 0, 0, 0] })).toBe(
      "1 access writes, but no cache of a listed size writes a page back",
    );
    expect(writeBackSentence({ ...one, write_backs: [1, 1, 0, 0, 0] })).toMatch(
      /^1 of [\d,]+ accesses is a write\. A cache of 4 KiB would write 1 page back\./,
    );
    expect(writeBackSentence(curve)).toContain(
      "A cache of 16 KiB would write 20 back, 22.2 % of that",
    );
    expect(writeBackFinding({ ...curve, write_accesses: 0 })).toContain(
      "writes nothing",
    );
  });

  it("takes write-backs for unknown where the trace does not tell writes", () => {
    expect(hasWrites(curve)).toBe(true);
    const silent = { ...curve, write_accesses: 0, write_backs: [0, 0, 0, 0, 0] };
    expect(hasWrites({ ...silent, tells_writes: false })).toBe(false);
    // A workload that is known to write nothing is another thing.
    expect(hasWrites(silent)).toBe(true);
  });

  it("claims nothing beyond the end of a given curve", () => {
    const given = { ...curve, kind: "curve" as const, write_backs: null };
    expect(hitRatioSentence(given)).toContain(
      "what a larger cache would hit is not known",
    );
    expect(hitRatioSentence(given)).not.toContain("no cache hits more");
    expect(hitRatioFinding({ ...given, misses: [990, 990, 990, 990, 980] })).toBe(
      "The given curve reaches 2 % hits in 64 KiB",
    );
    expect(hasWrites(given)).toBe(false);
    expect(hasWrites(curve)).toBe(true);
  });

  it("reads a described curve whole, and names its description", () => {
    const described: WrittenCurve = {
      ...curve,
      kind: "curve",
      described_by: "Orders",
      write_accesses: 350,
      write_backs: curve.misses.map((count) => 0.35 * count),
    };
    const sentence = hitRatioSentence(described);
    expect(sentence).toContain("Computed from the description “Orders”.");
    expect(sentence).not.toContain("is not known");
    expect(sentence).not.toContain("first touch");
    expect(hitRatioFinding(described)).not.toContain("given curve");
    expect(writeBackFinding(described)).not.toContain("as stated");
    expect(writeBackSentence(described)).toContain("350 of");
  });

  it("samples rows with both ends", () => {
    expect(sampleRows(5, 10)).toEqual([0, 1, 2, 3, 4]);
    const rows = sampleRows(1000, 40);
    expect(rows).toHaveLength(40);
    expect(rows[0]).toBe(0);
    expect(rows.at(-1)).toBe(999);
  });
});
