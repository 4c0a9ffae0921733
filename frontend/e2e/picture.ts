import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";

const folder = process.env["TIERWRIGHT_PICTURES"];

/**
 * Keeps what a story shows for the docs, where `make pictures` asks for it: what is named stands at
 * the top of the picture.
 */
export async function picture(page: Page, name: string, at: Locator): Promise<void> {
  if (folder === undefined) {
    return;
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await at.evaluate((element) => {
    const header =
      document.querySelector("header")?.getBoundingClientRect().height ?? 0;
    const top = element.getBoundingClientRect().top + window.scrollY;
    window.scrollTo(0, Math.max(top - header - 12, 0));
  });
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
