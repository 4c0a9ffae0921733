import fc from "fast-check";
import { createElement, useState } from "react";
import { describe, expect, it } from "vitest";
import { steppedWhole, wholeSteps } from "@/components/log-slider";
import { renderThemed } from "@/testing/render";
import {
  isSold,
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
    const unitOf = (id: string) => ({
      unitBytes: id === "drive" ? 800 * 4096 : 16 * 4096,
      text: "",
    });
    const point = { ram_device_id: null, flash_device_id: "drive" };
    const sold = { ...point, ram_pages: 32, flash_pages: 1600 };
    const between = { ...point, ram_pages: 32, flash_pages: 1000 };
    expect(isSold({ on: true, unitOf }, sold, 4096)).toBe(true);
    expect(isSold({ on: true, unitOf }, between, 4096)).toBe(false);
    expect(isSold({ on: true, unitOf }, { ...sold, ram_pages: 33 }, 4096)).toBe(false);
    expect(isSold({ on: true, unitOf }, { ...sold, flash_pages: 0 }, 4096)).toBe(true);
    expect(isSold({ on: false, unitOf }, between, 4096)).toBe(true);
  });

  it("counts in whole pages, and only where that is asked for", () => {
    const unit = { unitBytes: 100_000, text: "" };
    const buyable = { on: true, set: () => {}, ram: unit, flash: null };
    expect(stepPages(buyable, unit, 8192)).toBe(12);
    expect(stepPages({ ...buyable, on: false }, unit, 8192)).toBeUndefined();
    expect(stepPages(buyable, null, 8192)).toBeUndefined();
    expect(sliderRange(1, 100, 12)).toEqual({ min: 12, max: 108, step: 12 });
    expect(sliderRange(1, 10, 12)).toEqual({ min: 12, max: 12, step: 12 });
    expect(sliderRange(1, 10, undefined)).toEqual({ min: 1, max: 10, step: undefined });
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
