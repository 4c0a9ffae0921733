import { readFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";
import { exported } from "./export";
import { openFromMenu } from "./menu";
import { textOf } from "./shown";

// A device that states its write amplification.
const KNOWN =
  "flash_device=face2016-samsung-840pro-256&disk_device=face2016-cheetah-15k6-single&pe_cycles=3000&rate=2000";

const life = (page: Page) => page.getByRole("region", { name: /^Life of the flash/ });
const figure = (page: Page) => page.getByRole("button", { name: /^Life of Lazy,/ });

test("wear: years of life follow the load and its growth, and say why", async ({
  page,
}) => {
  await openReady(page, `/wear?${KNOWN}`);
  await expect(life(page).getByRole("heading")).toContainText(/The flash lasts/);
  await expectAccessible(page, "wear and recovery");

  const before = await textOf(page, figure(page));
  await page.getByRole("slider", { name: "Load" }).press("PageUp");
  await expect(figure(page)).not.toHaveText(before);
  const faster = await textOf(page, figure(page));
  const growth = page.getByRole("textbox", { name: "Growth [%/year]" });
  await growth.fill("50");
  await growth.press("Enter");
  await expect(figure(page)).not.toHaveText(faster);
  await expect(page).toHaveURL(/growth=0.5/);

  await figure(page).click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText(/else ln\(1 \+ \(B - B0\) ln\(1 \+ g\)/).first(),
  ).toBeVisible();
  await expectAccessible(page, "derivation of a life", [dialog]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Wear of Lazy,/ }).click();
  await expect(dialog.getByText(/USD/).first()).toBeVisible();
  await page.keyboard.press("Escape");

  // A value that cannot be is said at once, and nothing is asked.
  await growth.fill("-200");
  await growth.press("Enter");
  await expect(page.getByText(/enter a number from -99/)).toBeVisible();

  await life(page).getByText("Table", { exact: true }).click();
  await expect(life(page).getByRole("row")).toHaveCount(5);
  const file = await exported(page, life(page), "CSV numbers");
  const csv = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(csv).toHaveLength(5);
  expect(csv[0]).toContain("Life [years]");
});

test("wear: the page opens with a device whose life is known; metadata are charged", async ({
  page,
}) => {
  await openReady(page, "/wear?rate=2000&ram_pages=3000&flash_pages=9000");
  await expect(figure(page)).toHaveText(/years/);
  await page.getByRole("combobox", { name: "Flash metadata in RAM" }).click();
  await page.getByRole("option", { name: "L2ARC (OpenZFS)" }).click();
  await expect(page).toHaveURL(/metadata=l2arc/);
  const left = page.getByText(/keeps 96 bytes in RAM for each page on flash/);
  await expect(left).toBeVisible();
  await expectAccessible(page, "wear with metadata", [
    left,
    page.getByRole("combobox", { name: "Flash metadata in RAM" }),
  ]);

  // A fragment cache also maps the volume behind it.
  const metadata = page.getByRole("combobox", { name: "Flash metadata in RAM" });
  await metadata.click();
  await page.getByRole("option", { name: /SCE/ }).click();
  const behind = page.getByRole("textbox", { name: "Volume behind the cache [GiB]" });
  await behind.fill("2");
  await behind.press("Enter");
  await expect(page).toHaveURL(/metadata=sce(:|%3A)2GiB/);

  // Of a cache without a published figure, its user states the entry.
  await metadata.click();
  await page.getByRole("option", { name: "Another cache: state its entry" }).click();
  await expect(
    page.getByText("The stated cache keeps 32 bytes in RAM for each page on flash"),
  ).toBeVisible();
  const unit = page.getByRole("textbox", { name: "For each [KiB] of flash" });
  await unit.fill("64");
  await unit.press("Enter");
  await expect(
    page.getByText(
      /The stated cache keeps 32 bytes in RAM for each 64\S* KiB on flash/,
    ),
  ).toBeVisible();
  await expect(page).toHaveURL(/metadata=stated(:|%3A)32B(\/|%2F)64KiB/);
  await metadata.click();
  await page.getByRole("option", { name: "L2ARC (OpenZFS)" }).click();
  await expect(left).toBeVisible();

  // One choice for all pages.
  await openFromMenu(page, "Explore", "Compare");
  await expect(left).toBeVisible();
  await expectAccessible(page, "comparison with metadata", [
    left,
    page.getByRole("combobox", { name: "Flash metadata in RAM" }),
  ]);
  await page.getByRole("combobox", { name: "Flash metadata in RAM" }).click();
  await page.getByRole("option", { name: /^Not charged/ }).click();
  await expect(left).toHaveCount(0);
  await expect(page).not.toHaveURL(/metadata=/);
});

