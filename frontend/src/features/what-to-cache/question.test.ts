import { describe, expect, it } from "vitest";
import type { CachedCategory, WhatToCacheOut } from "@/api/what-to-cache";
import { formatAmount, usd } from "@/units/quantity";
import {
  admissionText,
  cacheCheck,
  cacheQuestion,
  categoriesOf,
  categoryColumns,
  costBars,
  costsOf,
  costTable,
  MODELLED,
  titleOf,
} from "./question";

const STATE = {
  workload: "w",
  ram_pages: 10,
  flash_pages: 0,
  flash_device: "f",
  disk_device: "d",
  ram_device: "none",
  price_book: "none",
  months: 36,
  start: "steady",
} as const;

const found = (saved_share: number) =>
  ({
    saved_share,
    chosen: assignment("by_category", 5, 1),
    alternatives: [assignment("never", 9, 0), assignment("miss", 4, 4)],
  }) as unknown as WhatToCacheOut;

const assignment = (name: string, reads: number, writes: number, flash = 0) => ({
  name,
  // Money is text in the API.
  read_usd_per_month: String(reads),
  write_usd_per_month: String(writes),
  flash_usd_per_month: String(flash),
  usd_per_month: String(reads + writes + flash),
});

describe("what to cache", () => {
  it("asks with the point and at least a page of flash", () => {
    expect(cacheQuestion(STATE, {})).toMatchObject({
      flash_pages: 1,
      price_book_id: null,
      categories: "relation",
      accesses_per_s: null,
      usd_per_gib_month: null,
      flash_paid: "whole",
    });
    expect(cacheQuestion(STATE, { paid: "by_size", gib_usd: 0.17 })).toMatchObject({
      usd_per_gib_month: 0.17,
      flash_paid: "by_size",
    });
    expect(cacheQuestion(STATE, { categories: "hour", rate: 7 })).toMatchObject({
      categories: "hour",
      accesses_per_s: 7,
    });
  });

  it("checks through the flash cache of the model unless another is chosen", () => {
    const body = cacheQuestion(STATE, {});
    expect(cacheCheck(body, {})).toEqual({ ...body, flash_cache: MODELLED });
    expect(cacheCheck(body, { cache: "larc" }).flash_cache).toBe("larc");
  });

  it("says which way the figures point", () => {
    expect(titleOf(found(0.272))).toBe(
      "Choosing what to cache costs 27.2 % less than admitting every miss",
    );
    expect(titleOf(found(0))).toBe("No choice costs less than admitting every miss");
    const decided = "Admit every miss: by replay that costs 5.00 USD per month";
    expect(titleOf(found(0.272), decided)).toBe(decided);
  });

  it("draws the cheapest first, in its two parts", () => {
    const bars = costBars(found(0.25));
    expect(bars.map(({ title }) => title)).toEqual([
      "By category",
      "Every miss",
      "Never",
    ]);
    expect(bars[0]).toMatchObject({ best: true, parts: { reads: 5, writes: 1 } });
  });

  it("has flash in costs only where it is paid for by size", () => {
    const whole = { ...found(0.25), flash_paid: "whole" } as WhatToCacheOut;
    const bySize = {
      ...whole,
      flash_paid: "by_size",
      chosen: assignment("by_category", 5, 1, 2),
    } as unknown as WhatToCacheOut;
    expect(costsOf(whole)).not.toContain("price of flash");
    expect(costsOf(bySize)).toContain("price of flash");
    const bars = costBars(bySize);
    expect(bars.find(({ best }) => best)).toMatchObject({
      title: "By category",
      parts: { reads: 5, writes: 1, flash: 2 },
    });
    const keys = (paid: "whole" | "by_size") =>
      categoryColumns("relation", "USD", { counts_of: "", flash_paid: paid }).map(
        ({ key }) => key,
      );
    expect(keys("whole")).not.toContain("flash_usd_per_month");
    expect(keys("by_size")).toContain("flash_usd_per_month");
  });

  it("shows the cost of a category as other amounts, and what it loses below 0", () => {
    const row = {
      usd_per_month: "1222.3456789",
      saved_usd_per_month: "-0.5",
    } as unknown as CachedCategory;
    const shown = (key: string) =>
      categoryColumns("relation", "USD", { counts_of: "", flash_paid: "whole" })
        .find((column) => column.key === key)
        ?.cell?.(row, 0);
    expect(shown("usd_per_month")).toBe(formatAmount(usd(1222.3456789)));
    expect(shown("saved_usd_per_month")).toBe(`−${formatAmount(usd(0.5))}`);
  });

  it("says which figures of production are counts of the recording", () => {
    const of = "Reads are counts of the recording.";
    const keys = (counts_of: string) =>
      categoryColumns("relation", "USD", { counts_of, flash_paid: "whole" }).map(
        ({ key }) => key,
      );
    const counts = ["reads", "writes", "pages", "hits", "flash_writes"];
    expect(keys("")).toEqual(expect.arrayContaining(counts));
    expect(keys(of)).toEqual(
      expect.arrayContaining(counts.map((name) => `${name}_of_recording`)),
    );
    // What is held is of production.
    expect(keys(of)).toContain("held_pages");
    expect(categoriesOf({ counts_of: "" })).not.toContain("recording");
    expect(categoriesOf({ counts_of: of })).toContain(of);
    const table = (counts_of: string) =>
      costTable({ ...found(0.25), counts_of } as WhatToCacheOut, "USD").header;
    expect(table("")).toContain("disk_reads");
    expect(table(of)).toEqual(
      expect.arrayContaining(["disk_reads_of_recording", "flash_writes_of_recording"]),
    );
  });

  it("names both admissions of a mixture", () => {
    const row = { admission: "miss", share: 0.05, otherwise: "never" };
    expect(admissionText(row as unknown as CachedCategory)).toBe(
      "At a miss for 5 % of the pages, else never",
    );
    expect(
      admissionText({ ...row, share: 1, otherwise: null } as unknown as CachedCategory),
    ).toBe("At a miss");
  });
});
