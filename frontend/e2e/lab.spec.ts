import { readFileSync } from "node:fs";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";
import { exported } from "./export";
import { textOf } from "./shown";
import { expectAtOnce } from "./slider";

/** One side of a segmented control: its label is what can be clicked. */
const choose = (scope: Page | Locator, name: string) =>
  scope.getByText(name, { exact: true }).click();

const chart = (page: Page) => page.getByRole("region", { name: /by size of/ });

test("a sweep: choose, run, read, export, reopen by its link", async ({ page }) => {
  await openReady(page, "/simulate");
  const chosen = page.getByRole("list", { name: "Chosen contenders" });
  await expect(chosen.getByRole("listitem")).toHaveCount(4);
  await expect(page.getByText("No sweep yet")).toBeVisible();
  await expectAccessible(page, "simulate, empty");

  // By keyboard: add 2Q and give it an option of its own.
  const add = page.getByRole("combobox", { name: "Add a contender" });
  await add.focus();
  await page.keyboard.type("2q");
  await page.keyboard.press("Enter");
  await expect(chosen.getByRole("listitem")).toHaveCount(5);
  await expect(add).toHaveValue("");
  await page.getByRole("button", { name: "Options of 2Q" }).press("Enter");
  await page.getByRole("textbox", { name: "k_in" }).fill("0.5");
  await expect(chosen.getByText("2Q (k_in 0.5)")).toBeVisible();
  await choose(page.getByRole("group", { name: "Cache sizes" }), "One by one");
  const sizes = page.getByRole("textbox", { name: /separated by commas/ });
  await sizes.fill("100, 8 MiB, 4000");
  await sizes.press("Enter");
  await expect(page.getByText("15 replays of 420,000 accesses")).toBeVisible();
  await page.getByRole("button", { name: "Run the sweep" }).click();

  await expect(
    page.getByRole("button", { name: "All replays are done" }),
  ).toBeVisible();
  await expect(chart(page).getByRole("heading")).toContainText(
    /(misses least|level.*) at \d of 3 sizes/,
  );
  await expectAccessible(page, "simulate, done");
  await choose(chart(page), "Table");
  const table = chart(page).getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(16);
  const cells = await table.innerText();
  await expectAccessible(page, "simulate, table", [chart(page)]);

  const file = await exported(page, chart(page), "CSV numbers");
  const csv = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(csv).toHaveLength(16);
  expect(csv[0]).toContain("Miss ratio");

  // The link alone, and the sweep alone, restore the screen.
  const address = page.url();
  for (const link of [
    address,
    `/simulate?sweep=${new URL(address).searchParams.get("sweep")}`,
  ]) {
    await page.goto("/");
    await page.goto(link);
    await choose(chart(page), "Table");
    await expect(table.getByRole("row")).toHaveCount(16);
    await expect.poll(() => table.innerText()).toBe(cells);
    await expect(chosen.getByText("2Q (k_in 0.5)")).toBeVisible();
  }

  // Another contender makes the results those of another question.
  await chosen.getByRole("button", { name: "Remove OPT" }).click();
  await expect(page.getByText(/results below are for other contenders/)).toBeVisible();
});

test("a sweep charges the memory that flash needs", { tag: "@long" }, async ({
  page,
}) => {
  await openReady(
    page,
    "/simulate?contenders=scheme:lazy,scheme:none&sizes=4,300&flash_sizes=4000",
  );
  await page.getByRole("combobox", { name: "Flash metadata in RAM" }).click();
  await page.getByRole("option", { name: "flashcache" }).click();
  await expect(page).toHaveURL(/metadata=flashcache/);
  await page.getByRole("button", { name: "Run the sweep" }).click();
  await expect(
    page.getByRole("button", { name: "All replays are done" }),
  ).toBeVisible();
  await choose(chart(page), "Table");
  const table = chart(page).getByRole("table");
  await expect(
    table.getByRole("columnheader", { name: "RAM left by the metadata [pages]" }),
  ).toBeVisible();
  // 24 bytes for 4 KiB: 4000 pages of 8 KiB take 24 pages of RAM.
  await expect(table.getByRole("row", { name: /Lazy 300 .* 276 4,000/ })).toBeVisible();
  await expect(page.getByText("the flash metadata leave no RAM")).toBeVisible();
  await expectAccessible(page, "simulate, metadata charged", [
    chart(page),
    page.getByText("the flash metadata leave no RAM"),
  ]);
});

test("two tiers with options of their policies, over RAM and over flash", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(
    page,
    "/simulate?contenders=policy:lru,scheme:lazy~ram_policy=2q~ram_k_in=0.3,flash_cache:face&sizes=100,1000&flash_sizes=2000,9000&measure=io_time",
  );
  await page.getByRole("button", { name: "Run the sweep" }).click();
  await expect(chart(page)).toBeVisible();
  await expect(
    page.getByRole("button", { name: "All replays are done" }),
  ).toBeVisible();
  await expect(chart(page)).toContainText(/priced with .+ and .+/);
  await choose(page, "Over flash");
  await expect(page).toHaveURL(/over=flash/);
  await expect(chart(page)).toContainText("RAM held at");
  await expectAccessible(page, "simulate, two tiers");
});

