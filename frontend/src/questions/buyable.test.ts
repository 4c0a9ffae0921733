import fc from "fast-check";
import { createElement, useState } from "react";
import { describe, expect, it } from "vitest";
import { steppedWhole, wholeSteps } from "@/components/log-slider";
import { renderThemed } from "@/testing/render";
import {
  BelowSold,
  isSold,
  machineRam,
  sliderRange,
  soldUnit,
  stepPages,
  useWholeSizes,
  wholeSize,
} from "./buyable";

const device = {
  name: "D",
  kind: "nvme",
  capacity_bytes: null,
  usd_per_gb: null,
  usd_per_gb_month: null,
};
const GIB = 2 ** 30;

describe("what is sold of a device", () => {
  it("is a whole one, a module, or a GiB of rent; else unknown", () => {
    expect(soldUnit({ ...device, capacity_bytes: 2e12 })).toEqual({
      unitBytes: 2e12,
      text: "D of 2 TB",
    });
    expect(soldUnit({ ...device, usd_per_gb_month: "0.1" })?.unitBytes).toBe(GIB);
    expect(soldUnit({ ...device, kind: "dram" })?.unitBytes).toBe(16 * GIB);
    expect(soldUnit(undefined)?.unitBytes).toBe(16 * GIB);
    expect(soldUnit(device)).toBeNull();
  });

  it("tells whether a point stays as it is where sizes keep to what is sold", () => {
    const of = {
      ramOf: () => ({ unitBytes: 16 * 4096, text: "" }),
      flashOf: () => ({ unitBytes: 800 * 4096, text: "" }),
    };
    const point = { ram_device_id: null, flash_device_id: "drive" };
    const sold = { ...point, ram_pages: 32, flash_pages: 1600 };
    const between = { ...point, ram_pages: 32, flash_pages: 1000 };
    const most = 10_000;
    const on = { on: true, ...of };
    expect(isSold(on, sold, 4096, most)).toBe(true);
    expect(isSold(on, between, 4096, most)).toBe(false);
    expect(isSold(on, { ...sold, ram_pages: 33 }, 4096, most)).toBe(false);
    expect(isSold(on, { ...sold, flash_pages: 0 }, 4096, most)).toBe(true);
    expect(isSold({ on: false, ...of }, between, 4096, most)).toBe(true);
    // Flash starts beyond the slider, so its size is free.
    expect(isSold(on, between, 4096, 700)).toBe(true);
  });

  it("counts in whole pages, and only where that is asked for", () => {
    const unit = { unitBytes: 100_000, text: "" };
    const on = { on: true };
    expect(stepPages(on, unit, 8192, 100)).toBe(12);
    expect(stepPages({ on: false }, unit, 8192, 100)).toBeUndefined();
    expect(stepPages(on, null, 8192, 100)).toBeUndefined();
    expect(sliderRange(1, 100, 12)).toEqual({ min: 12, max: 108, step: 12 });
    expect(sliderRange(1, 10, undefined)).toEqual({ min: 1, max: 10, step: undefined });
    const sizes = [100_000, 300_000, 900_000];
    expect(stepPages(on, { ...unit, sizes }, 8192, 100)).toEqual([12, 36, 109]);
    expect(sliderRange(1, 30, [12, 36, 109])).toEqual({
      min: 12,
      max: 36,
      step: [12, 36, 109],
    });
    expect(sliderRange(1, 500, [12, 36, 109]).max).toBe(109);
  });

  it("does not collapse to one stop where even the least is beyond the slider", () => {
    const unit = { unitBytes: 100_000, text: "" };
    expect(stepPages({ on: true }, unit, 8192, 12)).toBe(12);
    expect(stepPages({ on: true }, unit, 8192, 11)).toBeUndefined();
    const range = sliderRange(1, 11, stepPages({ on: true }, unit, 8192, 11));
    expect(range).toEqual({ min: 1, max: 11, step: undefined });
  });
});

