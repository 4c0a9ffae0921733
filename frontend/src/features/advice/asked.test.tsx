import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { ConstraintsIn } from "@/api/gen/bounds.gen";
import { ProblemError } from "@/api/problem";
import type { SummaryOut } from "@/api/workloads";
import { DirtyShare } from "@/components/dirty-share";
import { type AdviceSearch, parseAdviceSearch } from "@/questions/advice";
import { NONE } from "@/questions/point";
import { STATE } from "@/testing/analysis-state";
import { expectAccessible, renderThemed } from "@/testing/render";
import { Asked } from "./asked";
import { type AskedOf, askedParts } from "./asked-words";
import {
  FIRST_LIMITS,
  LISTED,
  MORE_LIMITS,
  type Place,
  PRICES,
  placeOfField,
  placeOfProblem,
  placeOfRefused,
  placeOfRequest,
} from "./form-fields";
import { adviceQuestion } from "./question";
import { LIMIT_FIELDS } from "./template";
import { useFault, useFold } from "./use-fold";
import { inverse, useUndo } from "./use-undo";

const SUMMARY = {
  accesses: 1000,
  duration_s: 10,
  production: null,
  dirty_share: null,
} as unknown as SummaryOut;

const ASKED: AskedOf = {
  state: STATE,
  search: {},
  members: [{ id: "w", rate: null }],
  name: "Orders",
  summary: SUMMARY,
  book: "Street prices",
};

const BOOKS = { items: [{ id: "book", name: "Street prices" }], total: 1 };

