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
  await page.getByRole("combobox", { name: "Upwards" }).click();
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
