import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { exported } from "./export";
import { openFromMenu } from "./menu";

test("hardware: an own device is copied, edited and deleted", async ({ page }) => {
  const name = `My drive ${Date.now().toString(36)}`;
  await page.goto("/hardware");
  await expect(
    page.getByRole("img", { name: /Service time over price/ }),
  ).toBeVisible();
  await expectAccessible(page, "hardware");

  await page.getByLabel("Find a device by name").fill("PM9A3 7.68TB");
  await page
    .getByRole("button", { name: /^Copy .*PM9A3 7.68TB/ })
    .first()
    .click();
  await page
    .getByRole("button", { name: /^Edit .*PM9A3 7.68TB/ })
    .first()
    .click();
  const editor = page.getByRole("dialog");
  await editor.getByRole("textbox", { name: "Name" }).fill(name);
  await editor.getByLabel("Value").first().fill("many");
  await editor.getByRole("button", { name: "Save", exact: true }).click();
  await expect(editor.getByText(/"many" is not a number/)).toBeVisible();
  await editor.getByLabel("Value").first().fill("7680");
  await expectAccessible(page, "device editor", [editor]);
  await editor.getByRole("button", { name: "Save", exact: true }).click();
  await expect(editor).toBeHidden();

  await page.getByLabel("Find a device by name").fill(name);
  await page.getByRole("button", { name: `Figures of ${name}` }).click();
  await expect(page.getByRole("table", { name: `Figures of ${name}` })).toBeVisible();
  await expectAccessible(page, "device figures", [
    page.getByRole("table", { name: `Figures of ${name}` }),
  ]);
  await page.getByRole("button", { name: `Delete ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No device has this name")).toBeVisible();
});

test("hardware: an own price book is added and deleted", async ({ page }) => {
  const name = `Our quote ${Date.now().toString(36)}`;
  await page.goto("/hardware");
  await page.getByRole("button", { name: "Add a price book" }).click();
  const editor = page.getByRole("dialog");
  await editor.getByRole("textbox", { name: "Name" }).fill(name);
  await editor.getByRole("textbox", { name: "Date" }).first().fill("2026-11-01");
  await editor.getByRole("combobox", { name: "For" }).click();
  await page.getByRole("option", { name: "DRAM", exact: true }).click();
  await editor.getByRole("textbox", { name: "Price" }).fill("9.75");
  await editor.getByRole("button", { name: "Save", exact: true }).click();
  await expect(editor.getByText("state the source of the price")).toBeVisible();
  await editor.getByRole("textbox", { name: "Source" }).fill("quote 4711");
  await editor.getByRole("button", { name: "Save", exact: true }).click();
  await expect(editor).toBeHidden();
  await page.getByRole("button", { name: `Prices of ${name}` }).click();
  await expect(page.getByRole("table", { name: `Prices of ${name}` })).toContainText(
    "9.75",
  );
  await page.getByRole("button", { name: `Delete ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("button", { name: `Prices of ${name}` })).toBeHidden();
});

test("runs and workloads list what was done", async ({ page }) => {
  await page.goto("/runs");
  await expect(page.getByRole("columnheader", { name: "Progress" })).toBeVisible();
  await expectAccessible(page, "runs");
  await page.goto("/workloads");
  await expect(page.getByRole("columnheader", { name: "Footprint" })).toBeVisible();
  await expectAccessible(page, "workloads");
});

test("the keyboard reaches everything", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard" });
  await expect(keys).toBeVisible();
  await expectAccessible(page, "keys", [keys]);
  await page.keyboard.press("Escape");
  // Closed, it gives the focus back, and not after the next key.
  await expect(keys).toBeHidden();
  await page.keyboard.press("/");
  const search = page.getByRole("combobox", { name: /^Search/ });
  await expect(search).toBeFocused();
  await search.fill("hardw");
  await expectAccessible(page, "search");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/hardware/);
});

test("the colour scheme can be set by hand and stays", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: /^Colours: System/ }).click();
  await page.getByRole("button", { name: /^Colours: Light/ }).click();
  await expect(page.locator("html")).toHaveAttribute(
    "data-mantine-color-scheme",
    "dark",
  );
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute(
    "data-mantine-color-scheme",
    "dark",
  );
});

test("on a phone every page can be read without sideways scrolling", {
  tag: "@long",
}, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  for (const path of [
    "/",
    "/workloads",
    "/workloads/example",
    "/given-curve",
    "/hardware",
    "/advise",
    "/compare",
    "/scheme-map",
    "/pool-split",
    "/wear",
    "/flash-device",
    "/transactions",
    "/dram-or-flash",
    "/throughput",
    "/simulate",
    "/formulas?formula=face.bottleneck",
    "/docs?operation=ask_compare",
    "/runs",
    "/scenarios",
  ]) {
    await page.goto(path, { waitUntil: "networkidle" });
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, path).toBeLessThanOrEqual(0);
  }
});

test("the chart exports PNG, SVG and CSV", async ({ page }) => {
  await page.goto("/workloads/example");
  const card = page.getByRole("region", { name: /^Hit ratio over cache size/ });
  await expect(card).toBeVisible();
  for (const [item, ending] of [
    ["PNG picture", ".png"],
    ["SVG picture", ".svg"],
    ["CSV numbers", ".csv"],
  ] as const) {
    const file = await exported(page, card, item);
    expect(file.suggestedFilename()).toMatch(new RegExp(`${ending}$`));
  }
});

test("what was chosen stays while looking at other pages", async ({ page }) => {
  await page.goto("/compare");
  const field = page.getByRole("textbox", { name: "Exact RAM size" });
  await expect(page.getByRole("cell", { name: "best", exact: true })).toBeVisible();
  const before = await field.inputValue();
  await page.getByRole("slider", { name: "RAM size" }).press("PageUp");
  await expect(page).toHaveURL(/price_book=.*ram_pages=\d+|ram_pages=\d+.*price_book=/);
  await expect(field).not.toHaveValue(before);
  const ram = await field.inputValue();
  await expect(page).toHaveURL(new RegExp(`ram_pages=${ram.replace(/\D/g, "")}`));
  await openFromMenu(page, "Library", "Runs");
  await expect(page.getByRole("heading", { level: 1, name: "Runs" })).toBeVisible();
  await openFromMenu(page, "Explore", "Compare");
  await expect(page.getByRole("textbox", { name: "Exact RAM size" })).toHaveValue(ram);
});

test("the menu: what to buy first, and the pages of a place by keys alone", async ({
  page,
}) => {
  await page.goto("/");
  const menu = page.getByRole("navigation", { name: "Pages" });
  await expect(menu.getByRole("link").first()).toHaveText("Advise");
  await expect(menu.locator("[aria-current]")).toHaveCount(0);
  const explore = menu.getByRole("button", { name: "Explore" });
  await expect(explore).toHaveAttribute("aria-expanded", "false");
  await explore.press("Enter");
  await expect(explore).toHaveAttribute("aria-expanded", "true");
  await expectAccessible(page, "the menu", [menu]);
  await expect(menu.getByRole("menuitem", { name: "Compare" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(menu.getByRole("menuitem", { name: "Scheme map" })).toBeFocused();
  await page.keyboard.press("End");
  await expect(menu.getByRole("menuitem").last()).toBeFocused();
  await page.keyboard.press("Space");
  await expect(page).toHaveURL(/\/flash-device/);
  await expect(menu.getByRole("menuitem")).toHaveCount(0);
  await expect(explore).toHaveAttribute("aria-current", "true");
  await openFromMenu(page, "Advise");
  await expect(menu.locator("[aria-current]")).toHaveText("Advise");
});
