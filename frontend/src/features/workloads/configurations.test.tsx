import { expect, it } from "vitest";
import type { ConfigurationsOut } from "@/api/configurations";
import { expectAccessible, renderRouted } from "@/testing/render";
import { ConfigurationsFound } from "./configurations";

const one = (name: string, monthly_usd: string, io_time_us_per_access: number) => ({
  kind: "instances",
  name,
  machines: 1,
  usable_ram_gib: 100,
  store_bytes: 2 ** 36,
  flash_bytes: 0,
  monthly_usd,
  purchase_usd: "0",
  lacks_price: [],
  io_time_us_per_access,
  store_busy_peak: 0,
  flash_busy_peak: null,
  config: { machines: 1, horizon_months: 36, server: name },
});

const found = (front: readonly object[]) =>
  ({
    workload_id: "w",
    finding: "Rent it",
    front,
    front_in_all: front.length,
    lower_bounds: [],
    lower_bounds_in_all: 0,
    excluded: [],
    cautions: [],
    exchange_rate: null,
    estimator: "By the model",
    validity: "steady loads",
  }) as unknown as ConfigurationsOut;

it.each([
  ["holds all of the data", [one("all", "300", 0)]],
  [
    "holds all, beside one that does not",
    [one("part", "200", 9), one("all", "300", 0)],
  ],
  ["is for sale nowhere", []],
])("is shown where what can be bought %s", async (_, front) => {
  const screen = await renderRouted(<ConfigurationsFound found={found(front)} />);
  await expect
    .element(
      screen
        .getByRole("region", { name: "Configurations by money and I/O time" })
        .getByRole("img")
        .first(),
    )
    .toBeVisible();
  await expect
    .element(screen.getByRole("table", { name: "Configurations" }).getByRole("row"))
    .toHaveLength(1 + front.length);
  await expectAccessible();
});
