import { readFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";
import { exported } from "./export";

// A device on which the schemes differ clearly.
const CLEAR =
  "flash_device=kv2009-intel-x25e&disk_device=face2016-cheetah-15k6-single&x=ram_pages&y=flash_pages";

const map = (page: Page) => page.getByRole("region", { name: /^Scheme map of/ });

test("scheme map: read it, move by press and by key, explain, compare", async ({
  page,
}) => {
  await openReady(page, `/scheme-map?${CLEAR}`);
  await expect(map(page).getByRole("heading")).toContainText(/of the map|everywhere/);
  await expect(page.getByRole("img", { name: /^Scheme map of/ })).toContainText(
    "you are here",
  );
  await expectAccessible(page, "scheme map");

  // By press: the sizes of the cell become those of every page.
  const sizes = () => new URL(page.url()).searchParams.get("ram_pages");
  const before = sizes();
  const drawing = page.getByRole("img", { name: /^Scheme map of/ });
  // A press before there is a chart would move nothing.
  await expect(drawing).toHaveAttribute("data-ready", "true");
  await drawing.click({ position: { x: 330, y: 120 } });
  await expect.poll(sizes).not.toBe(before);

  // By key: one step to the right is one grid point.
  const pressed = Number(sizes());
  await page.getByRole("slider", { name: /Move across/ }).press("ArrowRight");
  await expect.poll(() => Number(sizes())).toBeGreaterThan(pressed);

  // Every figure opens its derivation, which ends in that figure.
  const why = page.getByRole("button", { name: /^Why this number: Lazy,/ });
  await why.click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText(/C3 = m_r/)).toBeVisible();
  await expectAccessible(page, "derivation of a point", [dialog]);
  await page.keyboard.press("Escape");

  await page.getByRole("link", { name: "Compare at this point" }).click();
  await expect(page).toHaveURL(/\/compare\?/);
  expect(Number(sizes())).toBeGreaterThan(pressed);
});

test("scheme map: axes, metadata, money, table and exports", async ({ page }) => {
  await openReady(page, `/scheme-map?${CLEAR}`);
  await page.getByRole("combobox", { name: "Upwards", exact: true }).click();
  await page.getByRole("option", { name: "Dirty share" }).click();
  await expect(page).toHaveURL(/y=dirty_share/);
  await expect(map(page)).toContainText("dirty share of evicted pages");

  await page.getByRole("combobox", { name: /Flash metadata in RAM/ }).click();
  await page.getByRole("option", { name: "flashcache" }).click();
  await expect(page.getByText(/of which flash metadata leaves/)).toBeVisible();

  await map(page).getByText("Price x time", { exact: true }).click();
  await expect(map(page).getByRole("heading")).toContainText("By price times I/O time");

  await map(page).getByText("Table", { exact: true }).click();
  await expect(map(page).getByRole("row")).toHaveCount(65);
  await expectAccessible(page, "scheme map, table", [map(page)]);
  for (const [item, ending] of [
    ["PNG picture", ".png"],
    ["SVG picture", ".svg"],
    ["CSV numbers", ".csv"],
  ] as const) {
    const file = await exported(page, map(page), item);
    expect(file.suggestedFilename()).toMatch(new RegExp(`${ending}$`));
    if (ending === ".csv") {
      const lines = readFileSync(await file.path(), "utf8").split("\r\n");
      expect(lines).toHaveLength(1 + 64 * 64);
      expect(lines[0]).toContain("Lazy [µs/access]");
    }
  }

  // A range that cannot be is said at once, and the map stays.
  const to = page.getByRole("textbox", { name: "Upwards, to" });
  await to.fill("3");
  await to.press("Enter");
  await expect(page.getByText("Use a share of at most 1")).toBeVisible();

  // The link alone restores the screen.
  const address = page.url();
  await page.goto("/");
  await page.goto(address);
  await expect(page.getByText(/of which flash metadata leaves/)).toBeVisible();
  await expect(map(page).getByRole("heading")).toContainText("By price times I/O time");
});

// A device that states the rates at which flash caches write batches.
const BATCHES =
  "ram_pages=1000&flash_pages=4000&flash_device=face2016-samsung-840pro-256&disk_device=face2016-cheetah-15k6-single&x=ram_pages&y=flash_pages";
// Enough replays that a job makes them, also where their accesses are few.
const CACHES = "larc,lazy_cleaning,tac,exadata,flashcache";

test("scheme map: points are replayed with flash caches, cancelled, started again", async ({
  page,
}) => {
  await openReady(page, `/scheme-map?${BATCHES}&caches=${CACHES}`);
  const panel = page
    .locator("section.tw-panel")
    .filter({ has: page.getByRole("heading", { name: /^Replay points all over/ }) });
  // The caches are those of the panel above, where one more is chosen.
  await expect(panel).toContainText("LARC, ");
  const field = page.getByRole("combobox", { name: "Flash caches" });
  await field.fill("FaCE");
  await page.getByRole("option", { name: "FaCE", exact: true }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/caches=.*face/);
  await expect(panel).toContainText("FaCE");
  await panel.getByRole("combobox", { name: "Points across" }).selectOption("5");
  await panel.getByRole("combobox", { name: "Points upwards" }).selectOption("5");
  await expect(page).toHaveURL(/x_points=5/);
  await expect(page).toHaveURL(/y_points=5/);

  // It takes longer than a request: its progress is shown, and it can be cancelled.
  const start = panel.getByRole("button", { name: "Replay points" });
  await start.click();
  const progress = panel.getByRole("progressbar");
  await expect(progress).toBeVisible();
  await panel.getByRole("button", { name: "Cancel" }).click();
  await expect(panel.getByText(/: cancelled/)).toBeVisible();
  await expectAccessible(page, "replay of points, cancelled", [panel]);
  const replayed = page.getByRole("region", { name: /^Points of the scheme map of/ });
  await expect(replayed).toHaveCount(0);

  // Started again, it ends: a mark at every point, the sentence, and the fastest of all.
  await expect(start).toBeEnabled();
  await start.click();
  await expect(replayed.getByRole("heading")).toContainText(
    /Model and replay name (the same|different) page-flow schemes? at/,
  );
  await expect(replayed.getByRole("heading")).toContainText(
    /A flash cache is faster than every page-flow scheme|No flash cache is faster than/,
  );
  await expect(replayed).toContainText("at 25 points");
  const winners = replayed.getByRole("list", { name: "Fastest by replay" });
  const keys = winners.getByRole("listitem").filter({ hasNotText: /^[≠?]/ });
  const marks = (await keys.allTextContents()).map((text) =>
    Number(/at ([\d,]+) points?$/.exec(text)?.[1]),
  );
  expect(marks.reduce((sum, count) => sum + count, 0)).toBe(25);
  await expect(
    page.getByRole("img", { name: /^Points of the scheme map of/ }),
  ).toHaveAttribute("data-ready", "true");
  await expectAccessible(page, "points by replay", [replayed]);

  await replayed.getByText("Table", { exact: true }).click();
  await expect(replayed.getByRole("row")).toHaveCount(1 + 25);
  await expect(
    replayed.getByRole("columnheader", { name: "Fastest flash cache" }),
  ).toBeVisible();
  await expectAccessible(page, "points by replay, table", [replayed]);
  const file = await exported(page, replayed, "CSV numbers");
  const lines = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines).toHaveLength(1 + 25);
  expect(lines[0]).toContain("Flash cache saves [%]");
  expect(lines[1]).toMatch(/,(yes|no),/);
});
