/** What has to be in sight without scrolling, at the sizes of a laptop and a phone. */
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { cutTrace, emptyFile } from "./trace-file";

const LAPTOP = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };

/** The page does not scroll sideways, once it is laid out for the size of its screen. */
async function expectNoSideways(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          document.documentElement.scrollWidth - document.documentElement.clientWidth,
      ),
    )
    .toBe(0);
}

/** It is all on the screen, once the page is laid out and what stands above it is there. */
async function expectWithin(page: Page, what: Locator): Promise<void> {
  await expect(async () => {
    const box = await what.boundingBox({ timeout: 5_000 });
    const view = page.viewportSize();
    expect(box).not.toBeNull();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(view?.height ?? 0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(view?.width ?? 0);
  }).toPass({ timeout: 30_000 });
}

test("an upload is confirmed, and an empty file refused, without scrolling", async ({
  page,
}) => {
  await page.setViewportSize(LAPTOP);
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(emptyFile());
  await expect(page.getByRole("alert")).toContainText("empty.csv");
  await expectWithin(page, page.getByRole("alert"));
  await page.getByLabel("Trace file").setInputFiles(cutTrace());
  await expect(page).toHaveURL(/\/uploads\//);
  const confirm = page.getByRole("button", { name: "Import trace" });
  await expect(confirm).toBeEnabled();
  await expectWithin(page, confirm);
  await page.setViewportSize(PHONE);
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectWithin(page, confirm);
});

test("a phone shows which page is open, and the chips in full", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto("/scenarios");
  const menu = page.getByRole("navigation", { name: "Pages" });
  const active = menu.locator("[aria-current]");
  await expect(active).toHaveText(/^Library/);
  await expectWithin(page, active);
  await expectNoSideways(page);
  // The last list opens within the screen, and marks its page.
  await active.press("ArrowDown");
  const entry = menu.locator('[role=menuitem][aria-current="page"]');
  await expect(entry).toHaveText("Scenarios");
  await expectWithin(page, entry);
  await expectNoSideways(page);
  await expectAccessible(page, "an open menu", [menu]);
  await page.keyboard.press("Escape");
  await expect(entry).toHaveCount(0);
  await expect(active).toBeFocused();
  await page.goto("/compare");
  await expect(active).toHaveText(/^Explore/);
  await expectWithin(page, active);
  const hardware = page.getByRole("button", { name: /^Hardware/ });
  await expect(hardware.getByText(/Street prices/)).toBeVisible();
  await expectWithin(page, hardware.getByText(/Street prices/));
  await expectNoSideways(page);
  await page.setViewportSize(LAPTOP);
  await expectWithin(page, hardware.getByText(/Street prices/));
});

test("a long name pushes nothing off the screen", { tag: "@long" }, async ({
  page,
}) => {
  const name = "without_any_place_to_break".repeat(7);
  const listed = await page.request.get("/api/v1/workloads");
  const { items } = (await listed.json()) as {
    items: { id: string; example: boolean }[];
  };
  const workload = items.find(({ example }) => example);
  const address = `/api/v1/workloads/${workload?.id}`;
  const before = ((await (await page.request.get(address)).json()) as { name: string })
    .name;
  await page.request.patch(address, { data: { name } });
  try {
    for (const size of [LAPTOP, PHONE]) {
      await page.setViewportSize(size);
      for (const path of [
        "/workloads",
        `/workloads/${workload?.id}`,
        "/compare",
        "/",
      ]) {
        await page.goto(path);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await expect(page.getByText(name).first()).toBeAttached();
        await expectNoSideways(page);
      }
    }
    await page.setViewportSize(LAPTOP);
    await page.goto("/workloads");
    // Uploads that wait stand above the table, however many there are.
    const added = page.getByRole("columnheader", { name: "Added" });
    // Another story may add one between the scrolling and the look.
    await expect(async () => {
      await added.scrollIntoViewIfNeeded();
      const box = await added.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(LAPTOP.height);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(LAPTOP.width);
    }).toPass({ timeout: 30_000 });
    // On a phone a name takes a few lines, not one for each word.
    await page.request.patch(address, {
      data: { name: "One of many quite short words" },
    });
    await page.setViewportSize(PHONE);
    await page.reload();
    const link = page.getByRole("link", { name: "One of many quite short words" });
    await expect
      .poll(async () => (await link.boundingBox())?.height)
      .toBeLessThanOrEqual(3 * 24);
  } finally {
    await page.request.patch(address, { data: { name: before } });
  }
});

test("sizes, chart and cost keep to what is sold", async ({ page }) => {
  await page.goto("/compare");
  const ram = page.getByRole("textbox", { name: "Exact RAM size" });
  const sold = page.getByRole("checkbox", { name: "Only sizes that can be bought" });
  await expect(page.getByRole("cell", { name: "best", exact: true })).toBeVisible();
  await expect(ram).not.toHaveValue(/GiB|2,097,152/);
  const before = await ram.inputValue();
  await sold.check();
  // A recording of some hundred MiB is below a single module: its sizes stay free.
  await expect(page.getByText(/RAM: what is sold starts at 16 GiB/)).toBeVisible();
  await expect(ram).toHaveValue(before);
  await page.getByRole("link", { name: "Scale it to production" }).click();
  await expect(page).toHaveURL(/\/workloads\/example.*#production/);
  await expect(page.getByRole("heading", { name: /production/i })).toBeVisible();

  const made = await page.request.post("/api/v1/workloads/example/scaled", {
    data: {
      name: "Sizes that are sold",
      data_bytes: 4 * 2 ** 40,
      accesses_per_s: 80_000,
      machines: 2,
    },
  });
  expect(made.status()).toBe(201);
  const { id } = await made.json();
  try {
    await page.goto(`/compare?workload=${id}&ram_pages=16252928`);
    // 124 GiB in pages of 8 KiB: an instance that is rented, and no multiple of a module.
    await expect(sold).toBeChecked();
    await expect(page.getByText("They are of each of 2 machines.")).toBeVisible();
    await expect(ram).toHaveValue(/^16,?252,?928 pages$|^124 GiB$/);
    await ram.fill("70 GiB");
    await ram.press("Enter");
    await expect(ram).toHaveValue(/^8,?388,?608 pages$|^64 GiB$/);
    const slider = page.getByRole("slider", { name: "RAM size" });
    await slider.press("ArrowRight");
    await expect(page).toHaveURL(/ram_pages=12582912/);
    await expect(ram).toHaveValue(/^12,?582,?912 pages$|^96 GiB$/);
  } finally {
    await page.request.delete(`/api/v1/workloads/${id}`);
  }
});
