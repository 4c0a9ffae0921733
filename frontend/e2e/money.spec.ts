import { readFileSync } from "node:fs";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";
import { exported } from "./export";
import { textOf } from "./shown";
import { expectAtOnce } from "./slider";
import { showNote } from "./unfold";

/** One side of a segmented control: its label is what can be clicked. */
const choose = (scope: Page | Locator, name: string) =>
  scope.getByText(name, { exact: true }).click();

test("DRAM or flash: the price ratio moves the decision, and its link keeps it", async ({
  page,
}) => {
  await openReady(page, "/dram-or-flash");
  const card = page.getByRole("region", { name: /^Next money in DRAM and in flash/ });
  await expect(card.getByRole("heading")).toContainText("belongs in flash");
  await expectAccessible(page, "DRAM or flash");

  // Flash as dear as DRAM: the decision flips.
  const exact = page.getByRole("textbox", { name: "Exact ratio" });
  await exact.fill("100");
  await exact.press("Enter");
  await expect(card.getByRole("heading")).toContainText("belongs in DRAM");
  await expect(page).toHaveURL(/price_ratio=1(&|$)/);
  const heading = await textOf(page, card.getByRole("heading"));
  await page.reload();
  await expect(card.getByRole("heading")).toHaveText(heading);
  await page.getByRole("button", { name: "Use the prices" }).click();
  await expect(card.getByRole("heading")).toContainText("belongs in flash");

  // By keyboard the slider moves and the server answers at once.
  const slider = page.getByRole("slider", { name: "Price ratio, flash over DRAM" });
  await expectAtOnce(page, slider, "ArrowRight", /\/break-evens$/);
  await expect(page.getByText(/Set by hand; prices give/)).toBeVisible();

  await choose(card, "Whole amount");
  await expect(card).toContainText("saved by an amount spent at once");
  await card.getByRole("button", { name: "How is this computed?" }).click();
  await expect(
    card.getByRole("rowheader", { name: "flip_price_ratio, next money", exact: true }),
  ).toBeVisible();
  await expectAccessible(page, "DRAM or flash, derivation", [card]);
  await choose(card, "Table");
  await expect(card.getByRole("columnheader", { name: /^DRAM saves/ })).toBeVisible();
  const file = await exported(page, card, "CSV numbers");
  const csv = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(csv.length).toBeGreaterThan(100);
});

test("DRAM or flash: the platform is judged on the curve, or on intervals that are stated", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, "/dram-or-flash?workload=example&rate=10000000");
  const platform = page.locator(".tw-panel", {
    has: page.getByRole("table", { name: "Platform" }),
  });
  await expect(platform.getByRole("heading")).toHaveText(
    "The platform is not viable: storage limits it",
  );
  await expect(platform).toContainText("Write-backs are counted: without them");
  await page.getByRole("button", { name: /^Disks, reads and writes/ }).click();
  const median = page.getByRole("textbox", { name: "Median access interval" });
  await median.fill("1000");
  await median.press("Enter");
  await expect(platform.getByRole("heading")).toContainText("The platform is viable");
  await expect(platform).toContainText("log-normal access intervals as stated");
  await expect(platform).toContainText("Write-backs are not counted");
  await expect(page).toHaveURL(/interval_s=1000(&|$)/);
  await page.reload();
  await expect(platform).toContainText("with median 16.7 minutes and sigma 1.2");
});

test("DRAM or flash: metadata, hits alone, and the check by simulation", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, "/dram-or-flash?form=plain");
  const intervals = page.getByRole("table", { name: "Break-even intervals" });
  await expect(intervals.getByRole("row")).toHaveCount(4);
  await page.getByRole("button", { name: /Disks, reads and writes/ }).click();
  await page.getByRole("combobox", { name: "Flash metadata in RAM" }).click();
  await page.getByRole("option", { name: "L2ARC (OpenZFS)" }).click();
  await expect(page).toHaveURL(/metadata=l2arc/);
  await showNote(page, /metadata of L2ARC .* subtracted from the existing DRAM/);
  await expectAccessible(page, "DRAM or flash, options");

  await page.getByRole("button", { name: "Replay both" }).click();
  const checked = page.getByRole("table", { name: "What the money saves" });
  await expect(checked).toBeVisible();
  await expect(page.getByText(/^The replays (confirm|contradict)/)).toBeVisible();
  await expect(checked.getByRole("row")).toHaveCount(6);
  await expectAccessible(page, "DRAM or flash, checked", [checked]);
});

test("throughput: knee, bottleneck, another axis, and its link", async ({ page }) => {
  await openReady(page, "/throughput");
  const card = page.getByRole("region", { name: /^Throughput of/ });
  await expect(card).toContainText(/The knee is at/);
  await expectAccessible(page, "throughput");
  const clients = page.getByRole("textbox", { name: "Exact clients" });
  await clients.fill("1");
  await clients.press("Enter");
  // The heading is the replay's as soon as it is there; the table says what limits each scheme.
  const schemes = page.getByRole("table", { name: "Throughput of every scheme" });
  await expect(schemes.getByRole("row", { name: /^Lazy/ })).toContainText("clients");
  await expect(card).toContainText(
    /The knee is at \d+ clients: .* throughput could reach/,
  );
  await expect(page).toHaveURL(/clients=1(&|$)/);
  await page.getByRole("slider", { name: "Disks" }).press("PageUp");
  await expect(page).toHaveURL(/disks=2(&|$)/);

  await choose(page, "Flash size");
  await expect(page).toHaveURL(/vary=flash_pages/);
  await expect(card).toContainText("over flash [pages]");
  await choose(card, "Response time");
  await expect(card).toContainText("Response time over");
  const heading = await textOf(page, card.getByRole("heading"));
  await page.reload();
  await expect(card.getByRole("heading")).toHaveText(heading);
  await choose(card, "Table");
  await expect(card.getByRole("columnheader", { name: "Flash size" })).toBeVisible();
  await card.getByRole("button", { name: "How is this computed?" }).click();
  await expect(card.getByRole("rowheader", { name: /: N\*$/ }).first()).toBeVisible();
  await expectAccessible(page, "throughput, table and derivation", [card]);
});

test("what is wrong with a question of money is said where it is", async ({ page }) => {
  await openReady(page, "/dram-or-flash?usd=0.0000001");
  const problem = page.getByRole("alert");
  await expect(problem).toContainText("buys less than one page");
  await expectAccessible(page, "DRAM or flash, refused", [problem]);
});
