import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { page as browser, userEvent } from "vitest/browser";
import type { AdviceOut } from "@/api/advice";
import { renderThemed } from "@/testing/render";
import { askedLine, LimitCost, nameAt } from "./limit-cost";
import {
  boughtAt,
  isKnown,
  limitFinding,
  type Staircase,
  staircaseFinding,
  startOf,
  stopsOf,
  usual,
} from "./staircase";

const step = (value: number | null, name: string, cost: string, us: number) => ({
  value,
  name,
  scheme: "none",
  usd_per_month: cost,
  io_time_us_per_access: us,
});

const IO_TIME: Staircase = {
  constraint: "io_time_us_per_access",
  limit: null,
  steps: [
    step(0.0421, "3 x large", "1000.00", 0.0421),
    step(3.217, "2 x large", "500.50", 3.217),
    step(12.41, "1 x small", "80.25", 12.41),
  ],
  tightest_known: null,
  loosest_known: null,
  reason: "",
};
const LIFE: Staircase = {
  ...IO_TIME,
  constraint: "flash_life_years",
  limit: 5,
  steps: [
    step(null, "no flash", "900.00", 90),
    step(8.04, "large drives", "300.00", 9),
    step(5.5, "1 x small", "80.25", 12.41),
  ],
};
const UNKNOWN: Staircase = {
  ...IO_TIME,
  constraint: "response_p99_us",
  steps: [],
  reason: "of no option that keeps the other limits this is known",
};
const HIDDEN: Staircase = { ...IO_TIME, constraint: "limit_of_a_later_server" };
const MACHINES: Staircase = {
  ...IO_TIME,
  constraint: "machines",
  limit: 12,
  steps: [
    step(1, "1 x large", "1004.48", 9),
    step(2, "2 x medium", "800.00", 9),
    step(5, "5 x small", "635.10", 9),
  ],
};

const TITLES = new Map([
  ["lazy", "Lazy"],
  ["exclusive", "Exclusive"],
]);

const FOUND = {
  advice_id: "one",
  objective: "usd",
  exchange_rate: null,
  constraints: { io_time_us_per_access: "15" },
  infeasible: null,
  recommendation: {
    name: "1 x small",
    scheme: "none",
    usd_per_month: "80.25",
    io_time_us_per_access: 12.41,
  },
  staircases: [IO_TIME, LIFE, UNKNOWN, HIDDEN],
} as unknown as AdviceOut;

