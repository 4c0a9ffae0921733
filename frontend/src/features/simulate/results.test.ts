import { describe, expect, it } from "vitest";
import type { ReplayOut, SweepOut } from "@/api/sweeps";
import { SIMULATOR } from "@/testing/simulator";
import { bytes } from "@/units/quantity";
import { aboutLives, estimatedLives } from "./flash-lives";
import {
  countedIn,
  dashesOf,
  findingOf,
  labelOf,
  measureOf,
  ownCountersOf,
  sentenceOf,
  seriesOf,
  tableOf,
  viewOf,
} from "./results";
import {
  clockedOf,
  isSameSweep,
  rateAsked,
  sweepBody,
  takesRate,
} from "./simulate-page";
import { parseSizes } from "./sizes-form";

const row = (
  contender: number,
  ram_pages: number,
  miss_ratio: number | null,
  flash_pages: number | null = null,
): ReplayOut => ({
  contender,
  ram_pages,
  ram_pages_left: null,
  flash_pages,
  miss_ratio,
  ram_hit_ratio: miss_ratio === null ? null : 1 - miss_ratio,
  flash_hit_ratio: null,
  disk_reads: miss_ratio === null ? null : 100 * miss_ratio,
  disk_writes: 1,
  flash_reads: null,
  flash_writes: null,
  write_reduction: null,
  io_time_us_per_access: null,
  io_time_terms_us_per_access: {},
  io_time_reason: "no device was given",
  ram_tax_bytes: null,
  ram_tax_share: null,
  flash_life: null,
  formula: null,
  counters: {},
  options: {},
  warnings: [],
  accesses: miss_ratio === null ? null : 100,
  warm_up: miss_ratio === null ? null : 0,
  in_production: null,
  error: miss_ratio === null ? "it failed" : null,
  hint: null,
});

const contender = (name: string, tiers = 1, options: Record<string, string> = {}) => ({
  family: tiers === 1 ? ("policy" as const) : ("scheme" as const),
  name,
  title: name.toUpperCase(),
  options,
  tiers,
});

const sweep = (extra: Partial<SweepOut>): SweepOut => ({
  id: "s",
  workload_id: "w",
  content_id: "c",
  status: "succeeded",
  inputs: { workload_id: "w", contenders: [], ram_pages: [10, 20] },
  contenders: [contender("lru"), contender("arc"), contender("opt")],
  ram_pages: [10, 20],
  flash_pages: [],
  accesses: 100,
  warm_up: 0,
  warm_up_until_full: false,
  page_bytes: 4096,
  replays: 6,
  rows: [
    row(0, 10, 0.5),
    row(0, 20, 0.4),
    row(1, 10, 0.4),
    row(1, 20, 0.4),
    row(2, 10, 0.1),
    row(2, 20, 0.1),
  ],
  devices: { flash_device_id: null, disk_device_id: null },
  warnings: [],
  core_version: "1",
  created_at: "2026-01-01T00:00:00Z",
  run: null,
  ...extra,
});

describe("what a sweep counts", () => {
  it("is said of all replays, or of each where each fills its own cache", () => {
    expect(countedIn(sweep({}))).toBe("100 accesses from a cold start");
    expect(countedIn(sweep({ accesses: 60, warm_up: 40 }))).toBe(
      "60 accesses after a warm-up of 40",
    );
    const filled = { ...row(0, 10, 0.5), accesses: 70, warm_up: 30, disk_reads: 35 };
    const made = sweep({
      accesses: null,
      warm_up: null,
      warm_up_until_full: true,
      rows: [filled, row(0, 20, null)],
    });
    expect(countedIn(made)).toContain("after the one that fills flash");
    const table = tableOf(made);
    const at = table.header.indexOf("Warm-up [accesses]");
    expect(table.rows.map((cells) => cells.slice(at, at + 2))).toEqual([
      [30, 70],
      [null, null],
    ]);
    expect(tableOf(sweep({})).header).not.toContain("Warm-up [accesses]");
    // Each replay's counts are shares of its own accesses.
    expect(measureOf("disk_reads").of(filled)).toBeCloseTo(0.5);
  });
});

const MISSES = measureOf("miss_ratio");
const BOUND = new Set(["policy:opt"]);
const findingIn = (one: SweepOut) =>
  findingOf(
    seriesOf(one, MISSES, viewOf(one, undefined, undefined)),
    one,
    MISSES,
    BOUND,
  );

