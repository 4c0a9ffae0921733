import { describe, expect, it } from "vitest";
import type { AdviceOptionOut } from "@/api/advice";
import { parseAdviceSearch, readPins } from "@/questions/advice";
import {
  against,
  cheapestAndFastest,
  isComparable,
  machinesLacking,
  optionFigures,
} from "./option-figures";
import { lookingAt, optionId, toggled } from "./pins";

const option = (change: Partial<AdviceOptionOut>): AdviceOptionOut =>
  ({
    kind: "volumes",
    name: "1 x small",
    scheme: "lazy",
    admission: null,
    admission_by: null,
    flash_bytes: 1,
    machines: 1,
    replayed_io_time_us_per_access: null,
    ranges: {},
    ...change,
  }) as AdviceOptionOut;

const ROWS = ["a [lazy]", "b [none]"].map((id) => ({ id }));

describe("an option of the front", () => {
  it("is named by its hardware and how it is run, whatever it costs", () => {
    expect(optionId(option({ usd_per_month: "1" }))).toBe("1 x small [lazy]");
    expect(optionId(option({ usd_per_month: "2" }))).toBe("1 x small [lazy]");
    expect(optionId(option({ scheme: "none" }))).toBe("1 x small [none]");
    expect(optionId(option({ admission: "cachesack", admission_by: "hour" }))).toBe(
      "1 x small [lazy, cachesack, hour]",
    );
    expect(optionId(option({ kind: "have", name: "another" }))).toBe("what you have");
  });

  it("is found by what the address says, and what is lost is named once", () => {
    const looking = lookingAt(
      { selected: "gone [lazy]", pins: "b [none]|gone [lazy]|a [lazy]" },
      ROWS,
    );
    expect(looking.pinned).toEqual([ROWS[1], ROWS[0]]);
    expect(looking.selected).toBeNull();
    expect(looking.missing).toEqual(["gone [lazy]"]);
    expect(lookingAt({ selected: "a [lazy]" }, ROWS)).toEqual({
      selected: ROWS[0],
      pinned: [],
      missing: [],
    });
  });

  it("is found by an address from before names said what each machine has", () => {
    const two = "2 x large, each with 1 x gp3 of 1,024 GiB [lazy]";
    const one = "1 x large with 1 x gp3 of 1,024 GiB [lazy]";
    const rows = [two, one].map((id) => ({ id }));
    const old = "2 x large with 1 x gp3 of 1,024 GiB [lazy]";
    expect(lookingAt({ selected: old, pins: `${old}|${one}` }, rows)).toEqual({
      selected: rows[0],
      pinned: rows,
      missing: [],
    });
    expect(lookingAt({ pins: `${two}|${one}` }, rows).pinned).toEqual(rows);
    const many = { id: "1,000 x large, each with 1 x gp3 [none]" };
    expect(
      lookingAt({ selected: "1,000 x large with 1 x gp3 [none]" }, [many]),
    ).toEqual({ selected: many, pinned: [], missing: [] });
  });

  it("is pinned and unpinned, four at most", () => {
    expect(toggled([], "a")).toEqual({ pins: "a" });
    expect(toggled(["a", "b"], "a")).toEqual({ pins: "b" });
    expect(toggled(["a"], "a")).toEqual({ pins: undefined });
    expect(toggled(["a", "b", "c"], "d")).toEqual({ pins: "a|b|c|d" });
    expect(toggled(["a", "b", "c", "d"], "e")).toBeNull();
    expect(toggled(["a", "b", "c", "d"], "d")).toEqual({ pins: "a|b|c" });
  });

  it("is read from the address, each once; what cannot be used is named", () => {
    expect(readPins("a|b|c|d")).toEqual(["a", "b", "c", "d"]);
    expect(readPins("a|b|c|d|e")).toBeUndefined();
    expect(readPins("a|a")).toBeUndefined();
    expect(readPins("a|")).toBeUndefined();
    expect(readPins("a".repeat(301))).toBeUndefined();
    expect(parseAdviceSearch({ pins: "a|b", selected: "a" })).toMatchObject({
      pins: "a|b",
      selected: "a",
    });
    expect(parseAdviceSearch({ pins: "a|a" }).refused).toMatch(/at most 4 options/);
  });
});

