import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { exported } from "./export";
import { openFromMenu } from "./menu";

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
  await openFromMenu(page, "Explore", "DRAM or flash");
  await expect(page).toHaveURL(/currency=EUR/);
  await expect(page.getByText(/ EUR/).first()).toBeVisible();
});

test("hardware in euros: prices as quoted beside them, and exports that name the rate", {
  tag: "@long",
}, async ({ page }) => {
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
  const numbers = await exported(page, card, "CSV numbers");
  const [head, ...rows] = readFileSync(await numbers.path(), "utf8").split("\r\n");
  expect(head).toContain("currency,per_usd,rate_date,rate_source");
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) {
    expect(row).toContain(",EUR,0.5,2026-01-31,");
  }
  const picture = await exported(page, card, "SVG picture");
  expect(readFileSync(await picture.path(), "utf8")).toContain(
    "1 USD = 0.5 EUR on 2026-01-31",
  );
});

test("a price book in euros: its rate, a conflict, and what was typed is not lost", {
  tag: "@long",
}, async ({ page }) => {
  const name = `Euro list ${Date.now()}`;
  const dialog = page.getByRole("dialog");
  const price = dialog.getByLabel("Price", { exact: true });
  const save = dialog.getByRole("button", { name: "Save", exact: true });
  await page.goto("/hardware");
  await page.getByRole("button", { name: "Add a price book" }).click();
  await dialog.getByLabel("Name").fill(name);
  await dialog
    .getByRole("textbox", { name: "Date", exact: true })
    .first()
    .fill("2026-09-30");
  await dialog.getByLabel("Currency").fill("eur");
  await expect(dialog.getByLabel("EUR for 1 USD")).toHaveValue("0.8806693");
  await dialog.getByRole("combobox", { name: "For", exact: true }).click();
  await page.getByRole("option", { name: "Hard disk", exact: true }).click();
  await price.fill("0.02");
  await dialog.getByLabel("Source", { exact: true }).fill("quote 17");
  await save.click();
  await expect(dialog).toBeHidden();

  await page.getByRole("button", { name: `Edit ${name}` }).click();
  // Meanwhile somebody else saves it.
  const books = "/api/v1/catalog/price-books";
  const listed = (await (await page.request.get(books)).json()) as {
    items: { id: string; name: string }[];
  };
  const id = listed.items.find((book) => book.name === name)?.id ?? "";
  const stored = await (await page.request.get(`${books}/${id}`)).json();
  const changed = await page.request.put(`${books}/${id}`, {
    data: {
      name,
      date: stored.date,
      currency: "EUR",
      exchange_rates: stored.exchange_rates.map(
        ({ caution: _, ...rate }: { caution: string | null }) => rate,
      ),
      prices: [{ kind: "hdd", per_gb: "0.03", source: "quote 18" }],
    },
  });
  expect(changed.ok()).toBe(true);
  await price.fill("0.04");
  // Esc would lose what was typed.
  await page.keyboard.press("Escape");
  await expect(price).toHaveValue("0.04");
  await save.click();
  await expect(dialog.getByRole("alert")).toContainText("was changed elsewhere");
  await expect(price).toHaveValue("0.04");
  await dialog.getByRole("button", { name: "Discard my changes" }).click();
  await expect(price).toHaveValue("0.03");
  await price.fill("0.05");
  await save.click();
  await expect(dialog).toBeHidden();
  const table = page.getByRole("table", { name: `Prices of ${name}` });
  await page.getByRole("button", { name: `Prices of ${name}` }).click();
  await expect(table.getByRole("row", { name: /Hard disk/ })).toContainText("0.0500");
  expect((await page.request.delete(`${books}/${id}`)).ok()).toBe(true);
});