describe("the finding", () => {
  it("names who is best at most sizes, and leaves the bound out", () => {
    // Level at 20 pages, where LRU has as few misses.
    expect(findingIn(sweep({}))).toBe(
      "ARC misses least at 1 of 2 sizes, and is level with the best at 1 more",
    );
  });

  it("calls a lead that decides nothing level", () => {
    const rows = [row(0, 10, 0.1), row(1, 10, 0.1003), row(2, 10, 0.01)];
    expect(findingIn(sweep({ rows, ram_pages: [10] }))).toBe(
      "All contenders are level, within 1 % of each other, at 1 size",
    );
    const apart = [row(0, 10, 0.1), row(1, 10, 0.102), row(2, 10, 0.01)];
    expect(findingIn(sweep({ rows: apart, ram_pages: [10] }))).toBe(
      "LRU misses least at 1 of 1 size",
    );
  });

  it("lists rates of production beside the counts of the replay", () => {
    const made = {
      ...row(0, 4000, 0.1),
      in_production: {
        ram_pages: 4000,
        flash_pages: null,
        page_bytes: 8192,
        replayed_ram_pages: 1000,
        replayed_flash_pages: null,
        accesses_per_s: 80_000,
        per_s: { misses: 8000, disk_reads: 8000, disk_writes: 12.5 },
      },
    };
    const table = tableOf(sweep({ rows: [made, row(1, 4000, null)] }));
    expect(table.header.slice(-2)).toEqual([
      "Disk reads in production [1/s]",
      "Disk writes in production [1/s]",
    ]);
    expect(table.rows[0]?.slice(-2)).toEqual([8000, 12.5]);
    expect(table.rows[1]?.slice(-2)).toEqual([null, null]);
    expect(table.shown[0]?.slice(-2)).toEqual(["8,000", "12.5"]);
    const plain = tableOf(sweep({ rows: [row(0, 10, 0.1)] }));
    expect(plain.header.at(-1)).toBe("I/O time [µs/access]");
  });

  it("tables the RAM of a directory, and the counters that a flash cache has names for", () => {
    const own = [
      { name: "copied_pages", unit: "pages", meaning: "" },
      { name: "promotions", unit: "blocks", meaning: "" },
      { name: "flash_writes_per_unique_page", unit: "pages per page", meaning: "" },
    ];
    const simulator = {
      flash_caches: SIMULATOR.flash_caches.map((item) => ({ ...item, counters: own })),
    };
    const [first] = simulator.flash_caches;
    const cached = {
      ...row(0, 4000, 0.1, 8000),
      counters: {
        promotions: 3,
        copied_pages: 96,
        flash_writes_per_unique_page: 0.352,
      },
      ram_tax_bytes: 2 ** 20,
      ram_tax_share: 0.032,
    };
    const plainRow = row(1, 4000, 0.2);
    const made = sweep({
      contenders: [
        { ...contender(first?.name ?? "", 2), family: "flash_cache" as const },
        contender("lru"),
      ],
      rows: [cached, plainRow],
    });
    const table = tableOf(made, ownCountersOf(made, simulator));
    const at = table.header.indexOf("Copied pages [pages]");
    expect(table.header.slice(at, at + 5)).toEqual([
      "Copied pages [pages]",
      "Promotions [blocks]",
      "Flash writes per unique page [pages per page]",
      "RAM of its directory [bytes]",
      "Of RAM",
    ]);
    expect(table.rows[0]?.slice(at, at + 5)).toEqual([96, 3, 0.352, 2 ** 20, 0.032]);
    expect(table.shown[0]?.slice(at, at + 5)).toEqual([
      "96",
      "3",
      "0.352",
      "1 MiB",
      "3.2 %",
    ]);
    expect(table.rows[1]?.slice(at, at + 5)).toEqual([null, null, null, null, null]);
    expect(ownCountersOf(sweep({}), simulator)).toEqual([]);
    expect(tableOf(sweep({})).header).not.toContain("RAM of its directory [bytes]");
  });

  it("tables what becomes of flash, and says what that rests on once", () => {
    const life = {
      written_pages: 41_958,
      erases: null,
      waf: null,
      waf_note: "no layer",
      accesses_per_s: 500,
      tb_per_day: 6.674,
      years: 0.3598,
      never_worn_out: false,
      basis: "at the recorded 500 accesses/s",
      reason: null,
      sentence: "",
    };
    const amplified = { ...life, waf: 2.734, waf_note: null };
    const endless = { ...life, years: null, never_worn_out: true };
    const rows = [life, amplified, endless, null].map((flash_life, at) => ({
      ...row(0, 4000 + at, 0.1, 8000),
      flash_life,
    }));
    const table = tableOf(sweep({ rows }));
    const at = table.header.indexOf("Write amplification");
    expect(table.header.slice(at, at + 3)).toEqual([
      "Write amplification",
      "Written to flash [TB/day]",
      "Life of flash [years]",
    ]);
    expect(table.rows.map((line) => line.slice(at, at + 3))).toEqual([
      [null, 6.674, 0.3598],
      [2.734, 6.674, 0.3598],
      [null, 6.674, null],
      [null, null, null],
    ]);
    expect(table.shown[1]?.slice(at, at + 3)).toEqual(["2.73", "6.67", "0.36"]);
    expect(table.shown[2]?.[at + 2]).toBe("never worn out");
    expect(aboutLives(sweep({ rows }))).toEqual([
      "Flash lasts 0.36 years under LRU.",
      "That is at the recorded 500 accesses/s.",
      "Write amplification: no layer.",
    ]);
    const arc = { ...row(1, 9, 0.1, 8), flash_life: { ...amplified, years: 2 } };
    const longer = { ...row(1, 9, 0.1, 16), flash_life: { ...amplified, years: 3 } };
    const both = aboutLives(sweep({ rows: [...rows, arc, longer] }));
    expect(both[0]).toBe(
      "Flash lasts 0.36 years under LRU and 2 to 3 years under ARC.",
    );
    expect(both).toContain("LRU: Write amplification: no layer.");
    const unknown = { ...life, tb_per_day: null, years: null, basis: null };
    const why = [
      { ...row(0, 1, 0.1, 8), flash_life: { ...unknown, reason: "no rate" } },
    ];
    expect(aboutLives(sweep({ rows: why }))).toContain(
      "How long flash lasts is not known: no rate.",
    );
    const rateless = { ...unknown, accesses_per_s: null, reason: "no rate" };
    expect(
      aboutLives(sweep({ rows: [{ ...row(0, 1, 0.1, 8), flash_life: rateless }] })),
    ).toContain("A rate of the accesses can be stated below the sizes.");
    expect(tableOf(sweep({ rows: why })).header).not.toContain("Life of flash [years]");
    expect(aboutLives(sweep({}))).toEqual([]);
    const estimated = {
      title: "LARC",
      inputs: {
        workload_id: "w",
        policy: "larc",
        sizes: [8],
        options: { ghost: "0.2" },
      },
      rows: [{ flash_life: amplified }, {}],
    };
    expect(
      aboutLives(
        estimatedLives(estimated as unknown as Parameters<typeof estimatedLives>[0]),
      ),
    ).toContain("Flash lasts 0.36 years under LARC (ghost 0.2).");
  });

  it("names all who lead equally often, and all who are level", () => {
    const split = [
      ...[row(0, 10, 0.5), row(0, 20, 0.4)],
      ...[row(1, 10, 0.4), row(1, 20, 0.5)],
    ];
    expect(findingIn(sweep({ rows: split }))).toBe(
      "Each of LRU and ARC misses least at 1 of 2 sizes",
    );
    const three = sweep({
      contenders: [contender("lru"), contender("arc"), contender("fifo")],
      rows: [
        ...[row(0, 10, 0.4), row(0, 20, 0.4)],
        ...[row(1, 10, 0.401), row(1, 20, 0.401)],
        ...[row(2, 10, 0.5), row(2, 20, 0.5)],
      ],
    });
    expect(findingIn(three)).toBe(
      "LRU and ARC are level, within 1 % of the best, at 2 of 2 sizes",
    );
  });

  it("compares only sizes that everybody has yet", () => {
    const rows = [row(0, 10, 0.5), row(0, 20, 0.1), row(1, 10, 0.4)];
    expect(findingIn(sweep({ rows }))).toBe("ARC misses least at 1 of 1 size");
  });

  it("does not call a bound a winner when it stands alone", () => {
    const rows = [row(2, 10, 0.1)];
    expect(findingIn(sweep({ rows }))).toContain("a bound for all others");
  });

  it("knows nothing while nothing is done", () => {
    expect(findingIn(sweep({ rows: [] }))).toBe("Miss ratio: no results yet");
  });
});

