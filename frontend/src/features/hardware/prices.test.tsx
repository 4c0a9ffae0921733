import { afterEach, describe, expect, it } from "vitest";
import type { DeviceOut } from "@/api/catalog";
import { renderThemed } from "@/testing/render";
import { Price } from "./device-table";

const RATE = {
  currency: "EUR",
  per_usd: "0.5",
  date: "2026-09-30",
  source: "European Central Bank",
};

const device = (parts: Partial<DeviceOut>) =>
  ({
    usd_per_gb: null,
    usd_per_gb_month: null,
    price_date: "2026-Q1",
    missing: [],
    ...parts,
  }) as unknown as DeviceOut;

const text = async (parts: Partial<DeviceOut>, rate: typeof RATE | null) =>
  (
    await renderThemed(<Price device={device(parts)} rate={rate} />)
  ).container.querySelector("main")?.textContent;

afterEach(() => window.history.replaceState(null, "", "/"));

describe("the price of a device", () => {
  it("is shown in the currency chosen, and as quoted beside it", async () => {
    expect(await text({ usd_per_gb: "0.25" }, RATE)).toBe("0.1250.250 USD, 2026-Q1");
    expect(await text({ usd_per_gb: "0.25" }, null)).toBe("0.2502026-Q1");
  });

  it("under a cent a GB is that of a TB", async () => {
    expect(await text({ usd_per_gb_month: "0.004", price_date: null }, null)).toBe(
      "4 per TBper month",
    );
  });

  it("is missing, and not nothing, where none is stated", async () => {
    expect(await text({}, RATE)).not.toContain("0");
  });
});
