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

test("compare: flash caches stand beside places of the directory, with what they hit", async ({
  page,
}) => {
  await openReady(page, `/compare?${POINT}&caches=larc`);
  await page.getByRole("button", { name: /Where should its directory go/ }).click();
  const check = page.locator("section.tw-panel section.tw-panel").filter({
    has: page.getByText(/flash caches have the same memory, less their metadata/),
  });
  const field = check.getByRole("combobox", { name: "Flash caches" });
  await field.fill("FaCE");
  await page.getByRole("option", { name: "FaCE", exact: true }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/caches=larc%2Cface|caches=larc,face/);
  await check.getByRole("button", { name: "Check this point" }).click();
  await expect(check).toContainText(
    /(is|are) (not )?(faster|within).* the best place of a directory|and the best place of a directory .* are within 1 %/,
  );
  const table = check.getByRole("table", {
    name: "Directories and flash caches by replay",
  });
  const row = (name: string) =>
    table.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
  // 4,000 entries of 32 bytes are subtracted from the RAM; of LARC they are of 69.6 bytes.
  await expect(row("FaCE")).toContainText("125 KiB");
  await expect(row("LARC")).toContainText("flash cache");
  await expect(row("LARC")).toContainText("272 KiB");
  await expect(row("Without flash")).toContainText("0 B");
  await expectAccessible(page, "flash caches beside directories", [check]);
  const saving = page.waitForEvent("download");
  await check.getByRole("button", { name: "Export CSV of what was replayed" }).click();
  const csv = readFileSync(await (await saving).path(), "utf8");
  expect(csv).toContain("RAM it takes [B]");
  expect(csv).toMatch(/FaCE,flash cache,128000,\d+,4000,0\.\d+,0\.\d+,[\d.]+,/);
  expect(csv).toMatch(/LARC,flash cache,278400,/);
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
  const check = page
    .locator("section")
    .filter({ has: page.getByRole("heading", { name: /^Check the break-even/ }) })
    .last();
  await check.getByRole("button", { name: "Check this point" }).click();
  await expect(check).toContainText(/With as much flash, LARC saves|no flash cache/);
  await expect(check.getByRole("rowheader", { name: "LARC" })).toHaveCount(2);
});

test("what to cache: categories are told apart, the choice is replayed, the table leaves", async ({
  page,
}) => {
  await openReady(page, `/what-to-cache?${POINT}`);
  const chart = page.getByRole("region", { name: /^Cost by what enters flash/ });
  await expect(chart.getByRole("heading")).toContainText(
    /than admitting every miss|as much as admitting every miss/,
  );
  const table = page.getByRole("table", { name: "What enters flash, by category" });
  await expect(table.getByRole("row").nth(1)).toBeVisible();
  await expectAccessible(page, "what to cache");

  // By size of request there is another table, and the address says so.
  await page.getByRole("combobox", { name: "Tell accesses apart by" }).press("Enter");
  await page.getByRole("option", { name: "Hour" }).click();
  await expect(page).toHaveURL(/categories=hour/);
  await expect(table.getByRole("columnheader").first()).toHaveText(/Hour/);

  await page.getByRole("button", { name: "Check this point" }).press("Enter");
  const checked = page.getByRole("table", { name: "Model and simulation" });
  await expect(checked.getByRole("row").nth(1)).toBeVisible();
  await page
    .getByRole("combobox", { name: "Flash cache behind the choice" })
    .press("Enter");
  await page.getByRole("option", { name: "LARC" }).click();
  await expect(page).toHaveURL(/cache=larc/);
  await page.getByRole("button", { name: "Check this point" }).press("Enter");
  await expect(page.getByText(/Before LARC, the choice/)).toBeVisible();
  const file = await exported(page, chart, "CSV numbers");
  const csv = readFileSync(await file.path(), "utf8");
  expect(csv).toMatch(/By category/);
  expect(csv).toMatch(/Never/);
});