describe("two tiers", () => {
  const two = sweep({
    contenders: [contender("lru"), contender("lazy", 2)],
    flash_pages: [0, 100, 200],
    rows: [
      row(0, 10, 0.5),
      row(0, 20, 0.4),
      ...[0, 100, 200].flatMap((flash) => [
        row(1, 10, 0.5 - flash / 1000, flash),
        row(1, 20, 0.4 - flash / 1000, flash),
      ]),
    ],
  });

  it("are drawn over RAM at one flash size, the largest at first", () => {
    const view = viewOf(two, undefined, undefined);
    expect(view).toEqual({ axis: "ram", held: 200 });
    const [, lazy] = seriesOf(two, MISSES, view);
    expect(lazy?.points).toEqual([
      [10, 30],
      [20, 20],
    ]);
  });

  it("over flash, one cache is a level line and size zero has no place", () => {
    const view = viewOf(two, "flash", 10);
    const [lru, lazy] = seriesOf(two, MISSES, view);
    expect(lru?.points).toEqual([
      [100, 50],
      [200, 50],
    ]);
    expect(lazy?.points.map(([size]) => size)).toEqual([100, 200]);
  });

  it("holds only sizes that were asked for", () => {
    expect(viewOf(two, "ram", 77).held).toBe(200);
    expect(viewOf(sweep({}), "flash", undefined).axis).toBe("ram");
  });
});