test("a sweep warms up until each cache is full", async ({ page }) => {
  await openReady(page, "/simulate?contenders=policy:lru&sizes=300,40000");
  await page.getByText("Until full", { exact: true }).click();
  await expect(page).toHaveURL(/warm_up=full/);
  await page.getByRole("button", { name: "Run the sweep" }).click();
  await expect(page.getByText(/the cache holds \d+ of its 40000 pages/)).toBeVisible();
  await page.getByText("Table", { exact: true }).first().click();
  await expect(
    page.getByRole("columnheader", { name: "Warm-up [accesses]" }),
  ).toBeVisible();
  await expectAccessible(page, "a sweep that warms up until full", [chart(page)]);
});

test("what is wrong with a sweep is said where it is", async ({ page }) => {
  await openReady(page, "/simulate?contenders=policy:lru,policy:mru&sizes=9..2x1");
  const refused = page.getByRole("alert");
  await expect(refused).toContainText("policy:mru");
  await expect(refused).toContainText("9..2x1");
  await page.goto("/simulate?contenders=policy:2q~k_in=7&sizes=100");
  await page.getByRole("button", { name: "Run the sweep" }).click();
  const problem = page.getByRole("alert");
  await expect(problem).toContainText("k_in=7");
  await expect(problem).toContainText("What to do:");
  await expectAccessible(page, "simulate, refused", [problem]);
  await page.goto("/simulate?contenders=none");
  await expect(page.getByText(/Nothing chosen yet/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Run the sweep" })).toBeDisabled();
  await page.goto("/simulate?sweep=no-such-sweep");
  await expect(page.getByRole("alert")).toContainText("no-such-sweep");
});

test("a pool split: estimate and simulation, and a slider that answers at once", async ({
  page,
}) => {
  await openReady(page, "/pool-split?ram_pages=700");
  const costs = page.getByRole("region", { name: /^Cost over the clean share/ });
  await expect(costs).toBeVisible();
  await expect(costs).toContainText("best replayed split");
  await expect(
    page.getByText(/costs 6\.33 page reads, as on Micron 9550 MAX 3\.2TB/),
  ).toBeVisible();
  await expectAccessible(page, "pool split");

  const slider = page.getByRole("slider", { name: "Asymmetry R" });
  const before = await textOf(page, costs.getByRole("heading"));
  await slider.press("PageUp");
  await expect(costs.getByRole("heading")).not.toHaveText(before);
  await expect(page).toHaveURL(/asymmetry=12\.7/);
  const heading = await textOf(page, costs.getByRole("heading"));
  await page.reload();
  await expect(costs.getByRole("heading")).toHaveText(heading);
  await expectAtOnce(page, slider, "ArrowRight", /\/pool-splits\/\w+\/costs/);

  await costs.getByRole("button", { name: "How is this computed?" }).click();
  await expect(
    costs.getByRole("rowheader", { name: "flow", exact: true }),
  ).toBeVisible();
  await expectAccessible(page, "pool split, derivation", [costs]);
  await choose(costs, "Table");
  await expect(costs.getByRole("columnheader", { name: /^Simulated/ })).toBeVisible();

  // R of another device, from the table of all.
  await page.getByLabel("Find a device by name").fill("MCAQE32G5APP");
  await page
    .getByRole("button", { name: /MCAQE32G5APP/ })
    .first()
    .click();
  await expect(page).toHaveURL(/flash_device=kv2009-samsung-mcaqe32g5app/);
  await expect(page).not.toHaveURL(/asymmetry=/);
  await expect(page.getByText(/A page write costs 238 page reads/)).toBeVisible();
  await expectAccessible(page, "pool split, device");
});

test("another buffer is another analysis", { tag: "@long" }, async ({ page }) => {
  await openReady(page, "/pool-split?ram_pages=50");
  const costs = page.getByRole("region", { name: /^Cost over the clean share/ });
  await expect(costs).toContainText("50 pages");
  const size = page.getByRole("textbox", { name: "Exact buffer size" });
  await size.fill("60");
  await size.press("Enter");
  await expect(costs).toContainText("60 pages");
  await page.goto("/runs");
  await page
    .getByRole("link", { name: /^Pool split of .* at 50 pages/ })
    .first()
    .click();
  await expect(page.getByRole("textbox", { name: "Exact buffer size" })).toHaveValue(
    "50 pages",
  );
});

test("a workload shows its drift", async ({ page }) => {
  await openReady(page, "/workloads/example");
  const drift = page.getByRole("region", { name: /^Miss ratio by window/ });
  await expect(drift).toBeVisible();
  await expect(drift.getByRole("heading")).toContainText(/Steady|Drift/);
  await choose(drift, "Table");
  await expect(
    drift.getByRole("columnheader", { name: "First touches" }),
  ).toBeVisible();
  await expectAccessible(page, "workload with windows", [drift]);
});

test("all sizes of one policy, estimated, beside exact LRU", { tag: "@long" }, async ({
  page,
}) => {
  await openReady(page, "/simulate");
  const policy = page.getByRole("combobox", {
    name: "Policy, scheme or flash cache",
  });
  await policy.click();
  await page.getByRole("option", { name: "CLOCK", exact: true }).click();
  await expect(page).toHaveURL(/estimated=policy%3Aclock|estimated=policy:clock/);
  const rate = page.getByRole("textbox", { name: "Pages sampled" });
  await rate.fill("250");
  await expect(page.getByText(/enter a number from 0\.01 to 100/)).toBeVisible();
  await rate.fill("25");
  await rate.press("Enter");
  // 32 pages in each of 8 miniatures
  await expect(
    page.getByText(/below 1,024 pages, .* the scaled caches are too small/),
  ).toBeVisible();
  await page.getByRole("button", { name: "Estimate all sizes" }).click();

  const estimate = page.getByRole("region", {
    name: /^Estimated hit ratio of CLOCK by size of/,
  });
  await expect(
    page.getByRole("button", { name: "All sizes are estimated" }),
  ).toBeVisible();
  await expect(estimate.getByRole("heading")).toContainText("of 12 sizes");
  await expect(estimate).toContainText(/CLOCK hits about .+ in 95\s% of samples/);
  await expectAccessible(page, "estimate", [estimate]);
  await choose(estimate, "Table");
  const table = estimate.getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(13);
  await expect(
    table.getByRole("columnheader", { name: "LRU hit ratio, exact" }),
  ).toBeVisible();
  const cells = await table.innerText();
  const file = await exported(page, estimate, "CSV numbers");
  const csv = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(csv).toHaveLength(13);

  // The run leads back to it, alone.
  await page.goto("/runs");
  await page
    .getByRole("link", { name: /^Estimate CLOCK over .* from 25 % of the pages/ })
    .first()
    .click();
  await expect(policy).toHaveValue("CLOCK");
  await choose(estimate, "Table");
  await expect.poll(() => table.innerText()).toBe(cells);
  await rate.fill("20");
  await rate.press("Enter");
  await expect(
    page.getByText(/estimate below is for another policy or cache/),
  ).toBeVisible();
});

test("flash below RAM is estimated, and refused where no sample represents it", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, "/simulate");
  const cache = page.getByRole("combobox", { name: "Policy, scheme or flash cache" });
  await cache.click();
  await page.getByRole("option", { name: "FaCE", exact: true }).click();
  const start = page.getByRole("button", { name: "Estimate all sizes" });
  await start.click();
  await expect(
    page.getByText(/batches of slots do not shrink with flash/),
  ).toBeVisible();

  await cache.click();
  await page.getByRole("option", { name: "LARC", exact: true }).click();
  const ram = page.getByRole("textbox", { name: "RAM above flash" });
  await ram.fill("3000");
  await ram.press("Enter");
  await expect(page).toHaveURL(/estimate_ram=3000/);
  await start.click();
  const estimate = page.getByRole("region", {
    name: /^Estimated misses of LARC by size of flash of/,
  });
  await expect(
    page.getByRole("button", { name: "All sizes are estimated" }),
  ).toBeVisible();
  await expect(estimate.getByRole("heading")).toContainText(/LARC misses about/);
  await expectAccessible(page, "estimate of flash", [estimate]);
  await choose(estimate, "Table");
  const table = estimate.getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(13);
  const cells = await table.innerText();

  // The run leads back to it, with its RAM.
  await page.goto("/runs");
  await page
    .getByRole("link", { name: /^Estimate LARC over/ })
    .first()
    .click();
  await expect(cache).toHaveValue("LARC");
  await expect(ram).toHaveValue(/^3,000/);
  await choose(estimate, "Table");
  await expect.poll(() => table.innerText()).toBe(cells);
});

