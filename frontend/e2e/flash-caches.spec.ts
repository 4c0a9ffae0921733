import { readFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";
import { exported } from "./export";

const POINT =
  "workload=example&ram_pages=1000&flash_pages=4000&flash_device=face2016-samsung-840pro-256&disk_device=face2016-cheetah-15k6-single";

const replayed = (page: Page) =>
  page.getByRole("region", { name: /^I\/O time per access by replay/ });

/** Chooses LARC by keyboard, and replays it. */
async function replayLarc(page: Page): Promise<void> {
  const field = page.getByRole("combobox", { name: "Flash caches" });
  await field.focus();
  await field.fill("LARC");
  await field.press("ArrowDown");
  await field.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Replay flash caches" }).press("Enter");
}

test("compare: a flash cache is replayed beside the schemes, and the address keeps it", async ({
  page,
}) => {
  await openReady(page, `/compare?${POINT}`);
  await expect(
    page.getByRole("button", { name: "Replay flash caches" }),
  ).toBeDisabled();
  await replayLarc(page);
  await expect(page).toHaveURL(/caches=larc/);
  const chart = replayed(page);
  await expect(chart.getByRole("heading")).toContainText(/By replay, .*LARC/);
  await expectAccessible(page, "flash caches beside the schemes", [chart]);
  const file = await exported(page, chart, "CSV numbers");
  const csv = readFileSync(await file.path(), "utf8");
  expect(csv).toMatch(/LARC,flash cache,[\d.]+,,/);
  expect(csv).toMatch(/Lazy,page flow,[\d.]+,[\d.]+,/);
});

test("@long scheme map and DRAM or flash: flash caches are replayed there too", async ({
  page,
}) => {
  await openReady(page, `/scheme-map?${POINT}`);
  await replayLarc(page);
  await expect(replayed(page).getByRole("heading")).toContainText(/LARC/);
  await openReady(page, `/dram-or-flash?${POINT}&caches=larc`);
  await page.getByRole("button", { name: "Replay both" }).click();
  await page.getByRole("button", { name: "Replay flash caches" }).click();
  await expect(replayed(page)).toContainText(/takes .* the money in DRAM/);
});
