import { describe, expect, it } from "vitest";
import {
  hasWrites,
  hitRatioFinding,
  hitRatioSentence,
  knee,
  sampleRows,
  sizeForHitRatio,
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

  it("names the highest knee, and the others after it", () => {
    expect(knee(curve)).toBe(4);
    const two = [...curve.knees, { pages: 8, hit_ratio: 0.9, height: 0.1 }];
    expect(hitRatioSentence({ ...curve, knees: two })).toContain(
      "Smaller knees: 32 KiB.",
    );
    expect(hitRatioSentence(curve)).not.toContain("Smaller");
    expect(knee({ ...curve, knees: [] })).toBeNull();
  });

  it("states the finding in sizes and per cent", () => {
    expect(hitRatioFinding(curve)).toBe("90 % of the accesses hit in 32 KiB of cache");
    expect(hitRatioSentence(curve)).toContain("knee is at 16 KiB (4 pages, 80 % hits)");
    expect(hitRatioSentence(curve)).toContain("no cache hits more than 98.4 %");
  });

  it("says so when no smaller cache helps", () => {
    const scan = { ...curve, misses: [1000, 1000, 1000, 1000, 16] };
    expect(hitRatioFinding(scan)).toBe(
      "No cache of this workload hits more than 98.4 % of the accesses",
    );
  });

  it("speaks of write-backs only where there are writes", () => {
    expect(writeBackFinding(curve)).toBe(
      "16 KiB of cache absorbs half of the write-backs",
    );
    expect(writeBackSentence(curve)).toContain("one of 16 KiB 20, 22.2 % of that");
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

  it("samples rows with both ends", () => {
    expect(sampleRows(5, 10)).toEqual([0, 1, 2, 3, 4]);
    const rows = sampleRows(1000, 40);
    expect(rows).toHaveLength(40);
    expect(rows[0]).toBe(0);
    expect(rows.at(-1)).toBe(999);
  });
});
