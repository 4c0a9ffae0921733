import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { page as browser } from "vitest/browser";
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import type { RunOut } from "@/api/runs";
import type { SummaryOut } from "@/api/workloads";
import { expectAccessible, renderThemed } from "@/testing/render";
import { basisOf } from "./advice-view";
import {
  type CacheRow,
  type CheckedRow,
  cachesBasis,
  cachesFinding,
  cacheVerdict,
  checkBasis,
  checkFinding,
  checkNotes,
  figuresBasis,
  finalists,
  isByReplayAlone,
  replayedTime,
  runSo,
} from "./check-findings";
import { CheckPanel, stateText } from "./check-panel";
import type { AdviceCheck } from "./use-check";

const option = (name: string, us: number): AdviceOptionOut =>
  ({
    name,
    kind: "volumes",
    scheme: "lazy",
    io_time_us_per_access: us,
  }) as AdviceOptionOut;

const SMALL = option("1 x small", 12);
const LARGE = option("1 x large", 3);

const row = (of: AdviceOptionOut, simulated: number | null, band = 0.1): CheckedRow => {
  const model = of.io_time_us_per_access ?? 0;
  const gap = simulated === null ? null : model / simulated - 1;
  return {
    option: of,
    model,
    simulated,
    gap,
    is_beyond_band: gap !== null && Math.abs(gap) > band,
    reason: simulated === null ? "The recording is too small." : "",
    band: simulated === null ? null : band,
    warnings: [],
    flash_life_years: null,
  };
};

const found = (checked: readonly CheckedRow[], ...codes: string[]): AdviceOut =>
  ({
    status: checked.length > 0 ? "checked" : "model",
    recommendation: SMALL,
    alternatives: [LARGE],
    near_misses: 0,
    near_misses_replayed: 0,
    beyond_page_flow: 0,
    checked,
    flash_caches: [],
    constraints: { peak_busy: "0.7" },
    cautions: codes.map((code) => ({ code })),
  }) as unknown as AdviceOut;

const cache = (name: string, more: Partial<CacheRow> = {}): CacheRow => ({
  name,
  title: name.toUpperCase(),
  hardware: SMALL.name,
  usd_per_month: "12.50",
  page_flow: "lazy",
  page_flow_breaks: [],
  admission: null,
  admission_by: null,
  assignment: "",
  pace: "",
  warnings: [],
  options: {},
  io_time_us_per_access: 10,
  page_flow_io_time_us_per_access: 12,
  saving: 1 / 6,
  peak_busy: 0.4,
  flash_life_years: 12.3,
  flash_writes_per_access: 0.08,
  ram_hit_share: 0.8,
  flash_hit_share: 0.1,
  ram_tax_bytes: 2 ** 20,
  breaks: [],
  is_chosen: false,
  reason: "",
  ...more,
});
const REFUSED = cache("sce", {
  io_time_us_per_access: null,
  saving: null,
  peak_busy: null,
  flash_life_years: null,
  flash_writes_per_access: null,
  ram_tax_bytes: null,
  reason: "It works by the clock.",
});

const summary = (kind: SummaryOut["kind"], more: object = {}): SummaryOut =>
  ({ kind, replayable: false, scaled_from: null, ...more }) as unknown as SummaryOut;

const run = (status: RunOut["status"]): RunOut =>
  ({
    id: "r1",
    title: "Check the advice for TPC-C, 2 replays",
    status,
    phase: "replaying",
    done: 5,
    total: 10,
    unit: "accesses",
    rate_per_s: 5,
    message: null,
    cancel_requested: false,
  }) as unknown as RunOut;

const IDLE: AdviceCheck = {
  isRunning: false,
  isCancelled: false,
  isLooking: false,
  error: null,
  run: undefined,
  rounds: 0,
  checked: undefined,
  canStart: true,
  start: vi.fn(),
};
const TITLES = new Map([["lazy", "Lazy"]]);

