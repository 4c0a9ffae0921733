import { describe, expect, it } from "vitest";
import type { PoolAdvisorEpochs, PoolSplitCosts, PoolSplitGains } from "@/api/analyses";
import { viewSeries } from "./advisor-findings";
import {
  costRange,
  costSeries,
  costTable,
  gainFinding,
  gainSeries,
  gainTable,
} from "./findings";
import { productionRows } from "./production-panel";

const gains = (
  savings: readonly (readonly [number, number, number])[],
): PoolSplitGains => ({
  id: "p",
  pages: 100,
  gains: savings.map(([asymmetry, lru, cflru]) => ({
    asymmetry,
    best_clean_pages: 10,
    best_cost: 1,
    baselines: { lru: 1 + lru, cflru: 1 + cflru },
    gain_over: { lru, cflru },
  })),
  devices: [],
  usual_asymmetry: 8,
  without: 0,
});

describe("where splitting pays", () => {
  it.each([
    [
      [
        [1, 0.2, 0.2],
        [4, 0.2, 0.1],
      ],
      "at every R shown",
    ],
    [
      [
        [1, 0.2, 0.2],
        [4, 0, 0.1],
      ],
      "for R up to 1",
    ],
    [
      [
        [1, 0, 0.2],
        [4, 0.1, 0.1],
        [8, 0.3, 0.2],
      ],
      "for R from 4 up",
    ],
    [
      [
        [1, 0, 0],
        [2, 0.1, 0.1],
        [4, 0.1, 0.02],
        [8, 0, 0],
      ],
      "for R from 2 to 4",
    ],
    [
      [
        [1, 0.1, 0.1],
        [2, 0, 0],
        [4, 0.1, 0.1],
      ],
      "for R up to 1 and for R from 4 up",
    ],
    [[[1, 0.005, 0.2]], "less than 1 %"],
    [[[1, -0.1, 0.2]], "No split beats both"],
  ] as [[number, number, number][], string][])("%j: %s", (rows, words) => {
    expect(gainFinding(gains(rows))).toContain(words);
  });

  it("names the best one by the rival that is hardest to beat", () => {
    const found = gainFinding(
      gains([
        [1, 0.5, 0.02],
        [2, 0.04, 0.03],
      ]),
    );
    expect(found).toContain("the largest saving is 3 %, at R = 2");
  });

  it("draws devices only where R has a place on the axis", () => {
    const device = (asymmetry: number) => ({
      ...gains([[asymmetry, 0.1, 0.1]]).gains[0],
      device_id: String(asymmetry),
      name: "d",
      kind: "nvme",
      year: null,
      asymmetry_basis: "b",
    });
    const found = gainSeries(
      {
        ...gains([
          [1, 0.1, 0.1],
          [4, 0.1, 0.1],
        ]),
        devices: [0.5, 2, 9].map(device) as PoolSplitGains["devices"],
      },
      "light",
    );
    expect(found.at(-1)?.points.map(([x]) => x)).toEqual([2]);
  });
});

const costs = {
  pages: 100,
  page_bytes: 4096,
  best_clean_pages: 50,
  best_cost: 1,
  curve: {
    clean_pages: [1, 50, 99],
    flow: [9, 1.1, 30],
    disjoint: [9, 1.2, 31],
    eq4: [9, 1.3, 32],
    p_c: [1, 1, 1],
    p_d: [1, 1, 1],
    p_dw: [1, 1, 1],
  },
  replays: [1, 50, 99].map((clean_pages, index) => ({
    clean_pages,
    cost: [8, 1, 28][index] ?? 0,
    cost_without_closing_writes: 1,
    reads: 10,
    writes: 5,
    dirty_left: 2,
  })),
  baselines: [
    { name: "lru", title: "LRU", cost: 1.5 },
    { name: "cflru", title: "CFLRU", cost: 1.4 },
  ],
} as unknown as PoolSplitCosts;

describe("costs of the splits", () => {
  it("draws estimate, replays, the best one and level lines in one chart", () => {
    const series = costSeries(costs, "dark", false);
    expect(series.map(({ name }) => name)).toEqual([
      "Estimate, flow (recommended)",
      "Simulated split",
      "Best simulated split",
      "LRU, simulated, no split",
      "CFLRU, simulated, no split",
    ]);
    expect(series[2]?.points).toEqual([[50, 1]]);
    expect(costSeries(costs, "dark", true)).toHaveLength(7);
  });

  it("cuts the ends off and says so", () => {
    const range = costRange(costs);
    expect(range.low).toBeLessThan(1);
    expect(range.high).toBeGreaterThan(1.5);
    expect(range.high).toBeLessThan(28);
    expect(range.cuts).toBe(true);
  });

  it("lists replays on the page and every split in the export", () => {
    const table = costTable(costs);
    expect(table.rows).toHaveLength(3);
    expect(table.shown[1]?.slice(0, 3)).toEqual(["50", "50", "50 %"]);
    expect(table.header).toHaveLength(table.rows[0]?.length ?? 0);
    expect(table.header).toHaveLength(table.shown[0]?.length ?? 0);
  });
});

describe("a buffer of production", () => {
  const found = {
    pages: 400,
    page_bytes: 4096,
    replayed_pages: 100,
    replayed_sentence: "The recording was replayed at sizes divided by 4.",
    accesses_per_s: 80_000,
    sentence: "On one machine of production ...",
    recommended_clean_pages: 200,
    reads_per_s: { recommended: 9, lru: 12, cflru: 11 },
    writes_per_s: { recommended: 5, lru: 4, cflru: 3 },
  };

  it("has rates of the split and of the whole buffer, and a clean pool of the split alone", () => {
    expect(productionRows(costs, found)).toEqual([
      {
        name: "recommended",
        title: "Best replayed split",
        clean: 200,
        reads: 9,
        writes: 5,
      },
      { name: "lru", title: "LRU", clean: null, reads: 12, writes: 4 },
      { name: "cflru", title: "CFLRU", clean: null, reads: 11, writes: 3 },
    ]);
  });

  it("says of which system splits are counted in pages", () => {
    expect(costTable({ ...costs, production: found }).header[0]).toBe(
      "Clean [pages of the recording]",
    );
    expect(costTable({ ...costs, production: null }).header[0]).toBe("Clean [pages]");
    const over = gains([[1, 0.1, 0.1]]);
    expect(gainTable(over, true).header[1]).toBe("Best clean [pages of the recording]");
    expect(gainTable(over, false).header[1]).toBe("Best clean [pages]");
  });

  it("draws the clean pool of the machine while it is followed", () => {
    const epochs = {
      clean_pages: [10, 20],
      static_clean_pages: 15,
      production: null,
    } as unknown as PoolAdvisorEpochs;
    const pools = { clean_pages: [40, 80], static_clean_pages: 60 };
    const drawn = (of: PoolAdvisorEpochs) =>
      viewSeries(of, "clean", "light").map(({ points }) => points.map(([, y]) => y));
    expect(drawn(epochs)).toEqual([
      [10, 20],
      [15, 15],
    ]);
    expect(
      drawn({ ...epochs, production: pools as PoolAdvisorEpochs["production"] }),
    ).toEqual([
      [40, 80],
      [60, 60],
    ]);
  });
});
