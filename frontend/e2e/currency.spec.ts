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