describe("figures side by side", () => {
  const figure = (name: string) => {
    const found = optionFigures().find((each) => each.name === name);
    if (found === undefined) {
      throw new Error(`there is no figure ${name}`);
    }
    return found;
  };

  it("differ by points where they are shares", () => {
    expect(against(figure("Busy, busiest hour"), 0.4, 0.42)).toBe("+2 points");
    expect(against(figure("Found in RAM"), 0.42, 0.41)).toBe("−1 point");
    const until = figure("Large enough for");
    const months = (value: number) =>
      until.of(option({ months_until_too_small: value }), new Map());
    expect(against(until, months(11.9), months(36.1))).toBe("+25 months");
    expect(against(figure("Flash cache"), 2 ** 30, 0)).toBe("−1 GiB");
  });

  it("have that of a replay where an option was replayed", () => {
    const names = (one: AdviceOptionOut) =>
      optionFigures([one]).map(({ name }) => name);
    const replayed = option({ replayed_io_time_us_per_access: 3 });
    expect(names(option({}))).not.toContain("I/O time per access, by replay");
    expect(names(replayed)).toContain("I/O time per access, by replay");
  });

  it("have no difference where one is a range, or is not there", () => {
    const time = figure("I/O time per access");
    const range = option({
      io_time_us_per_access: null,
      ranges: { io_time_us_per_access: [2, 5] },
    });
    expect(time.of(range, new Map())).toBe("2 µs to 5 µs");
    expect(against(time, 3, time.of(range, new Map()))).toBeNull();
    const hits = figure("Found in the flash cache");
    const none = option({ flash_bytes: 0, flash_hit_share: 0 });
    expect(hits.of(none, new Map())).toBe("none");
    expect(against(hits, 0.2, hits.of(none, new Map()))).toBeNull();
  });

  it("say which costs least and which is the fastest, or that it is not known", () => {
    const at = (name: string, usd: string | null, us: number | null) => ({
      name,
      option: option({ usd_per_month: usd, io_time_us_per_access: us }),
    });
    expect(cheapestAndFastest([at("R", "1", 9), at("A", "2", 3)], "?")).toBe(
      "R costs least, A takes the least I/O time",
    );
    expect(cheapestAndFastest([at("R", "2", 9), at("A", "1", 3)], "?")).toBe(
      "A costs least and takes the least I/O time",
    );
    expect(cheapestAndFastest([at("R", "1", 9), at("A", null, 3)], "?")).toBe("?");
    // Replays decide where there are all; beside one, the others are by the model.
    const replayed = (name: string, us: number, by: number | null) => ({
      name,
      option: option({
        usd_per_month: name === "R" ? "1" : "2",
        io_time_us_per_access: us,
        replayed_io_time_us_per_access: by,
      }),
    });
    expect(cheapestAndFastest([replayed("R", 9, 2), replayed("A", 3, 4)], "?")).toBe(
      "R costs least and takes the least I/O time",
    );
    expect(cheapestAndFastest([replayed("R", 9, 2), replayed("A", 3, null)], "?")).toBe(
      "R costs least, A takes the least I/O time",
    );
  });

  it("say that a machine is not counted, where others have theirs in the cost", () => {
    const at = (name: string, usd: string, us: number, without_machine: boolean) => ({
      name,
      option: option({
        usd_per_month: usd,
        io_time_us_per_access: us,
        without_machine,
      }),
    });
    const said = (...all: readonly ReturnType<typeof at>[]) =>
      cheapestAndFastest(all, "?");
    expect(said(at("R", "1", 1, true), at("A", "2", 3, false))).toBe(
      "R costs least, its machine not counted, and takes the least I/O time",
    );
    expect(said(at("R", "1", 4, true), at("A", "2", 3, false))).toBe(
      "R costs least, its machine not counted; A takes the least I/O time",
    );
    expect(said(at("R", "1", 3, true), at("A", "2", 3, false))).toBe(
      "R costs least, its machine not counted; several take the least I/O time",
    );
    expect(said(at("R", "1", 3, true), at("A", "1", 3, false))).toBe(
      "Several cost the same, not all with their machine, and take the same time",
    );
    // None of the equal ones has its machine: nothing is said of one that has.
    expect(
      said(at("R", "1", 3, true), at("A", "1", 3, true), at("B", "2", 3, false)),
    ).toBe("Several cost the same, their machines not counted, and take the same time");
    // The fastest are others than the cheapest, or not all of these.
    for (const us of [
      [9, 9, 3, 3],
      [9, 3, 3, 3],
    ]) {
      const all = us.map((time, n) => at(`${n}`, n < 2 ? "1" : "2", time, false));
      expect(said(...all)).toBe(
        "Several cost the same; several take the least I/O time",
      );
    }
    // What costs least with its machine does so beside parts without theirs.
    expect(said(at("R", "1", 4, false), at("A", "2", 3, true))).toBe(
      "R costs least, A takes the least I/O time",
    );
    expect(said(at("R", "1", 4, true), at("A", "2", 3, true))).toBe(
      "R costs least, A takes the least I/O time",
    );
  });

  it("count how many machines are missing", () => {
    const at = (name: string, usd: string, machines: number) => ({
      name,
      option: option({
        usd_per_month: usd,
        io_time_us_per_access: 3,
        without_machine: true,
        machines,
      }),
    });
    const said = (...all: readonly ReturnType<typeof at>[]) =>
      cheapestAndFastest(all, "?").split(/[;,]? (?:several take|and take)/)[0];
    expect(said(at("R", "1", 2), at("A", "2", 1))).toBe(
      "R costs least, its 2 machines not counted",
    );
    // One machine less to be paid besides: it costs least all the more.
    expect(said(at("R", "1", 1), at("A", "2", 2))).toBe("R costs least");
    expect(said(at("R", "1", 2), at("A", "1", 1))).toBe(
      "Several cost the same, different numbers of machines not counted",
    );
    expect(said(at("R", "1", 2), at("A", "1", 2))).toBe("Several cost the same");
  });

  it("have a row for what is not counted, and no difference of amounts that lack it", () => {
    const row = "Price of the machine";
    const [bare, whole] = [true, false].map((without_machine) =>
      option({ without_machine, kind: without_machine ? "devices" : "instances" }),
    ) as [AdviceOptionOut, AdviceOptionOut];
    const named = (options: readonly AdviceOptionOut[]) =>
      optionFigures(options).find(({ name }) => name === row);
    expect(named([whole, whole])).toBeUndefined();
    const figure = named([bare, whole]);
    expect(figure?.of(bare, new Map())).toBe("not counted");
    expect(figure?.of(whole, new Map())).toBe("in the cost");
    const cost = optionFigures().find(({ name }) => name === "Cost per month");
    const time = optionFigures().find(({ name }) => name === "I/O time per access");
    if (cost === undefined || time === undefined) {
      throw new Error("a figure is missing");
    }
    expect(isComparable(cost, 1, 0)).toBe(false);
    expect(isComparable(cost, 1, 1)).toBe(true);
    expect(isComparable(time, 1, 0)).toBe(true);
    // Both lack machines, but one of them lacks two.
    const two = option({ without_machine: true, kind: "devices", machines: 2 });
    expect(figure?.of(two, new Map())).toBe("not counted for 2 machines");
    expect(isComparable(cost, machinesLacking(two), machinesLacking(bare))).toBe(false);
    expect(isComparable(cost, machinesLacking(two), machinesLacking(two))).toBe(true);
  });
});