beforeEach(() => {
  vi.spyOn(window, "fetch").mockImplementation(async () => Response.json([]));
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("what the replays say", () => {
  it.each([
    [[], [], "Not replayed yet"],
    [[row(SMALL, 11.5), row(LARGE, 3)], [], "The replay confirms the recommendation"],
    [
      [row(SMALL, 11.5), row(LARGE, 2)],
      [],
      "The replay keeps the recommendation, but 1 gap is larger than the known error",
    ],
    [
      [row(SMALL, 8), row(LARGE, 2)],
      [],
      "The replay keeps the recommendation, but 2 gaps are larger than the known error",
    ],
    [
      [row(LARGE, 2), row(SMALL, 11.5)],
      ["replay_changes_choice", "replay_beyond_band"],
      "The replay changes the recommendation",
    ],
    [
      [row(SMALL, 40)],
      ["replay_breaks_load", "replay_beyond_band"],
      "By the replay, no finalist keeps every limit",
    ],
    [[row(SMALL, null)], [], "No finalist could be replayed"],
    [
      [row(SMALL, null), row(LARGE, 3)],
      [],
      "The recommendation could not be replayed; what was close could",
    ],
    [
      [{ ...row(SMALL, 11.5), gap: null, band: null }, row(LARGE, 3)],
      [],
      "By its replay, the recommendation keeps its limits; how long an access takes is by the model",
    ],
  ])("of %#", (checked, codes, said) => {
    expect(checkFinding(found(checked, ...codes))).toBe(said);
  });

  it("says why first touches alone leave no gap", () => {
    const open = { ...row(SMALL, 11.5), gap: null, band: null };
    expect(checkNotes(found([open]))).toContain(
      "A dash as gap: its replay shows first touches alone, for the recording does not fill its RAM: how long an access takes is by the model.",
    );
    expect(checkNotes(found([row(SMALL, 11.5)]))).toHaveLength(1);
  });

  it("counts what was replayed", () => {
    const some = found([row(SMALL, 11.5), row(LARGE, null)]);
    expect(checkBasis(some, true)).toBe(
      "1 of 2 finalists was replayed in the reference simulator, each at the sizes of the recording that correspond.",
    );
    expect(checkBasis(found([row(SMALL, 11.5)]), false)).toBe(
      "1 of 1 finalist was replayed in the reference simulator, each at its own sizes.",
    );
    const both = found([row(SMALL, 11.5), row(LARGE, 3), row(LARGE, null)]);
    expect(checkBasis(both, false)).toMatch(/^2 of 3 finalists were replayed /);
    expect(checkBasis(found([row(SMALL, null)]), false)).toMatch(
      /^0 of 1 finalist was replayed /,
    );
    expect(checkBasis(found([]), false)).toMatch(/at most 5 options/);
    expect(replayedTime(some)).toBe(11.5);
    expect(replayedTime(found([row(LARGE, 3)]))).toBeNull();
  });

  it("has the finalists in its rows before there is a replay", () => {
    const before = finalists(found([]));
    expect(before.map((each) => each.option.name)).toEqual(["1 x small", "1 x large"]);
    expect(
      before.every(({ simulated, gap }) => simulated === null && gap === null),
    ).toBe(true);
    expect(finalists({ ...found([]), recommendation: null })).toEqual([]);
    const many = Array.from({ length: 9 }, (_, at) => option(`${at}`, at));
    expect(finalists({ ...found([]), alternatives: many })).toHaveLength(5);
  });

  it("says where it stands", () => {
    const state = { isRunning: false, isCancelled: false, run: undefined, rounds: 0 };
    expect(stateText(state)).toBe("");
    expect(stateText({ ...state, isRunning: true })).toMatch(/^Looking/);
    expect(stateText({ ...state, isCancelled: true })).toMatch(/cancelled/);
  });

  it("names a gap that is too large, and one reason", () => {
    const [beyond, model] = [/known error of the model/, /those of the model/];
    expect(checkNotes(found([]))).toEqual([]);
    expect(checkNotes(found([row(SMALL, 11.5)]))).toEqual([
      expect.stringMatching(model),
    ]);
    expect(checkNotes(found([row(SMALL, 8), row(LARGE, null)]))).toEqual([
      expect.stringMatching(beyond),
      expect.stringMatching(model),
      "The recording is too small.",
    ]);
    const [small, large] = [row(SMALL, null), row(LARGE, null)];
    expect(checkNotes(found([small, large]))).toEqual(["The recording is too small."]);
    const other = { ...large, reason: "The caches would not be full." };
    // There is no table then, and no dash: each reason stands with its options.
    expect(checkNotes(found([small, other]))).toEqual([
      "1 x small: The recording is too small.",
      "1 x large: The caches would not be full.",
    ]);
    expect(checkNotes(found([row(SMALL, 11.5), large, other]))).toEqual([
      expect.stringMatching(model),
      "The recording is too small.",
      "The dash of each other option states its reason.",
    ]);
  });
});

describe("what replays of flash caches say", () => {
  it("names the one that is chosen, and what it saves", () => {
    const rows = [cache("cac", { is_chosen: true }), cache("larc"), REFUSED];
    expect(cachesFinding(rows)).toBe("CAC saves 16.7 % of the I/O time of page flow");
    expect(rows.slice(0, 2).map(cacheVerdict)).toEqual([
      "recommended",
      "keeps every limit",
    ]);
    const chosen: AdviceOut = {
      ...found([row(SMALL, 12)]),
      flash_caches: rows,
    };
    expect(checkFinding(chosen)).toBe(
      "By the replay, CAC runs the recommendation better than page flow",
    );
    expect(checkNotes(chosen).join(" ")).toContain("but for the flash cache");
    expect(checkNotes(found([row(SMALL, 12)])).join(" ")).not.toContain("flash cache");
    expect(checkFinding({ ...chosen, flash_caches: rows.slice(1) })).toBe(
      "The replay confirms the recommendation",
    );
  });

  it("says why page flow stays", () => {
    const slow = cache("face", { saving: -0.2 });
    const broken = cache("larc", {
      breaks: ["flash_life_years"],
      flash_life_years: null,
    });
    expect(cachesFinding([slow, REFUSED])).toBe(
      "No flash cache is clearly better than page flow here",
    );
    expect(cachesFinding([broken])).toBe(
      "No flash cache is known to keep every limit here",
    );
    expect(cacheVerdict(broken)).toMatch(/^not known to keep: /);
    // What was counted and lies above its limit is not unknown.
    const busy = cache("enhanceio", {
      breaks: ["peak_busy", "restart_s"],
      peak_busy: 0.7003,
    });
    expect(cacheVerdict(busy)).toMatch(/^breaks: Busy[^;]*; not known to keep: /);
    expect(cachesFinding([REFUSED])).toBe("No flash cache could be replayed");
    const other = { ...REFUSED, title: "LARC", reason: "Its recording is too small." };
    expect(cachesBasis([REFUSED, { ...REFUSED, title: "TAC" }], 1)).toEqual([
      REFUSED.reason,
    ]);
    expect(cachesBasis([REFUSED, other], 1)).toEqual([
      `${REFUSED.title}: ${REFUSED.reason}`,
      "LARC: Its recording is too small.",
    ]);
    // Reasons that differ in a share alone are one, with the range of it.
    const full = (title: string, share: string) => ({
      ...REFUSED,
      title,
      reason: `RAM and flash would hold ${share} % of the pages; from 70 % on it shows nothing.`,
    });
    expect(
      cachesBasis([full("A", "797"), other, full("B", "1,190"), full("C", "792")], 1),
    ).toEqual([
      "A, B, C: RAM and flash would hold 792 % to 1,190 % of the pages; from 70 % on it shows nothing.",
      "LARC: Its recording is too small.",
    ]);
    expect(cachesFinding([])).toBeNull();
    expect(cachesFinding([cache("cac", { is_chosen: true, saving: -0.1 })])).toBe(
      "CAC carries the load where page flow does not",
    );
  });
});

describe("the panel of the check", () => {
  const panel = (answer: AdviceOut, check: AdviceCheck, of = summary("trace")) =>
    renderThemed(
      <CheckPanel found={answer} check={check} summary={of} titles={TITLES} />,
    );

  it("starts it by a button, beside the figures of the model", async () => {
    const start = vi.fn();
    const screen = await panel(found([]), { ...IDLE, start });
    const table = screen.getByRole("table", { name: "Model and replay" });
    await expect.element(table).toMatchTextContent(/1 x small.*recommended.*12 µs/);
    await screen.getByRole("button", { name: "Check by replay" }).click();
    expect(start).toHaveBeenCalledOnce();
    await expectAccessible();
    await screen.unmount();
    // Nothing to replay while the question is asked again: a press would be lost.
    const waiting = await panel(found([]), { ...IDLE, canStart: false });
    await expect
      .element(waiting.getByRole("button", { name: "Check by replay" }))
      .toBeDisabled();
  });

  it("shows a run that can be cancelled, then gaps, in place", async () => {
    const going = await panel(found([]), {
      ...IDLE,
      isRunning: true,
      run: run("running"),
    });
    await expect.element(going.getByRole("button", { name: "Cancel" })).toBeVisible();
    await going.unmount();
    const done = await panel(found([row(SMALL, 8), row(LARGE, 3)]), {
      ...IDLE,
      run: run("succeeded"),
    });
    const table = done.getByRole("table", { name: "Model and replay" });
    await expect.element(table).toMatchTextContent(/▲ \+50.*±10 %.*yes/);
    expect(done.getByRole("button", { name: "Check by replay" }).query()).toBeNull();
    await expectAccessible();
  });

  it("never says that it ended while further replays, or the answer, are to come", async () => {
    const going = { ...IDLE, isRunning: true, rounds: 1 };
    const first = await panel(found([]), { ...going, run: run("running") });
    await expect
      .element(first.getByRole("heading", { name: "Being replayed: 2 replays" }))
      .toBeVisible();
    await first.unmount();
    const ended = await panel(found([]), { ...going, run: run("succeeded") });
    const said = "Computing the answer from 2 replays";
    await expect.element(ended.getByRole("heading", { name: said })).toBeVisible();
    await expect
      .element(ended.getByText(`${said}, which may ask for more replays.`))
      .toBeVisible();
    for (const untrue of [/finished/, /Not replayed yet/]) {
      expect(ended.container.textContent).not.toMatch(untrue);
    }
    await ended.unmount();
    expect(basisOf(found([]), true)).toMatch(/so far: a check by replay goes on/);
    // Nothing goes on before a press, nor after its end.
    const idle = await panel(found([]), IDLE);
    await expect
      .element(idle.getByRole("heading", { name: "Not replayed yet" }))
      .toBeVisible();
    expect(basisOf(found([]))).toBe("By the model, not replayed.");
  });

  it("says why there is nothing to replay", async () => {
    const curve = await panel(found([]), IDLE, summary("curve"));
    await expect
      .element(curve.getByText(/is a given curve, which has no accesses to replay/))
      .toBeVisible();
    expect(curve.getByRole("button").query()).toBeNull();
    await curve.unmount();
    const from = { workload_id: "w0", name: "An older one" };
    const scaled = await panel(
      found([]),
      IDLE,
      summary("profile", { scaled_from: from }),
    );
    await expect
      .element(scaled.getByText(/from An older one, of which no trace is stored/))
      .toBeVisible();
  });

  it("offers the check where a limit is broken by less than the model may be off", async () => {
    const none = {
      ...found([]),
      status: "model",
      recommendation: null,
      beyond_page_flow: 0,
      near_misses: 1,
    } as AdviceOut;
    const open = await panel(none, IDLE);
    await expect
      .element(open.getByText("A replay may find that an option keeps every limit"))
      .toBeVisible();
    await expect
      .element(
        open.getByText(/1 option .* by less than the model may be off: it is replayed/),
      )
      .toBeVisible();
    expect(
      open.getByRole("button", { name: "Check by replay" }).query(),
    ).not.toBeNull();
    await open.unmount();
    const checked = {
      ...none,
      status: "checked",
      near_misses_replayed: 1,
    } as AdviceOut;
    const done = await panel(checked, IDLE);
    await expect
      .element(done.getByText("Nothing that was replayed keeps every limit either"))
      .toBeVisible();
    // The replay has ended: nothing is still to come, and the line above the answer says the same.
    await expect
      .element(
        done.getByText(
          "1 option that breaks a limit by less than the model may be off was replayed: it does not keep every limit.",
        ),
      )
      .toBeVisible();
    expect(done.getByText(/it is replayed/).query()).toBeNull();
    expect(basisOf(checked)).toBe(
      "Checked: 1 option that the model rules out was replayed in the reference simulator.",
    );
    expect(basisOf({ ...checked, near_misses_replayed: 3 })).toMatch(
      /^Checked: 3 options that the model rules out were replayed/,
    );
    expect(checkBasis({ ...checked, near_misses_replayed: 3 }, true)).toBe(
      "3 options that break a limit by less than the model may be off were replayed: none keeps every limit.",
    );
    const small = { ...checked, near_misses_replayed: 0 };
    expect(checkFinding(small)).toBe(
      "Nothing that a replay might admit could be replayed",
    );
    expect(checkBasis(small, true)).toBe(
      "1 option that breaks a limit by less than the model may be off was not replayed.",
    );
    expect(basisOf(small)).toBe("By the model: no option could be replayed.");
    expect(done.getByRole("button", { name: "Check by replay" }).query()).toBeNull();
    await done.unmount();
    const hopeful = await panel({ ...found([]), near_misses: 2 }, IDLE);
    await expect
      .element(hopeful.getByText(/2 options that would be better break a limit/))
      .toBeVisible();
  });

  it("has the finalists that replays refute, also where nothing is left of them", async () => {
    const refuted = {
      ...found([row(SMALL, 40)], "replay_breaks_load"),
      recommendation: null,
      near_misses: 1,
      near_misses_replayed: 1,
    };
    expect(checkFinding(refuted)).toBe("By the replay, no finalist keeps every limit");
    expect(checkBasis(refuted, false)).toMatch(/^1 of 1 finalist was replayed/);
    const shown = await panel({ ...refuted, near_misses: 0 }, IDLE);
    await expect
      .element(shown.getByRole("table", { name: "Model and replay" }))
      .toMatchTextContent(/1 x small.*40 µs/);
  });

  it("says whose figures those of an option are that its replay alone admits", () => {
    const best = {
      ...SMALL,
      io_time_us_per_access: 11,
      replayed_io_time_us_per_access: 11,
    };
    const rows = [{ ...row(best, 11), model: 12 }];
    const some = { ...found(rows), recommendation: best };
    expect(isByReplayAlone(some)).toBe(true);
    expect(checkNotes(some).join(" ")).toContain("but for the busy share");
    expect(figuresBasis(some)).toMatch(
      /I\/O time, busy share, throughput and life of the flash by its replay, the rest by the model/,
    );
    expect(figuresBasis(found([row(SMALL, 11.5)]))).toMatch(
      /^Of the recommendation, by the model, which its replay was held against;/,
    );
    expect(figuresBasis(found([]))).toMatch(/^Of the recommendation, by the model; –/);
    const cached = { ...some, flash_caches: [cache("cac", { is_chosen: true })] };
    expect(figuresBasis(cached)).toMatch(/^Of the recommendation, by its replay;/);
    const other = { ...best, io_time_us_per_access: 12 };
    expect(
      isByReplayAlone({
        ...found([{ ...row(other, 11), model: 12 }]),
        recommendation: other,
      }),
    ).toBe(false);
  });

  it("offers the check where page flow alone breaks limits that a flash cache may keep", async () => {
    const none = { ...found([]), status: "model", recommendation: null } as AdviceOut;
    const hopeless = await panel({ ...none, beyond_page_flow: 0 }, IDLE);
    expect(hopeless.getByRole("button").query()).toBeNull();
    await hopeless.unmount();
    const start = vi.fn();
    const open = await panel({ ...none, beyond_page_flow: 2 }, { ...IDLE, start });
    await expect
      .element(
        open.getByText("A flash cache may keep every limit where page flow does not"),
      )
      .toBeVisible();
    await expect
      .element(open.getByText(/breaks a limit on 2 kinds of hardware/))
      .toBeVisible();
    await open.getByRole("button", { name: "Check by replay" }).click();
    expect(start).toHaveBeenCalledOnce();
    await open.unmount();
    const rows = [cache("larc", { breaks: ["peak_busy"] })];
    const done = await panel(
      { ...none, status: "checked", beyond_page_flow: 2, flash_caches: rows },
      IDLE,
    );
    await expect
      .element(done.getByText("By the replay, no flash cache keeps every limit either"))
      .toBeVisible();
    expect(done.getByRole("button", { name: "Check by replay" }).query()).toBeNull();
  });

  it("names the assignment that a flash cache is behind, and hardware of several", async () => {
    const said = "Of 3 hours, 2 enter flash at a miss; 1 never does";
    const behind = { admission: "cachesack", admission_by: "hour", assignment: said };
    const rows = [
      cache("larc", { is_chosen: true, ...behind }),
      cache("cac", { hardware: LARGE.name, page_flow_breaks: ["peak_busy"] }),
    ];
    const shown = await panel({ ...found([row(SMALL, 12)]), flash_caches: rows }, IDLE);
    await expect.element(shown.getByText(`Admission by hour: ${said}.`)).toBeVisible();
    await expect
      .element(shown.getByRole("table", { name: "Flash caches by replay" }))
      .toMatchTextContent(/12\.50.*nothing.*Busy share/);
  });

  it("says by which factor recorded times were multiplied", async () => {
    const pace =
      "SCE and L2ARC were replayed with recorded times multiplied by 0.417 to run at 12,000 accesses/s.";
    const rows = [cache("sce", { pace }), cache("larc"), cache("l2arc", { pace })];
    const shown = await panel({ ...found([row(SMALL, 12)]), flash_caches: rows }, IDLE);
    await expect.element(shown.getByText(pace, { exact: true })).toBeVisible();
  });

  it("says how the recommendation is run behind its assignment", async () => {
    const run = (assignment: string) => ({
      recommendation: {
        ...SMALL,
        scheme: "larc",
        options: { categories: "hour", assignment },
      } as AdviceOptionOut,
    });
    expect(runSo(run("never+0:miss"))).toBe(
      "Run larc so: categories=hour, assignment=never+0:miss.",
    );
    expect(runSo(run("+1:miss".repeat(100)))).toMatch(
      /^Run larc so: categories=hour, and the assignment that the JSON/,
    );
    expect(runSo({ recommendation: { ...SMALL, options: {} } })).toBeNull();
    expect(runSo({ recommendation: null })).toBeNull();
    const answer = found([row(SMALL, 12)]);
    const shown = await panel({ ...answer, ...run("never+0:miss") }, IDLE);
    await expect
      .element(
        shown.getByText("Run larc so: categories=hour, assignment=never+0:miss."),
      )
      .toBeVisible();
  });

  it("folds what single replays say of what they counted, each once", async () => {
    const note = (message: string) => ({
      name: "nothing_demoted",
      message,
      hint: "use a longer trace",
      could_change_choice: null,
      effect: "",
      about: [],
    });
    const rows = [
      cache("cac", { warnings: [note("flash never filled")] }),
      cache("larc", {
        warnings: [note("flash never filled"), note("it was never idle")],
      }),
    ];
    const answer = found([
      { ...row(SMALL, 12), warnings: [note("the trace is short")] },
    ]);
    const shown = await panel({ ...answer, flash_caches: rows }, IDLE);
    const fold = shown.getByRole("button", {
      name: "3 notes on what single replays counted",
    });
    await fold.click();
    await expect
      .element(
        shown.getByText(
          `CAC on ${SMALL.name}, LARC on ${SMALL.name}: flash never filled; use a longer trace`,
        ),
      )
      .toBeVisible();
    await expect
      .element(shown.getByText(`${SMALL.name}: the trace is short; use a longer trace`))
      .toBeVisible();
  });

  it("says nothing of single replays of which there is nothing to say", async () => {
    const rows = [cache("cac")];
    const shown = await panel({ ...found([row(SMALL, 12)]), flash_caches: rows }, IDLE);
    await expect
      .element(shown.getByRole("table", { name: "Flash caches by replay" }))
      .toBeVisible();
    expect(shown.getByText(/on what single replays counted/).query()).toBeNull();
  });

  it("keeps many flash caches within a bound on a phone, until all are wanted", async () => {
    const { innerWidth, innerHeight } = window;
    await browser.viewport(390, 844);
    try {
      const rows = Array.from({ length: 30 }, (_, at) => cache(`c${at}`));
      const shown = await panel(
        { ...found([row(SMALL, 12)]), flash_caches: rows },
        IDLE,
      );
      const table = shown.getByRole("table", { name: "Flash caches by replay" });
      await expect.element(table).toBeVisible();
      const region = table.element().parentElement as HTMLElement;
      expect(region.clientHeight).toBeLessThanOrEqual(420);
      expect(region.scrollHeight).toBeGreaterThan(3000);
      // All of it is there: on paper, where the bound does not hold, it is whole.
      expect(table.getByRole("rowheader").elements()).toHaveLength(30);
      await expectAccessible();
      await shown.getByRole("button", { name: "Show all 30 flash caches" }).click();
      expect(region.clientHeight).toBe(region.scrollHeight);
      await shown.getByRole("button", { name: "Show fewer" }).click();
      expect(region.clientHeight).toBeLessThanOrEqual(420);
    } finally {
      await browser.viewport(innerWidth, innerHeight);
    }
  });

  it("shows flash caches beside page flow", async () => {
    const busy = cache("enhanceio", { breaks: ["peak_busy"], peak_busy: 0.7003 });
    const rows = [cache("cac", { is_chosen: true }), busy, REFUSED];
    const shown = await panel({ ...found([row(SMALL, 12)]), flash_caches: rows }, IDLE);
    const table = shown.getByRole("table", { name: "Flash caches by replay" });
    await expect
      .element(table.getByRole("rowheader", { name: "CAC recommended" }))
      .toBeVisible();
    // 70 % beside a limit of 70 % would break nothing.
    await expect
      .element(table.getByRole("row", { name: /ENHANCEIO/ }))
      .toMatchTextContent(/70\.03 %.*breaks: /);
    await expectAccessible();
  });
});
