import { expect, type Locator, type Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";

/**
 * Rules of WCAG 2.2 A and AA, and what is good practice beyond. Of what passes nothing is told. A theme
 * is a set of colours: what does not rest on them is looked at once.
 */
const RULES: { readonly light: RunOptions; readonly dark: RunOptions } = {
  light: {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
  },
  dark: {
    runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
    resultTypes: ["violations"],
  },
};

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
    // A card whose table is shown holds a region of the same name, which scrolls.
    await expect(part.first()).toBeVisible();
    await part.evaluateAll((elements) => {
      for (const element of elements) {
        element.setAttribute("data-looked-at", "");
      }
    });
  }
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute(
      "data-mantine-color-scheme",
      colorScheme,
    );
    expect(
      await violations(
        page,
        parts.length > 0 ? "[data-looked-at]" : "html",
        RULES[colorScheme],
      ),
      `${where}, ${colorScheme}`,
    ).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("[data-looked-at]").evaluateAll((elements) => {
    for (const element of elements) {
      element.removeAttribute("data-looked-at");
    }
  });
}

/**
 * What axe finds in what a selector chooses. No page has frames: axe runs in the page itself, which
 * spares the second page, in which its usual runner puts together what it found in several frames.
 */
async function violations(
  page: Page,
  within: string,
  rules: RunOptions,
): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(axe.source);
  }
  // What lies half under the bar at the top is only scrolled so: it is no small target.
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
  return page.evaluate(
    async ([selector, options]) => {
      const { axe: injected } = window as unknown as { axe: typeof axe };
      const found = await injected.run(selector, options);
      return found.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`,
      );
    },
    [within, rules] as const,
  );
}