describe("names and tables", () => {
  it("shows options and tells variants apart by the line", () => {
    const variants = [
      contender("2q"),
      contender("lru"),
      contender("2q", 1, { k: "1" }),
    ];
    expect(variants.map(labelOf)).toEqual(["2Q", "LRU", "2Q (k 1)"]);
    expect(dashesOf(variants)).toEqual(["solid", "solid", "dashed"]);
  });

  it("ranks the contenders at a size", () => {
    const one = sweep({});
    const series = seriesOf(one, MISSES, viewOf(one, undefined, undefined));
    expect(sentenceOf(series, MISSES, 10, "10 pages")).toBe(
      "At 10 pages: OPT 10 %, ARC 40 %, LRU 50 %.",
    );
    expect(sentenceOf(series, MISSES, 11, "11 pages")).toBe("");
  });

  it("exports every row, and dashes for what is not known", () => {
    const table = tableOf(sweep({ rows: [row(0, 10, null)] }));
    expect(table.rows[0]?.[4]).toBeNull();
    expect(table.shown[0]?.[4]).toBe("–");
    expect(table.header).toHaveLength(table.rows[0]?.length ?? 0);
    expect(table.header).toHaveLength(table.shown[0]?.length ?? 0);
  });
});

describe("disk writes that a flash cache spares", () => {
  it("have a column only where a replay tells them", () => {
    expect(tableOf(sweep({ rows: [row(0, 10, 0.5)] })).header).not.toContain(
      "Write reduction",
    );
    const rows = [row(0, 10, 0.5), { ...row(0, 10, 0.5, 100), write_reduction: -0.25 }];
    const table = tableOf(sweep({ rows }));
    const at = table.header.indexOf("Write reduction");
    expect(table.rows.map((cells) => cells[at])).toEqual([null, -0.25]);
    expect(table.shown.map((cells) => cells[at])).toEqual(["–", "-25 %"]);
  });
});

describe("memory that flash needs", () => {
  it("stands beside the RAM asked for, only where it was charged", () => {
    const rows = [{ ...row(0, 10, 0.5, 100), ram_pages_left: 9 }];
    const plain = tableOf(sweep({ rows }));
    const charged = tableOf(
      sweep({
        rows,
        inputs: {
          workload_id: "w",
          contenders: [],
          ram_pages: [10],
          flash_metadata: "l2arc",
        },
      }),
    );
    expect(plain.header).not.toContain("RAM left by the metadata [pages]");
    const at = charged.header.indexOf("RAM left by the metadata [pages]");
    expect(charged.rows[0]?.[at]).toBe(9);
    expect(charged.shown[0]?.[at]).toBe("9");
    expect(charged.header).toHaveLength(charged.rows[0]?.length ?? 0);
    expect(charged.header).toHaveLength(charged.shown[0]?.length ?? 0);
  });
});