test("wear: write amplification from spare space, beside the replay of each scheme", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, `/wear?${KNOWN}&ram_pages=1000&flash_pages=6000`);
  const before = await textOf(page, figure(page));
  const spare = page.getByRole("textbox", { name: "Spare space [%]" });
  await spare.fill("28");
  await spare.press("Enter");
  await expect(page.getByRole("textbox", { name: "WAF, small writes" })).toHaveCount(0);
  await expect(figure(page)).not.toHaveText(before);
  const block = page.getByRole("textbox", { name: "Pages per erase block" });
  await block.fill("32");
  await block.press("Enter");
  await expect(page).toHaveURL(/block_pages=32/);
  await page.getByRole("button", { name: "Check this point" }).first().click();
  await expect(page.getByText(/a write amplification of 2.33/)).toBeVisible();
  const table = page.getByRole("table", { name: "Model and simulation" });
  await expect(table.getByRole("row", { name: /write amplification/ })).toHaveCount(4);
  await expectAccessible(page, "write amplification beside its replay", [table]);
});

test("wear: an endurance that is assumed is said, and can be given", async ({
  page,
}) => {
  await openReady(page, "/wear?flash_device=samsung-pm9a3-7.68tb-u2&rate=2000");
  await expect(page.getByText(/5 years assumed/).first()).toBeVisible();
  await expect(figure(page)).toHaveText(/years/);
  const assumed = await textOf(page, figure(page));
  const years = page.getByRole("textbox", { name: "Warranty [years]" });
  await years.fill("2");
  await years.press("Enter");
  await expect(page.getByText(/2 years as given/).first()).toBeVisible();
  await expect(figure(page)).not.toHaveText(assumed);
});

test("wear: the health of a drive is read from what smartctl prints", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, "/wear?flash_device=intel-p4500-4tb&rate=2000");
  await page.getByRole("button", { name: "Read the health of a drive" }).click();
  const field = page.getByRole("textbox", { name: "Output of smartctl or nvme" });
  const read = page.getByRole("button", { name: "Read output" });
  await field.fill("no json");
  await read.click();
  await expect(page.getByText(/This is not JSON/)).toBeVisible();
  await field.fill('{"hello": 1}');
  await read.click();
  await expect(page.getByText(/make the file with/i)).toBeVisible();
  await page.getByLabel("File from smartctl or nvme").setInputFiles({
    name: "smart.json",
    mimeType: "application/json",
    buffer: Buffer.from(
      JSON.stringify({
        model_name: "A drive of a test",
        nvme_smart_health_information_log: {
          data_units_written: 200_000_000,
          power_on_hours: 8760,
          percentage_used: 3,
        },
      }),
    ),
  });
  await expect(page.getByRole("heading", { name: /A drive of a test/ })).toBeVisible();
  await expect(page.getByText("102 TB", { exact: true })).toBeVisible();
  await expectAccessible(page, "health of a drive");
  const before = await textOf(page, figure(page));
  await page.getByRole("button", { name: "Count as already written" }).click();
  await expect(page).toHaveURL(/written_tb=102.4/);
  await expect(figure(page)).not.toHaveText(before);
});

test("recovery: restart with flash and without, and the time to fill", async ({
  page,
}) => {
  await openReady(page, `/wear?${KNOWN}`);
  const restart = page.getByRole("region", { name: /^Restart of/ });
  await expect(restart.getByRole("heading")).toContainText(/times as fast/);
  const before = await textOf(page, restart.getByRole("heading"));
  const interval = page.getByRole("textbox", { name: "Checkpoint interval [s]" });
  await interval.fill("20");
  await interval.press("Enter");
  await expect(restart.getByRole("heading")).not.toHaveText(before);
  await restart.getByText("Table", { exact: true }).click();
  await expect(restart.getByRole("row")).toHaveCount(31);
  await page.getByRole("button", { name: "Why: time to fill" }).click();
  await expect(page.getByRole("dialog").getByText(/cache \/ min/)).toBeVisible();
});

