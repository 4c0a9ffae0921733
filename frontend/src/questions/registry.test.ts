import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freeName, suggestedName } from "./keep-question";
import {
  isSameQuestion,
  keptState,
  parseQuestion,
  QUESTIONS,
  type Question,
  scenarioLink,
} from "./registry";

const POINT = {
  workload: "tpcb",
  ram_pages: 864,
  flash_pages: 43_200,
  flash_device: "ssd",
  disk_device: "hdd",
  ram_device: "none",
  price_book: "book",
  months: 36,
  start: "steady",
};

/** Something that only the page itself reads. */
const OWN: Readonly<Record<Question, Record<string, unknown>>> = {
  advice: {
    goal: "io_time",
    kinds: "volumes,devices",
    providers: "aws",
    most_usd: 5000,
    most_busy: 0.5,
    borrow: true,
    have_ram_gib: 64,
    have_scheme: "lazy",
    checked: "0123456789abcdef",
    selected: "1 x small with 1 x gp3 of 7,078 GiB [lazy]",
    pins: "what you have|2 x large [none]",
  },
  compare: { check: "abc", dirty_share: 0.25, counted_by: "model" },
  scheme_map: { x: "dirty_share", y_low: 2, asymmetry: 8, by: "price" },
  pool_split: { asymmetry: 12.5, dynamics: "rm1", epoch: 2000, estimation_s: 0.5 },
  dram_or_flash: { usd: 1000, price_ratio: 0.2, form: "plain", appends: true },
  what_to_cache: { categories: "hour", rate: 1e4, read_usd: 98, written_usd: 0.5 },
  wear: {
    rate: 1e5,
    growth: 0.2,
    pe_cycles: 3000,
    tx_dirty: 40,
    tx_source: "events",
    tx_events: "B A\nU A 0\nC A",
  },
  throughput: { clients: 7, think_ms: 2.5, vary: "disks", show: "response" },
  simulate: { contenders: "policy:lru", sizes: "10..300x12", sweep: "s-1", held: 5 },
};
const names = Object.keys(QUESTIONS) as Question[];

describe("a saved question", () => {
  it.each(names)("of %s comes back whole, on its own page", (question) => {
    const state = { ...POINT, ...OWN[question] };
    const kept = keptState(question, { ...state, of_another_page: 1 });
    expect(kept).toEqual(state);
    const link = scenarioLink({ id: "s1", question, state: kept });
    expect(link.to).toBe(QUESTIONS[question].to);
    // The address names the scenario, for its kept answer.
    expect(link.search).toEqual({ ...state, scenario: "s1" });
    expect(keptState(question, link.search)).toEqual(state);
  });

  it("keeps the cold start of an earlier version", () => {
    const { start: _, ...earlier } = POINT;
    const { search } = scenarioLink({ id: "s", question: "compare", state: earlier });
    expect(search).toHaveProperty("start", "cold");
  });

  it.each(names)("of %s leaves nothing of the page before behind", (question) => {
    // What the router keeps over pages must be stated, also where it is absent.
    const { search } = scenarioLink({ id: "s1", question, state: POINT });
    for (const key of ["check", "dirty_share", ...Object.keys(OWN[question])]) {
      expect(search).toHaveProperty(key, undefined);
    }
  });

  it("is read whatever stands in it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.dictionary(fc.string(), fc.anything()),
        (question, raw) => {
          const kept = keptState(question, raw);
          expect(keptState(question, kept)).toEqual(kept);
          parseQuestion(question, raw);
        },
      ),
    );
  });
});

describe("the question of a kept answer", () => {
  it("is another one once something was moved", () => {
    expect(isSameQuestion(POINT, { ...POINT })).toBe(true);
    expect(isSameQuestion(POINT, { ...POINT, ram_pages: 865 })).toBe(false);
    expect(isSameQuestion(POINT, { ...POINT, asymmetry: 8 })).toBe(false);
    expect(isSameQuestion({ ...POINT, asymmetry: 8 }, POINT)).toBe(false);
  });

  it("stays the same when its result is made anew", () => {
    const state = { ...POINT, ...OWN.simulate };
    expect(isSameQuestion(state, { ...state, sweep: "s-2" })).toBe(true);
    expect(isSameQuestion(state, { ...state, sizes: "10..300x11" })).toBe(false);
    // An advice is the same question before and after its check.
    expect(isSameQuestion(POINT, { ...POINT, checked: "0123" })).toBe(true);
    // And whatever is looked at in its front.
    const looked = { ...POINT, selected: "2 x large [none]", pins: "2 x large [none]" };
    expect(isSameQuestion(POINT, looked)).toBe(true);
  });
});

describe("the name that is suggested", () => {
  const workload = { name: "TPC-B", summary: { page_bytes: 8192 } } as never;

  it("says the sizes that count on the page", () => {
    expect(suggestedName("wear", workload, POINT)).toBe(
      "TPC-B: Wear and recovery, 6.75 MiB RAM, 338 MiB flash",
    );
    expect(suggestedName("pool_split", workload, POINT)).toBe(
      "TPC-B: Pool split, 6.75 MiB RAM",
    );
    expect(suggestedName("simulate", workload, POINT)).toBe("TPC-B: Simulate");
  });

  it("is one that nobody has", () => {
    expect(freeName("One", ["Two"])).toBe("One");
    expect(freeName("One", ["ONE", "one (2)", "One (4)"])).toBe("One (3)");
  });
});