describe("the same sweep", () => {
  const asked = {
    workload_id: "w",
    contenders: [
      { family: "policy" as const, name: "2q", options: { b: "1", a: "2" } },
    ],
    ram_pages: [1, 2],
  };
  it("is told from another whatever the order of its options", () => {
    const [first] = asked.contenders;
    const other = { ...asked, contenders: [{ ...first, options: { a: "2", b: "1" } }] };
    expect(isSameSweep(asked, other as typeof asked)).toBe(true);
    expect(isSameSweep(asked, { ...asked, ram_pages: [1, 3] })).toBe(false);
    expect(isSameSweep(asked, { ...asked, workload_id: "v" })).toBe(false);
    expect(isSameSweep(asked, { ...asked, flash_metadata: "l2arc" })).toBe(false);
    expect(isSameSweep(asked, { ...asked, flash_metadata: null })).toBe(true);
    expect(isSameSweep(asked, { ...asked, accesses_per_s: 500 })).toBe(false);
    expect(isSameSweep(asked, { ...asked, warm_up: 0 })).toBe(true);
    expect(isSameSweep(asked, { ...asked, warm_up: "full" })).toBe(false);
  });
});

describe("sizes typed one by one", () => {
  it("takes pages and bytes", () => {
    expect(parseSizes("64 KiB, 4; 1000", bytes(4096), 1)).toEqual({
      ok: true,
      sizes: [4, 16, 1000],
    });
  });
  it.each(["", "x", "4, -1", "0"])("refuses %j with its reason", (text) => {
    const parsed = parseSizes(text, bytes(4096), 1);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? "" : parsed.message).not.toBe("");
  });
});

describe("the rate of a trace without times", () => {
  const untimed = { kind: "trace", duration_s: null, production: null } as const;
  const contenders = [
    { family: "flash_cache", name: "face" },
    { family: "policy", name: "lru" },
  ] as const;
  const [FACE] = SIMULATOR.flash_caches;
  const known = {
    ...SIMULATOR,
    flash_caches: [FACE, { ...FACE, name: "sce", title: "SCE", goes_by_time: true }],
  } as typeof SIMULATOR;
  const setup = (of: readonly (typeof contenders)[number][]) =>
    ({
      contenders: of,
      ram: { kind: "list", pages: [10] },
      flash: { kind: "list", pages: [100] },
      warmUp: 0,
      usualWarmUp: 0,
      faults: [],
    }) as unknown as Parameters<typeof sweepBody>[1];

  it("is that of the address, where the trace lacks one", () => {
    expect(rateAsked({ access_rate: 50 }, untimed)).toBe(50);
    expect(rateAsked({ access_rate: 50 }, { ...untimed, duration_s: 3 })).toBe(
      undefined,
    );
    expect(rateAsked({}, untimed)).toBe(undefined);
  });

  it("is offered where flash is swept or estimated", () => {
    expect(takesRate({}, untimed, true)).toBe(true);
    expect(takesRate({}, untimed, false)).toBe(false);
    expect(takesRate({ estimated: "flash_cache:larc" }, untimed, false)).toBe(true);
    expect(takesRate({ estimated: "policy:arc" }, untimed, false)).toBe(false);
    expect(takesRate({}, { ...untimed, duration_s: 3 }, true)).toBe(false);
  });

  it("is asked with whatever has flash", () => {
    const of = (count: number, rate: number | undefined) =>
      sweepBody("w", setup(contenders.slice(2 - count)), SIMULATOR, undefined, rate);
    expect(of(2, 50)).toMatchObject({ accesses_per_s: 50 });
    expect(of(2, undefined)).not.toHaveProperty("accesses_per_s");
    expect(of(1, 50)).not.toHaveProperty("accesses_per_s");
  });

  it("is needed by what works by the clock, unless its options state one", () => {
    const sce = { family: "flash_cache", name: "sce" } as const;
    const own = { ...sce, options: { accesses_per_second: "9" } };
    expect(clockedOf({ contenders: [sce, ...contenders] }, known)).toEqual(["SCE"]);
    expect(clockedOf({ contenders: [own] }, known)).toEqual([]);
  });
});