describe("what a limit buys", () => {
  it("is the last step that keeps it", () => {
    const name = (found: Staircase, limit: number) => boughtAt(found, limit)?.name;
    expect(name(IO_TIME, 0.04)).toBeUndefined();
    expect(name(IO_TIME, 0.0421)).toBe("3 x large");
    expect(name(IO_TIME, 3.2)).toBe("3 x large");
    expect(name(IO_TIME, 3.217)).toBe("2 x large");
    expect(name(IO_TIME, 1e9)).toBe("1 x small");
    expect(name(LIFE, 0)).toBe("1 x small");
    expect(name(LIFE, 5.6)).toBe("large drives");
    expect(name(LIFE, 1e6)).toBe("no flash");
  });

  it("is not said beyond what is known", () => {
    const some = { ...IO_TIME, tightest_known: 3.217, loosest_known: 12.41 };
    expect([3, 3.217, 12.41, 13].map((limit) => isKnown(some, limit))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    for (const limit of stopsOf(some)) {
      expect(isKnown(some, limit)).toBe(true);
    }
    const life = { ...LIFE, tightest_known: 5.5 };
    expect([5.6, 5.5, 1].map((limit) => isKnown(life, limit))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("is bought by a whole cent or byte, and by none less", () => {
    const [, tightest] = IO_TIME.steps;
    const of = (constraint: string, value: number): Staircase =>
      ({
        ...IO_TIME,
        constraint,
        tightest_known: null,
        loosest_known: null,
        steps: [{ ...tightest, value }],
      }) as Staircase;
    // The sum is 26.689999999999998.
    expect(boughtAt(of("usd_per_month", 26.69), 13.37 + 13.32)).not.toBeNull();
    expect(boughtAt(of("usd_per_month", 26.69), 26.68)).toBeNull();
    const size = 5 * 2 ** 30;
    expect(boughtAt(of("ram_bytes", size), size)).not.toBeNull();
    expect(boughtAt(of("ram_bytes", size), size - 1)).toBeNull();
  });

  it("has a stop of the slider for every step", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.double({ min: 1e-4, max: 1e6, noNaN: true }), {
          minLength: 1,
          maxLength: 30,
          // Nearer ones need more digits than a slider shows.
          selector: (value) => value.toPrecision(3),
        }),
        fc.constantFrom("io_time_us_per_access", "flash_life_years", "ram_bytes"),
        (values, constraint) => {
          const least = constraint === "flash_life_years";
          // Sizes are whole bytes.
          const possible =
            constraint === "ram_bytes"
              ? values.map((value) => Math.round(value * 1e7))
              : values;
          const sorted = possible.toSorted((one, other) =>
            least ? other - one : one - other,
          );
          const found: Staircase = {
            ...IO_TIME,
            constraint,
            steps: sorted.map((value, at) => step(value, `option ${at}`, "1", 1)),
          };
          const stops = stopsOf(found);
          expect(stops).toEqual([...stops].sort((one, other) => one - other));
          const bought = new Set(stops.map((limit) => boughtAt(found, limit)?.name));
          for (const { name } of found.steps) {
            expect(bought).toContain(name);
          }
          // And where nothing is left any more.
          expect(bought).toContain(undefined);
          expect(boughtAt(found, startOf(found, stops))).toBe(found.steps.at(-1));
        },
      ),
    );
  });

  it("is of whole machines, and of no more than are known", () => {
    // Beyond 5 a question asked again lists more machines, and may buy more of them.
    expect(stopsOf(MACHINES)).toEqual([1, 2, 3, 4, 5, 12]);
    expect(stopsOf({ ...MACHINES, limit: null })).toEqual([1, 2, 3, 4, 5]);
    expect(boughtAt(MACHINES, 4)?.name).toBe("2 x medium");
  });

  it("is told with what it costs against the recommendation", () => {
    expect(limitFinding(FOUND, IO_TIME, 4, TITLES)).toBe(
      "I/O time of an access at most 4 µs: 2 x large for 500.50 USD per month, 420.25 more than the recommendation; 3.22 µs of I/O time per access, 9.19 µs less.",
    );
    expect(limitFinding(FOUND, IO_TIME, 13, TITLES)).toBe(
      "I/O time of an access at most 13 µs: the recommendation stays, 1 x small for 80.25 USD per month; 12.4 µs of I/O time per access.",
    );
    expect(limitFinding(FOUND, IO_TIME, 0.03, TITLES)).toBe(
      "I/O time of an access at most 30 ns: no option keeps it. The tightest limit that one keeps is 42.1 ns.",
    );
    // Where other limits hold, it may be one of them that rules out what keeps it.
    const more = {
      ...FOUND,
      constraints: { ...FOUND.constraints, usd_per_month: "70" },
    };
    const others =
      "I/O time of an access at most 30 ns: no option keeps it with the other limits. The tightest limit that one keeps with them is 42.1 ns.";
    expect(limitFinding(more, IO_TIME, 0.03, TITLES)).toBe(others);
    const refused = (...conflict: string[]) =>
      ({ ...more, infeasible: { conflict } }) as unknown as AdviceOut;
    expect(
      limitFinding(
        refused("io_time_us_per_access", "usd_per_month"),
        IO_TIME,
        0.03,
        TITLES,
      ),
    ).toBe(others);
    expect(
      limitFinding(refused("space", "io_time_us_per_access"), IO_TIME, 0.03, TITLES),
    ).toBe(
      "I/O time of an access at most 30 ns: no option keeps it. The tightest limit that one keeps is 42.1 ns.",
    );
    // The same hardware takes other times under another page flow, which is therefore named.
    const flows = {
      ...IO_TIME,
      steps: [
        { ...step(29.1, "1 x box", "90.00", 29.1), scheme: "lazy" },
        { ...step(32.1, "1 x box", "85.00", 32.1), scheme: "exclusive" },
      ],
    };
    expect(limitFinding(FOUND, flows, 33, TITLES)).toContain(
      ": 1 x box, page flow Exclusive for 85.00 USD per month",
    );
    expect(limitFinding(FOUND, flows, 30, TITLES)).toContain(
      ": 1 x box, page flow Lazy for 90.00 USD per month",
    );
    const none = { ...FOUND, recommendation: null };
    expect(limitFinding(none, LIFE, 6, TITLES)).toBe(
      "Life of the flash at least 6 years: large drives for 300.00 USD per month; 9 µs of I/O time per access.",
    );
  });

  it("has a title of its two ends", () => {
    expect(staircaseFinding(FOUND, IO_TIME)).toBe(
      "I/O time of an access: a limit of 12.4 µs costs 80.25 USD per month, one of 42.1 ns costs 1,000 USD per month",
    );
    expect(staircaseFinding({ ...FOUND, objective: "io_time" }, LIFE)).toContain(
      "one however large leaves 90 µs of I/O time per access",
    );
    const single = { ...IO_TIME, steps: IO_TIME.steps.slice(2) };
    expect(staircaseFinding(FOUND, single)).toBe(
      "I/O time of an access: the same choice at every limit from 12.4 µs on",
    );
    // Without flash every limit of it is kept.
    const none = {
      ...single,
      constraint: "flash_bytes",
      steps: single.steps.map((step) => ({ ...step, value: 0 })),
    };
    expect(staircaseFinding(FOUND, none)).toMatch(
      /: no limit changes what is recommended$/,
    );
  });

  it("begins with a limit that was stated, else with the other of cost and time", () => {
    expect(usual(FOUND)).toBe("flash_life_years");
    const open = { ...FOUND, staircases: [IO_TIME] };
    expect(usual(open)).toBe("io_time_us_per_access");
    expect(usual({ ...open, objective: "io_time" })).toBe("usd_per_month");
  });
});