describe("RAM of whole machines", () => {
  const part = (kind: string, capacity: number | null, dimm_slots: number | null) => ({
    kind,
    capacity,
    dimm_slots,
  });

  it("is modules that fill a chassis evenly, and what instances have", () => {
    const found = machineRam(
      [
        part("chassis", null, 6),
        part("dimm", 16, null),
        part("dimm", 64, null),
        part("nvme", 7680, null),
        part("cxl", 512, 4),
      ],
      [{ ram_gib: 124 }, { ram_gib: null }, { ram_gib: 64 }],
    );
    const gib = found?.sizes?.map((size) => size / GIB);
    expect(gib).toEqual([16, 32, 48, 64, 96, 124, 128, 192, 384]);
    expect(found?.unitBytes).toBe(16 * GIB);
    expect(machineRam([], [])).toBeNull();
    expect(machineRam([], [{ ram_gib: 32 }])?.sizes).toEqual([32 * GIB]);
  });
});

describe("a slider in whole units", () => {
  it("always moves to another whole unit, until it is at its end", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 60_000 }),
        fc.constantFrom(2, 0.5, 2 ** 0.25, 2 ** -0.25),
        (step, units, value, factor) => {
          const max = step * units;
          const next = steppedWhole(value, factor, step, max, true);
          expect(next % step).toBe(0);
          if (factor > 1) {
            expect(next > value || next === max).toBe(true);
          } else {
            expect(next < value || next === 0).toBe(true);
          }
          expect(steppedWhole(value, factor, step, max, false)).toBeGreaterThan(0);
        },
      ),
    );
    expect(wholeSteps(0.2, 7)).toBe(7);
    expect(wholeSteps(25, 10)).toBe(30);
  });
});

describe("a slider among listed sizes", () => {
  const stops = fc
    .uniqueArray(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 20 })
    .map((sizes) => sizes.sort((one, other) => one - other));

  it("always moves to another of them, until it is at its end", () => {
    fc.assert(
      fc.property(
        stops,
        fc.integer({ min: 0, max: 12_000 }),
        fc.constantFrom(2, 0.5, 2 ** 0.25, 2 ** -0.25),
        (sizes, value, factor) => {
          const last = sizes.at(-1) ?? 0;
          const next = steppedWhole(value, factor, sizes, last, true);
          expect([0, ...sizes]).toContain(next);
          if (factor > 1) {
            expect(next > value || next === last).toBe(true);
          } else {
            expect(next < value || next === 0).toBe(true);
          }
          expect(sizes).toContain(steppedWhole(value, factor, sizes, last, false));
          expect(sizes).toContain(wholeSteps(value, sizes));
        },
      ),
    );
    expect(wholeSteps(100, [16, 64, 124, 128])).toBe(124);
    expect(steppedWhole(64, 2 ** 0.25, [16, 64, 124, 128], 128, false)).toBe(124);
    expect(steppedWhole(124, 0.5, [16, 64, 124, 128], 128, false)).toBe(64);
    expect(wholeSize(0, [16, 64])).toBe(0);
  });
});

describe("a recording smaller than what is sold", () => {
  it("says so, and leads to production", async () => {
    const screen = await renderThemed(
      createElement(BelowSold, { footprintBytes: 240 * 2 ** 20, link: "Scale it" }),
    );
    expect(screen.container.textContent).toContain(
      "This workload is a recording of 240 MiB: less than what is sold holds. Scale it to choose",
    );
  });
});

/** A page whose sizes keep to what is sold while `step` is there. */
function Sizes({ step }: { readonly step: number | undefined }) {
  const [sizes, setSizes] = useState<readonly number[]>([107, 0]);
  useWholeSizes(sizes, [step, step], setSizes);
  return createElement(
    "button",
    { type: "button", onClick: () => setSizes([31, 4]) },
    sizes.join(" and "),
  );
}

describe("sizes that can be bought", () => {
  it("are the nearest whole units, and no flash stays no flash", () => {
    expect(wholeSize(107, undefined)).toBe(107);
    expect(wholeSize(107, 10)).toBe(110);
    expect(wholeSize(4, 10)).toBe(10);
    expect(wholeSize(0, 10)).toBe(0);
  });

  it("hold at the switch, for what is typed, and for another device", async () => {
    const screen = await renderThemed(createElement(Sizes, { step: undefined }));
    const shown = screen.getByRole("button");
    await expect.element(shown).toHaveTextContent("107 and 0");
    await screen.rerender(createElement(Sizes, { step: 10 }));
    await expect.element(shown).toHaveTextContent("110 and 0");
    await shown.click();
    await expect.element(shown).toHaveTextContent("30 and 10");
    await screen.rerender(createElement(Sizes, { step: 25 }));
    await expect.element(shown).toHaveTextContent("25 and 25");
  });
});