test("the adaptive split is followed while a write gets dearer", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, "/pool-split?ram_pages=700");
  await page.getByRole("combobox", { name: "Change over the epochs" }).click();
  await page.getByRole("option", { name: /^RM1/ }).click();
  await expect(page).toHaveURL(/dynamics=rm1/);
  const card = page.getByRole("region", { name: /^The adaptive split of/ });
  await expect(card.getByRole("heading")).toContainText(/The adaptive split/);
  await expect(card).toContainText("The clean pool moves between");
  await page.getByRole("textbox", { name: "Time per estimation [s]" }).fill("0.9");
  await page.getByRole("textbox", { name: "Time per estimation [s]" }).press("Enter");
  await expect(card).toContainText("To keep estimation within 3 %");
  await card.getByText("Clean pool", { exact: true }).click();
  await card.getByRole("button", { name: "How is this computed?" }).click();
  await expect(card.getByText(/R_0 \(1 \+ 0\.1 i\)/)).toBeVisible();
  await expectAccessible(page, "adaptive split", [card]);
  await card.getByText("Table", { exact: true }).click();
  await expect(card.getByRole("row").nth(1)).toContainText("5,000");
  // The address alone brings the answer back.
  await page.reload();
  await expect(card.getByRole("heading")).toContainText(/The adaptive split/);
});
