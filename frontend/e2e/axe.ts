import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

/**
 * No violation of WCAG 2.2 A and AA, in the light and in the dark theme: on the whole page, or in the
 * parts that a story has changed of one that another story looks at as a whole.
 */
export async function expectAccessible(
  page: Page,
  where: string,
  parts: readonly Locator[] = [],
): Promise<void> {
  for (const part of parts) {
    await part.evaluate((element) => element.setAttribute("data-looked-at", ""));
  }
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute(
      "data-mantine-color-scheme",
      colorScheme,
    );
    const axe = new AxeBuilder({ page });
    const { violations } = await (parts.length > 0
      ? axe.include("[data-looked-at]")
      : axe
    )
      .withTags([
        "wcag2a",
        "wcag2aa",
        "wcag21a",
        "wcag21aa",
        "wcag22aa",
        "best-practice",
      ])
      .analyze();
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`,
    );
    expect(found, `${where}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
  for (const part of parts) {
    await part.evaluate((element) => element.removeAttribute("data-looked-at"));
  }
}
