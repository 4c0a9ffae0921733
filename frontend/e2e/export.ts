import { type Download, expect, type Locator, type Page } from "@playwright/test";

/** Exports what a card shows as a user does; the menu is closed again when this returns. */
export async function exported(
  page: Page,
  card: Locator,
  item: "CSV numbers" | "PNG picture" | "SVG picture",
): Promise<Download> {
  const saving = page.waitForEvent("download");
  await card.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: item }).click();
  const file = await saving;
  await expect(page.getByRole("menuitem", { name: item })).toHaveCount(0);
  return file;
}
