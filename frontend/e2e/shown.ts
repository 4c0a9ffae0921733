import { expect, type Locator, type Page } from "@playwright/test";

/** Nothing on the page waits for another answer: what is read now stays until something is pressed. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
}

/**
 * The text of an element, as `toHaveText` compares it: the text of a row that `innerText` reads has tabs
 * between its cells, and would differ from the same row for ever.
 */
export async function textOf(page: Page, what: Locator): Promise<string> {
  await expect(what).not.toBeEmpty();
  await settled(page);
  return (await what.textContent()) ?? "";
}