describe("the slider of a limit", () => {
  const open = {
    ...FOUND,
    staircases: [IO_TIME, { ...LIFE, limit: null }, UNKNOWN, HIDDEN],
  };
  const shown = (found: AdviceOut = open, patch = vi.fn()) =>
    renderThemed(<LimitCost found={found} titles={new Map()} patch={patch} />, "light");

  it("has the name of the limit that is asked where the marker of the slider is not", () => {
    // Costs of 1,000, 500.50 and 80.25: the upper ones stand at the top of the drawing.
    expect(IO_TIME.steps.map((one) => nameAt(FOUND, IO_TIME, one))).toEqual([
      "foot",
      "foot",
      "top",
    ]);
    expect(askedLine(5, "foot")).toEqual([{ name: "asked", x: 5, isLow: true }]);
    expect(askedLine(5, "top")).toEqual([{ name: "asked", x: 5 }]);
    // On the limit itself the marker says it, and there is nothing beneath its words.
    expect(askedLine(5, "with the slider")).toEqual([]);
  });

  it("says at the marker that its limit is the one that is asked", async () => {
    const own = { ...FOUND, staircases: [{ ...LIFE }] } as AdviceOut;
    const screen = await shown(own, vi.fn());
    await expect.element(screen.getByText("asked: 5 years")).toBeInTheDocument();
  });

  it("is no wider than a narrow phone", async () => {
    const { innerWidth, innerHeight } = window;
    await browser.viewport(320, 800);
    try {
      const shownPage = await shown(open, vi.fn());
      await expect
        .element(shownPage.getByRole("combobox", { name: "Limit" }))
        .toBeVisible();
      const { scrollWidth, clientWidth } = document.documentElement;
      expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    } finally {
      await browser.viewport(innerWidth, innerHeight);
    }
  });

  it("tells at each key what is bought, without a request, and asks again where that is wanted", async () => {
    const fetched = vi.spyOn(window, "fetch");
    const patch = vi.fn();
    const page = await shown(open, patch);
    const slider = page.getByRole("slider", { name: "I/O time of an access" });
    await expect.element(slider).toHaveAttribute("aria-valuetext", "at most 15.5 µs");
    await expect.element(page.getByText(/the recommendation stays/)).toBeVisible();
    await userEvent.tab();
    (slider.element() as HTMLElement).focus();
    await userEvent.keyboard("{Home}");
    await expect.element(page.getByText(/no option keeps it/)).toBeVisible();
    await userEvent.keyboard("{ArrowRight}{ArrowRight}");
    await expect.element(page.getByText(/3 x large for 1,000.00/)).toBeVisible();
    const said = slider.element().getAttribute("aria-valuetext") ?? "";
    await page.getByRole("button", { name: "Ask again with this limit" }).click();
    const asked = patch.mock.lastCall?.[0].most_io_us;
    expect(said).toBe(`at most ${Number((1000 * asked).toPrecision(3))} ns`);
    expect(fetched).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it("is of another limit where that is chosen, or says why there is none", async () => {
    const page = await shown();
    await page.getByRole("combobox", { name: "Limit" }).click();
    expect(
      page.getByRole("option", { name: "Limit of a later server" }).query(),
    ).toBeNull();
    await page.getByRole("option", { name: "Life of the flash" }).click();
    await expect
      .element(page.getByRole("slider", { name: "Life of the flash" }))
      .toBeVisible();
    await page.getByRole("combobox", { name: "Limit" }).click();
    await page.getByRole("option", { name: /99th percentile/ }).click();
    await expect
      .element(
        page.getByText("Of no option that keeps the other limits this is known."),
      )
      .toBeVisible();
    expect(page.getByRole("slider").query()).toBeNull();
  });

  it("stands at the limit that was asked, which is not asked again", async () => {
    const page = await shown(FOUND);
    const slider = page.getByRole("slider", { name: "Life of the flash" });
    await expect.element(slider).toHaveAttribute("aria-valuetext", "at least 5 years");
    await expect
      .element(page.getByRole("button", { name: "Ask again with this limit" }))
      .toBeDisabled();
  });

  it("says where a replay decided otherwise, and where no limit changes anything", async () => {
    const none = await shown({ ...FOUND, status: "checked", staircases: [] });
    await expect.element(none.getByText(/A replay decided/)).toBeVisible();
    await none.unmount();
    // Of a curve that does not say which evicted pages are dirty there are none either.
    const open = await shown({ ...FOUND, status: "model", staircases: [] });
    await expect.element(open.getByText(/needs their share/)).toBeVisible();
    await open.unmount();
    const any = { ...LIFE, steps: LIFE.steps.slice(0, 1) };
    const page = await shown({ ...FOUND, staircases: [any] });
    await expect.element(page.getByText("no flash keeps every limit.")).toBeVisible();
  });

  it("says beyond which limits it is not known", async () => {
    const some = { ...IO_TIME, tightest_known: 3.217 };
    const page = await shown({ ...FOUND, staircases: [some] });
    await expect
      .element(page.getByText(/What limits tighter than 3.22 µs buy is not computed/))
      .toBeVisible();
  });
});
