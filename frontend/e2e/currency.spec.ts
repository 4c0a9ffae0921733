import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";

test("costs in euros, from the picker to the address, the table and the next page", async ({
  page,
}) => {
  await page.goto("/compare?flash_pages=60000&ram_pages=30000");
  const costs = page.getByRole("columnheader", { name: /USD\/month/ }).first();
  await expect(costs).toBeVisible();
  await page.getByRole("button", { name: /^Hardware/ }).click();
  const picker = page.getByRole("combobox", { name: "Currency" });
  await picker.click();
  await picker.fill("EUR");
  await page.getByRole("option", { name: "EUR" }).click();
  await expect(page.getByText(/1 USD = 0\.88067 EUR on 2026-09-30/)).toBeVisible();
  await expect(page).toHaveURL(/currency=EUR/);
  await page.keyboard.press("Escape");
  await expect(
    page.getByRole("columnheader", { name: /EUR\/month/ }).first(),
  ).toBeVisible();
  await expect(page.getByRole("columnheader", { name: /USD\/month/ })).toHaveCount(0);
  await page
    .getByRole("navigation")
    .getByRole("link", { name: "DRAM or flash" })
    .first()
    .click();
  await expect(page).toHaveURL(/currency=EUR/);
  await expect(page.getByText(/ EUR/).first()).toBeVisible();
});

test("hardware in euros: prices as quoted beside them, and exports that name the rate", async ({
  page,
}) => {
  await page.goto("/hardware?currency=EUR&per_usd=0.5%402026-01-31");
  const devices = page.getByRole("region", { name: "Devices", exact: true });
  await expect(devices.getByRole("columnheader", { name: /EUR\/GB/ })).toBeVisible();
  await expect(devices.getByText(/ USD, 20/).first()).toBeVisible();
  await page
    .getByRole("button", { name: /^Prices of / })
    .first()
    .click();
  const book = page.getByRole("table", { name: /^Prices of / });
  await expect(book.getByRole("columnheader", { name: "As quoted" })).toBeVisible();
  await expect(book.getByRole("columnheader", { name: "In EUR" })).toBeVisible();

  const card = page.getByRole("region", { name: "Cost of a tier by device" });
  const exported = async (kind: string) => {
    const download = page.waitForEvent("download");
    await card.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: kind }).click();
    return readFileSync(await (await download).path(), "utf8");
  };
  const [head, ...rows] = (await exported("CSV numbers")).split("\r\n");
  expect(head).toContain("currency,per_usd,rate_date,rate_source");
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) {
    expect(row).toContain(",EUR,0.5,2026-01-31,");
  }
  expect(await exported("SVG picture")).toContain("1 USD = 0.5 EUR on 2026-01-31");
});
