import { describe, expect, it } from "vitest";
import type { SummaryTables } from "@/api/analyses";
import { type Column, csvLists } from "@/components/columns";
import {
  curveAt,
  deviceRows,
  devicesBasis,
  devicesColumns,
  devicesFinding,
  doublings,
  doublingsTable,
  footprintFinding,
  hasIdle,
  hasSizes,
  lateShare,
  mixFinding,
  popularityFinding,
  popularitySentence,
  quantile,
  rangeText,
  reuseBins,
  reuseFinding,
  sequentialFinding,
  sizeFinding,
  sizePlace,
  sizeSentence,
  windowLine,
  windowView,
  workingSetFinding,
  workingSetSentence,
} from "./summaries";

const cellsOf = <Row>(columns: readonly Column<Row>[], row: Row | undefined) =>
  row && columns.flatMap(({ cell }) => (cell === undefined ? [] : [cell(row, 0)]));

/** Ten windows of 100 accesses to 40 pages, one second each but for a pause. */
const tables: SummaryTables = {
  id: "s",
  accesses: 1000,
  write_accesses: 250,
  distinct_pages: 40,
  page_bytes: 4096,
  duration_s: 10.5,
  windows: {
    window_accesses: 100,
    accesses: Array.from({ length: 10 }, () => 100),
    write_accesses: Array.from({ length: 10 }, () => 25),
    distinct_pages: [10, 12, 12, 12, 12, 12, 12, 12, 12, 20],
    footprint_pages: [10, 20, 30, 31, 32, 33, 34, 35, 36, 40],
  },
  time_windows: {
    window_s: 1,
    accesses: [300, 0, 300, 300, 0, 0, 0, 0, 0, 0, 100],
    write_accesses: [60, 0, 60, 90, 0, 0, 0, 0, 0, 0, 40],
    distinct_pages: [20, 0, 20, 25, 0, 0, 0, 0, 0, 0, 16],
    footprint_pages: [20, 20, 30, 36, 36, 36, 36, 36, 36, 36, 40],
  },
  reuse: {
    lowest: [1, 2, 3, 8, 10],
    highest: [1, 2, 3, 9, 11],
    reads: [100, 100, 100, 200, 210],
    writes: [50, 50, 50, 50, 50],
  },
  reuse_time: {
    lowest_s: [0, 1.024e-6],
    highest_s: [0, 1.279e-6],
    reads: [400, 310],
    writes: [200, 50],
  },
  popularity: {
    rank: [1, 40],
    accesses: [500, 1],
    cumulative_share: [0.5, 1],
    fitted: [400, 2],
    top: [
      { share: 0.01, pages: 1, access_share: 0.5 },
      { share: 0.1, pages: 4, access_share: 0.8 },
    ],
    zipf: {
      exponent: 1.2345,
      standard_error: 0.01,
      ks_distance: 0.2,
      verdict: "poor",
      estimator: "e",
      quality: "q",
    },
    only_read: 20,
    only_written: 4,
    both: 16,
  },
  requests: {
    unit: "bytes",
    requests: 400,
    sizes: {
      lowest: [512, 4096, 6144],
      highest: [639, 5119, 7167],
      reads: [100, 150, 50],
      writes: [0, 100, 0],
    },
    read_amount: 972_800,
    write_amount: 409_600,
    sequential: 100,
    runs: {
      lowest: [1, 2, 3],
      highest: [1, 2, 3],
      runs: [220, 60, 20],
      requests: [220, 120, 60],
    },
    longest_run: 3,
  },
  devices: {
    devices: 3,
    cache_pages: [1, 2, 4, 8, 16, 32, 64],
    rows: [
      {
        name: "db/1",
        accesses: 600,
        write_accesses: 60,
        distinct_pages: 10,
        requests: 300,
        sequential_requests: 90,
        hits: [0, 100, 200, 300, 400, 500, 590],
      },
      {
        name: "",
        accesses: 300,
        write_accesses: 190,
        distinct_pages: 20,
        requests: 100,
        sequential_requests: 10,
        hits: [0, 0, 0, 100, 200, 250, 280],
      },
    ],
    others: {
      name: "1 further devices",
      accesses: 100,
      write_accesses: 0,
      distinct_pages: 10,
      requests: 0,
      sequential_requests: 0,
      hits: [0, 0, 0, 0, 0, 50, 90],
    },
  },
};