beforeEach(() => {
  vi.spyOn(window, "fetch").mockImplementation(async (request) =>
    Response.json(
      (request as Request).url.includes("price-books")
        ? BOOKS
        : { items: [], total: 0 },
    ),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
});

const texts = (asked: Partial<AskedOf>): string =>
  askedParts({ ...ASKED, ...asked })
    .map(({ name, text }) => `${name}: ${text}`)
    .join(" | ");

describe("what is asked, in words", () => {
  it("names every part of the question, also what is not stated", () => {
    expect(texts({})).toBe(
      "Goal: least cost | Workload: Orders at 100 accesses/s | Limits: none | Today: not stated | To buy or rent: cloud instances, cloud volumes and servers built from parts | Prices: Street prices, over 36 months",
    );
    const summary = { ...SUMMARY, duration_s: null };
    expect(texts({ summary, state: { ...STATE, price_book: NONE } })).toMatch(
      /Orders, no rate stated .* no price book, over 36 months/,
    );
    const production = { production: { accesses_per_s: 20_000 } };
    for (const [name, said] of [
      [
        "Shop at 2 TiB, 20,000 accesses/s",
        "Workload: Shop at 2 TiB, 20,000 accesses/s |",
      ],
      [
        "Shop at 2 TiB, 120,000 accesses/s",
        "Workload: Shop at 2 TiB, 120,000 accesses/s at 20,000 accesses/s |",
      ],
    ] as const) {
      expect(
        texts({ name, summary: { ...SUMMARY, production } as unknown as SummaryOut }),
      ).toContain(said);
    }
    expect(
      texts({ summary: { ...SUMMARY, production } as unknown as SummaryOut }),
    ).toContain("Orders at 20,000 accesses/s");
  });

  it("says each limit with its unit, and counts those beyond three", () => {
    const search: AdviceSearch = { most_usd: 4000, most_busy: 0.5, least_life: 5 };
    expect(texts({ search })).toContain(
      "Limits: budget per month 4,000 USD, busy share in the busiest hour 50 % and life of bought flash 5 years",
    );
    expect(
      texts({ search: { ...search, most_p99_us: 900, limit_machines: 3 } }),
    ).toMatch(
      /Limits: budget per month 4,000 USD, p99 response time 900 µs, .* and 2 more/,
    );
  });

  it("says what may be bought, own prices, and what there is", () => {
    const search: AdviceSearch = {
      goal: "io_time",
      kinds: "volumes,devices",
      providers: "aws",
      vendors: "Micron",
      own: "mine",
      chassis_usd: 9000,
      borrow: true,
      have_ram_gib: 64,
      have_machines: 2,
      have_usd: 20_000,
    };
    const said = texts({ search });
    expect(said).toContain("Goal: least I/O time");
    const { disk_device: disk, flash_device: flash } = STATE;
    expect(said).toContain(
      `Today: 2 machines, 64 GiB of RAM for pages, 2 x ${disk}, 20,000 USD per month`,
    );
    const cached = texts({
      search: { have_ram_gib: 64, have_disk: "d", have_disks: 3, have_flash_gib: 9 },
    });
    expect(cached).toContain(
      `Today: 64 GiB of RAM for pages, 3 x d, 1 x ${flash} as flash cache, cost not stated`,
    );
    expect(said).toContain(
      "cloud volumes and RAM and devices by themselves; rented from aws; bought from Micron; 1 device of your own",
    );
    expect(said).toContain(
      "over 36 months | Own prices: chassis with processors 9,000 USD, rates of drives assumed",
    );
    expect(texts({ search: { have_ram_gib: 64 } })).toContain("cost not stated");
  });

  it("does not call the number of machines that is looked at a limit", () => {
    const said = texts({ search: { most_machines: 3 } });
    expect(said).toContain("Limits: none");
    expect(said).toContain(
      "To buy or rent: cloud instances, cloud volumes and servers built from parts; up to 3 equal machines looked at",
    );
    expect(texts({ search: { limit_machines: 3 } })).toContain("Limits: machines 3");
  });

  it("says of several workloads that they are several, and nothing of today", () => {
    const members = [
      { id: "w", rate: null },
      { id: "logs", rate: 7 },
    ];
    const said = texts({ members, search: { goal: "pareto" } });
    expect(said).toContain("Goal: least cost |");
    expect(said).toContain("Workloads: Orders and 1 more");
    expect(said).not.toContain("Today");
  });

  it("says the dirty share where it is asked", () => {
    expect(texts({ dirty: { stated: undefined } })).toContain("Dirty share: unknown");
    expect(texts({ dirty: { stated: 0.3 } })).toContain("Dirty share: 30 %");
    const summary = { ...SUMMARY, dirty_share: 0.2 };
    expect(texts({ summary, dirty: { stated: undefined } })).toContain(
      "Dirty share: as stated with the curve",
    );
  });
});

describe("the place of a fault", () => {
  it("is that of a limit of the question for every field under limits, and the other way", () => {
    const fields = [...FIRST_LIMITS, ...MORE_LIMITS].map(({ name }) => name);
    expect([...LIMIT_FIELDS.values()].map(([name]) => name).toSorted()).toEqual(
      fields.toSorted(),
    );
    expect([...LIMIT_FIELDS.keys()].toSorted()).toEqual(
      Object.keys(ConstraintsIn).toSorted(),
    );
    const all = Object.fromEntries(fields.map((name, at) => [name, at + 1]));
    const { constraints = {} } = adviceQuestion(STATE, all, false);
    for (const [constraint, [name, factor]] of LIMIT_FIELDS) {
      expect(constraints).toHaveProperty(
        constraint,
        factor * (fields.indexOf(name) + 1),
      );
    }
  });

  it("is a field of the form for every number of the address", () => {
    for (const { name } of [...FIRST_LIMITS, ...MORE_LIMITS, ...LISTED, ...PRICES]) {
      expect(placeOfField(name)).toMatchObject({ field: name });
    }
    for (const [constraint, [name]] of LIMIT_FIELDS) {
      expect(placeOfRequest(`body.constraints.${constraint}`)).toMatchObject({
        field: name,
      });
    }
    expect(placeOfRequest("body.candidates.max_machines")).toEqual({
      section: "candidates",
      field: "most_machines",
    });
    expect(placeOfRequest("body.candidates.vendors")?.section).toBe("candidates");
    expect(placeOfRequest("body.candidates.part_usd.chassis")?.field).toBe(
      "chassis_usd",
    );
    expect(placeOfRequest("body.have.disk_device_id")?.section).toBe("have");
    expect(placeOfRequest("body.seed")).toBeNull();
  });

  it("is read from the address and from what a server says", () => {
    const { refused } = parseAdviceSearch({ most_busy: "x" });
    expect(placeOfRefused(refused)).toEqual({ section: "limits", field: "most_busy" });
    expect(placeOfRefused("ram_pages=x (needs a number); have_usd=y (needs…)")).toEqual(
      {
        section: "have",
        field: "have_usd",
      },
    );
    expect(placeOfRefused(undefined)).toBeNull();
    const problem = (detail: string, where?: string) =>
      new ProblemError({
        title: "",
        status: 422,
        detail,
        hint: null,
        errors:
          where === undefined ? [] : [{ where, value: null, data: null, message: "" }],
      });
    expect(placeOfProblem(problem("", "body.constraints.peak_busy"))).toEqual({
      section: "limits",
      field: "most_busy",
    });
    expect(placeOfProblem(problem("candidates.own: there is no device `x`"))).toEqual({
      section: "candidates",
      field: "own",
    });
    expect(placeOfProblem(new TypeError("Failed to fetch"))).toEqual({
      section: null,
      field: null,
    });
  });
});

describe("a change of the question", () => {
  it("is taken back with all that it changed, and what is looked at is none", () => {
    const search = { most_usd: 5000, goal: "io_time", pins: "a" } as const;
    expect(inverse(search, { most_usd: 5000 })).toBeNull();
    expect(inverse(search, { pins: "b", checked: "c" })).toBeNull();
    expect(inverse(search, { most_usd: undefined, most_io_us: 3 })).toEqual({
      most_usd: 5000,
      most_io_us: undefined,
    });
  });
});

/** The panel over an address of its own; `fault` is where a server finds one. */
function Page(props: {
  readonly start?: AdviceSearch;
  readonly fault?: Place;
  readonly asksDirty?: boolean;
}) {
  const [search, setSearch] = useState<AdviceSearch>(props.start ?? {});
  const [fault, setFault] = useState<string | null>(null);
  const undo = useUndo(search, (change) =>
    setSearch((before) => ({ ...before, ...change })),
  );
  const fold = useFold(null);
  useFault(fault, () => props.fault ?? { section: null, field: null }, fold.point);
  return (
    <>
      <Asked
        {...ASKED}
        search={search}
        patch={undo.change}
        fold={fold}
        undo={undo}
        {...(props.asksDirty === true ? { dirty: { stated: undefined } } : {})}
      >
        {props.asksDirty === true ? (
          <DirtyShare stated={undefined} summary={SUMMARY} onChange={vi.fn()} />
        ) : undefined}
      </Asked>
      <button type="button" onClick={fold.fold}>
        Ask again
      </button>
      <button type="button" onClick={() => setFault("wrong")}>
        Fail
      </button>
    </>
  );
}

describe("the bar in place of the form", () => {
  it.each(["light", "dark"] as const)(
    "opens by keys, stays open while one edits, and folds again, in %s",
    async (colors) => {
      const screen = await renderThemed(<Page />, colors);
      const change = screen.getByRole("button", { name: "Change what is asked" });
      await expect.element(change).toHaveAttribute("aria-expanded", "false");
      expect(screen.getByLabelText("Budget per month").query()).toBeNull();
      await expectAccessible();
      change.element().focus();
      await userEvent.keyboard("{Enter}");
      const fold = screen.getByRole("button", { name: "Fold what is asked" });
      await expect.element(fold).toHaveAttribute("aria-expanded", "true");
      await expect.element(fold).toHaveFocus();
      const budget = screen.getByLabelText("Budget per month");
      await budget.fill("4,000");
      await userEvent.keyboard("{Enter}");
      await expect.element(budget).toHaveFocus();
      await expect.element(budget).toHaveValue("4,000");
      await expectAccessible();
      await fold.click();
      await expect
        .element(screen.getByRole("button", { name: /^Limits:/ }))
        .toHaveTextContent("Limits: budget per month 4,000 USD");
      await expect.element(change).toHaveFocus();
    },
  );

  it("opens at what was pressed, and keys go on there", async () => {
    const screen = await renderThemed(<Page start={{ most_busy: 0.5 }} />);
    await screen.getByRole("button", { name: /^Limits:/ }).click();
    await expect
      .element(screen.getByLabelText("Busy share in the busiest hour"))
      .toHaveFocus();
    await screen.getByRole("button", { name: "Fold what is asked" }).click();
    await screen.getByRole("button", { name: /^Today:/ }).click();
    await expect
      .element(screen.getByRole("button", { name: "State what you have" }))
      .toHaveFocus();
    await screen.getByRole("button", { name: "Fold what is asked" }).click();
    await screen.getByRole("button", { name: /^Goal:/ }).click();
    await expect
      .element(screen.getByRole("radio", { name: "Least cost" }))
      .toHaveFocus();
  });

  it("opens at the dirty share too, where that is asked", async () => {
    const screen = await renderThemed(<Page asksDirty />);
    await screen.getByRole("button", { name: "Dirty share: unknown" }).click();
    await expect.element(screen.getByRole("radio", { name: /^Unknown/ })).toHaveFocus();
    await expectAccessible();
  });

  it("does not fold over a text that cannot be read, and says which", async () => {
    const screen = await renderThemed(<Page />);
    await screen.getByRole("button", { name: "Change what is asked" }).click();
    const budget = screen.getByLabelText("Budget per month");
    await budget.fill("plenty");
    for (const name of ["Fold what is asked", "Ask again"]) {
      await screen.getByRole("button", { name }).click();
      await expect.element(budget).toHaveFocus();
      await expect.element(budget).toHaveValue("plenty");
    }
    await budget.fill("10");
    await screen.getByRole("button", { name: "Ask again" }).click();
    await expect.element(budget).not.toBeInTheDocument();
  });

  it("opens where a server finds a fault, and takes no keys from anybody", async () => {
    const fault = { section: "limits", field: "most_busy" } as const;
    const screen = await renderThemed(<Page fault={fault} />);
    const fail = screen.getByRole("button", { name: "Fail" });
    await fail.click();
    const busy = screen.getByLabelText("Busy share in the busiest hour");
    await expect.element(busy).toBeVisible();
    await expect.element(fail).toHaveFocus();
    await screen.getByRole("button", { name: "Fold what is asked" }).click();
    await expect.element(busy).not.toBeInTheDocument();
  });

  it("takes changes back one by one, and keys go on at the button of the form", async () => {
    const screen = await renderThemed(<Page start={{ most_usd: 1 }} />);
    expect(screen.getByRole("button", { name: "Undo" }).query()).toBeNull();
    await screen.getByRole("button", { name: "Change what is asked" }).click();
    const budget = screen.getByLabelText("Budget per month");
    for (const value of ["4,000", "5,000"]) {
      await budget.fill(value);
      await userEvent.keyboard("{Enter}");
    }
    const undo = screen.getByRole("button", { name: "Undo" });
    await undo.click();
    await expect.element(budget).toHaveValue("4,000");
    await undo.click();
    await expect.element(budget).toHaveValue("1");
    await expect.element(undo).not.toBeInTheDocument();
    await expect
      .element(screen.getByRole("button", { name: "Fold what is asked" }))
      .toHaveFocus();
  });
});