test("a cache of fragments: its size trades filling against useful flash", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, `/wear?${KNOWN}`);
  await page.getByRole("button", { name: "Analyse it at these sizes" }).click();
  const card = page.getByRole("region", { name: /^Fragment sizes for/ });
  await expect(card.getByRole("heading")).toContainText("Fragments of 1,024 KiB");
  const before = await textOf(page, card.getByRole("heading"));
  const fragment = page.getByRole("textbox", { name: "Fragment [KiB]" });
  await fragment.fill("128");
  await fragment.press("Enter");
  await expect(card.getByRole("heading")).toContainText("Fragments of 128 KiB");
  expect(before).not.toBe(await textOf(page, card.getByRole("heading")));
  await expect(page).toHaveURL(/fragment_kib=128/);
  const policies = page.getByRole("table", {
    name: "Write policies of a fragment cache",
  });
  await expect(policies.getByRole("row")).toHaveCount(5);
  await card.getByRole("button", { name: "How is this computed?" }).click();
  await expect(card.getByRole("rowheader", { name: "used share" })).toBeVisible();
  await expectAccessible(page, "a cache of fragments", [card, policies]);
  await card.getByText("Table", { exact: true }).click();
  await expect(card.getByRole("cell", { name: "128 KiB" })).toBeVisible();
});

test("transactions on raw flash: pages or log records, and who leaves next", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, `/wear?${KNOWN}`);
  await page.getByRole("button", { name: "Analyse transactions" }).click();
  const ways = page.getByRole("region", { name: "Pages or log records", exact: true });
  await expect(ways.getByRole("heading")).toContainText("Evicting as log records");
  await expect(ways).toContainText("as long as 120 page reads");
  const again = page.getByRole("textbox", { name: "Pages reread" });
  await again.fill("500");
  await again.press("Enter");
  await expect(ways.getByRole("heading")).toContainText("Evicting as pages");
  await expect(page).toHaveURL(/tx_again=500/);
  await page.getByRole("button", { name: "Why: transaction figures" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText(/ceil\(n x records \/ page\)/)).toBeVisible();
  await page.keyboard.press("Escape");

  const order = page.getByRole("table", { name: "Next transactions to leave memory" });
  await expect(order.getByRole("row").nth(1)).toContainText("R00000");
  await expectAccessible(page, "transactions on raw flash", [ways, order]);
  await page.getByRole("combobox", { name: "Transactions to replay" }).click();
  await page.getByRole("option", { name: "Your own events" }).click();
  const events = page.getByRole("textbox", { name: "Events" });
  const replay = page.getByRole("button", { name: "Replay these events" });
  await events.fill("B A\nU A 0\nC B");
  await replay.click();
  await expect(page.getByText(/has not begun/).first()).toBeVisible();
  await events.fill("B A\nU A 0\nB B\nU B 1\nC B");
  await replay.click();
  await expect(order.getByRole("row")).toHaveCount(3);
  await expect(order.getByRole("row").nth(1)).toContainText("B");

  // The address holds the question, the events too.
  await page.reload();
  await expect(order.getByRole("row")).toHaveCount(3);
  await expect(again).toHaveValue("500");
});

test("flash device: write amplification by spare space and rule, wear, TRIM and life", async ({
  page,
}) => {
  await page.goto("/flash-device?spare=0.28");
  const card = page.getByRole("region", {
    name: "Write amplification by spare space",
  });
  await expect(card.getByRole("heading")).toContainText(
    "greedy collection and a spare of 0.28",
  );
  const before = await textOf(page, card.getByRole("heading"));
  await page.getByRole("combobox", { name: "Garbage collection" }).click();
  await page.getByRole("option", { name: "FIFO" }).click();
  await expect(card.getByRole("heading")).toContainText("fifo collection");
  expect(before).not.toBe(await textOf(page, card.getByRole("heading")));
  const trim = page.getByRole("textbox", { name: "Requests that trim" });
  await trim.fill("10");
  await trim.press("Enter");
  await expect(page.getByText("Flash writes saved by TRIM")).toBeVisible();
  await expect(page).toHaveURL(/trim_share=0.1/);
  await card.getByText("Table", { exact: true }).click();
  await expect(card.getByRole("row")).toHaveCount(26);
  await expectAccessible(page, "flash device", [card]);
  // The devices of 2008 to 2011 have merges in place of collection.
  const translation = page.getByRole("combobox", { name: "Translation" });
  await translation.click();
  await page.getByRole("option", { name: "Hybrid, BAST" }).click();
  await expect(card.getByRole("heading")).toContainText("BAST log blocks");
  await expect(page.getByText("Merges, full, partial and switch")).toBeVisible();
  await expect(
    page.getByRole("combobox", { name: "Garbage collection" }),
  ).not.toBeVisible();
  await translation.click();
  await page.getByRole("option", { name: "Page-mapped" }).click();
  await expect(card.getByRole("heading")).toContainText("fifo collection");
  // What cannot work is refused with what to do.
  const spare = page.getByRole("textbox", { name: "Spare space" });
  await spare.fill("0.1");
  await spare.press("Enter");
  await expect(page.getByRole("alert")).toContainText("leaves no room to collect");
});