describe("windows", () => {
  it("lie along accesses, or along time where there are times", () => {
    const along = windowView(tables, "time");
    expect(along.along).toBe("time");
    expect(along.length).toBe("1 s");
    expect(along.middles.at(-1)).toBe(10.25);
    const untimed = windowView({ ...tables, time_windows: null }, "time");
    expect(untimed.along).toBe("accesses");
    expect(untimed.length).toBe("100 accesses");
    expect(untimed.ends.at(-1)).toBe(1000);
  });

  it("show windows without accesses, and say how many there are", () => {
    const view = windowView(tables, "time");
    const points = windowLine(view, (number) => view.working[number] ?? 0);
    expect(points).toHaveLength(11);
    expect(points.slice(0, 3)).toEqual([
      [0.5, 20],
      [1.5, 0],
      [2.5, 20],
    ]);
    expect(hasIdle(view)).toBe(true);
    expect(hasIdle(windowView(tables, "accesses"))).toBe(false);
    expect(workingSetSentence(tables, view)).toContain(
      "Half of the 4 windows with accesses touch 20 pages (80 KiB) or fewer",
    );
    expect(workingSetSentence(tables, view)).toContain(
      "7 more windows have no accesses",
    );
    const alone = {
      ...view,
      accesses: view.accesses.map((count, window) => (window === 0 ? count : 0)),
    };
    expect(workingSetSentence(tables, alone)).toMatch(
      /^The only window with accesses touches \d+ pages? \(/,
    );
    const last = { ...view, accesses: view.accesses.slice(0, 2).fill(0, 1) };
    expect(workingSetSentence(tables, last)).toContain("1 more window has no accesses");
  });

  it("state the largest working set beside the footprint", () => {
    expect(workingSetFinding(tables, windowView(tables, "accesses"))).toBe(
      "No window of 100 accesses touches more than 80 KiB of the 160 KiB footprint",
    );
    const whole = { ...tables, distinct_pages: 20 };
    expect(workingSetFinding(whole, windowView(whole, "accesses"))).toBe(
      "A window of 100 accesses touches the whole footprint of 80 KiB",
    );
  });

  it("tell a footprint that grows from one that is complete", () => {
    expect(lateShare(tables)?.share).toBeCloseTo(0.1);
    expect(footprintFinding(tables)).toBe(
      "The footprint still grows: 10 % of it is first touched in the last 10 % of the accesses",
    );
    const { windows } = tables;
    const footprint_pages = [...windows.footprint_pages.slice(0, 8), 40, 40];
    expect(
      footprintFinding({ ...tables, windows: { ...windows, footprint_pages } }),
    ).toBe(
      "The footprint is nearly complete: 0 % of it is first touched in the last 10 % of the accesses",
    );
    // Two windows: the end that is known is half of the trace, and is called so.
    const halves = { ...windows, window_accesses: 500, footprint_pages: [30, 40] };
    expect(footprintFinding({ ...tables, windows: halves })).toContain(
      "25 % of it is first touched in the last 50 % of the accesses",
    );
    const one = { ...windows, window_accesses: 1000, footprint_pages: [40] };
    expect(footprintFinding({ ...tables, windows: one })).toContain(
      "too short to show",
    );
  });

  it("give the mix of most windows", () => {
    expect(mixFinding(tables, windowView(tables, "time"))).toBe(
      "Writes are 25 % of the accesses, 20 % to 40 % in single windows",
    );
    const none = { ...tables, write_accesses: 0 };
    expect(mixFinding(none, windowView(none, "accesses"))).toContain("writes nothing");
  });
});

describe("distributions", () => {
  it("join bins into doublings and keep empty ones in between", () => {
    const found = doublings(reuseBins(tables, "accesses"));
    expect(found.from).toEqual([1, 2, 4, 8]);
    expect(found.counts).toEqual([
      [100, 200, 0, 410],
      [50, 100, 0, 100],
    ]);
    expect(found.total).toBe(960);
    const table = doublingsTable(found, ["Reads", "Writes"], "[accesses]", String);
    expect(table.rows[2]).toEqual([4, 0, 0, 0]);
    expect(table.shown[3]?.at(-1)).toBe("53.1 %");
  });

  it("keep zero apart and show times with their unit", () => {
    const found = doublings(reuseBins(tables, "time"));
    expect(found.from).toEqual([0, 1024]);
    expect(found.counts[0]).toEqual([400, 310]);
    expect(reuseFinding(tables, "time")).toBe(
      "Half of the re-accesses come within 0 ns of the previous access",
    );
  });

  it("find quantiles at the upper ends of bins", () => {
    const bins = reuseBins(tables, "accesses");
    expect(quantile(bins, 0.5)).toBe(9);
    expect(quantile(bins, 1)).toBe(11);
    expect(quantile({ lowest: [], highest: [], counts: [[], []] }, 0.5)).toBeNull();
    expect(reuseFinding(tables, "accesses")).toContain("within 9 accesses");
  });

  it("say when nothing is reused", () => {
    const reuse = { lowest: [], highest: [], reads: [], writes: [] };
    expect(reuseFinding({ ...tables, reuse }, "accesses")).toContain(
      "no cache has a hit",
    );
    expect(doublings(reuseBins({ ...tables, reuse }, "accesses")).from).toEqual([]);
  });

  it("name ranges without repeating a single value", () => {
    expect(rangeText(1, String, true)).toBe("1");
    expect(rangeText(1, String, false)).toBe("1 to below 2");
    expect(rangeText(0, String, true)).toBe("0");
  });

  it("name the usual request and the means", () => {
    expect(sizeFinding(tables)).toBe(
      "75 % of the requests are of 4 KiB to below 8 KiB",
    );
    expect(sizeSentence(tables)).toContain(
      "a read is 3.17 KiB on average, a write 4 KiB",
    );
    expect(hasSizes(tables)).toBe(true);
    const single = { lowest: [1], highest: [1], reads: [400], writes: [0] };
    const keys = {
      ...tables,
      requests: { ...tables.requests, unit: "pages" as const, sizes: single },
    };
    expect(hasSizes(keys)).toBe(false);
  });

  it("call a workload sequential, mixed or random", () => {
    expect(sequentialFinding(tables)).toMatch(/^Mixed: 25 %/);
    const of = (sequential: number) =>
      sequentialFinding({ ...tables, requests: { ...tables.requests, sequential } });
    expect(of(200)).toMatch(/^Mostly sequential/);
    expect(of(39)).toMatch(/^Mostly random/);
  });
});

describe("popularity", () => {
  it("states the share of the top and the quality of the law", () => {
    expect(popularityFinding(tables)).toBe(
      "The most accessed 1 % of the pages take 50 % of the accesses",
    );
    expect(popularitySentence(tables)).toContain("α = 1.23 by maximum likelihood");
    expect(popularitySentence(tables)).toContain(
      "does not fit; the most accessed page has 500 accesses, the law expects 400",
    );
    const popularity = { ...tables.popularity, zipf: null };
    expect(popularitySentence({ ...tables, popularity })).toContain(
      "too few pages to fit a law",
    );
  });
});

describe("devices", () => {
  const { devices } = tables;
  if (devices === null) {
    throw new Error("the sample has devices");
  }

  it("take the listed size nearest to the chosen one, and say which that is", () => {
    expect([1, 3, 4, 39, 64, 1000].map((cursor) => sizePlace(devices, cursor))).toEqual(
      [0, 2, 2, 5, 6, 6],
    );
    expect(devicesBasis(tables, devices, 32)).toBe(
      "3 devices or relations that share one LRU cache; hits are exact, at the chosen size of 128 KiB",
    );
    expect(devicesBasis(tables, { ...devices, devices: 1 }, 32)).toMatch(
      /^1 device or relation; hits are exact/,
    );
    expect(devicesBasis(tables, devices, 39)).toBe(
      "3 devices or relations that share one LRU cache; hits are exact at 128 KiB, the counted size nearest to the chosen 156 KiB",
    );
    expect(devicesColumns(tables, devices, 5).map(({ head }) => head)).toContain(
      "Hit ratio at 128 KiB",
    );
  });

  it("share hits among all devices, the unlisted ones too", () => {
    const rows = deviceRows(devices);
    const columns = devicesColumns(tables, devices, 5);
    expect(cellsOf(columns, rows[0])).toEqual([
      "db/1",
      "600",
      "60 %",
      "10 %",
      "40 KiB",
      "83.3 %",
      "62.5 %",
      "30 %",
    ]);
    expect(rows).toHaveLength(3);
    expect(csvLists(columns, rows).header[4]).toBe("hits_at_32_pages");
    expect(devicesFinding(tables, devices)).toBe(
      "db/1 takes 60 % of the accesses with 25 % of the footprint",
    );
  });

  it("say nothing of hits that were not counted", () => {
    const rows = devices.rows.map((row) => ({ ...row, hits: null }));
    const columns = devicesColumns(tables, { ...devices, rows, others: null }, 5);
    expect(cellsOf(columns, rows[0])?.slice(5, 7)).toEqual(["–", "–"]);
    expect(csvLists(columns, rows).rows[0]?.[4]).toBeNull();
  });
});

describe("the size cursor", () => {
  it("reads the curve straight between listed sizes", () => {
    expect(curveAt([1, 3, 9], [90, 50, 20], 2)).toBe(70);
    expect(curveAt([1, 3, 9], [90, 50, 20], 1)).toBe(90);
    expect(curveAt([1, 3, 9], [90, 50, 20], 50)).toBe(20);
  });
});
