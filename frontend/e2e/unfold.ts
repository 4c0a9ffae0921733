import { expect, type Locator, type Page } from "@playwright/test";

/** Shows a note of an answer, which stands folded among the assumptions where it changes nothing. */
export async function showNote(page: Page, text: RegExp): Promise<Locator> {
  const note = page.getByRole("listitem").filter({ hasText: text }).first();
  const anywhere = page.locator("li").filter({ hasText: text }).first();
  await expect(anywhere).toBeAttached();
  const folded = page.locator("details:not([open])").filter({ has: anywhere });
  // The next answer may fold it, where the last one showed it.
  await expect(async () => {
    if ((await folded.count()) > 0) {
      await folded.first().locator("summary").click({ timeout: 5_000 });
    }
    await expect(note).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 90_000 });
  // Below the bar at the top a button may be hidden half, which is no fault of its size.
  await page.evaluate(() => window.scrollTo(0, 0));
  return note;
}
