import { expect, type Locator, type Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";
import { settled } from "./shown";

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
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute(
      "data-mantine-color-scheme",
      colorScheme,
    );
    expect(
      await violations(page, parts, RULES[colorScheme]),
      `${where}, ${colorScheme}`,
    ).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await unmark(page);
}

const MARK = "data-looked-at";

/** How many elements the parts are; each is marked once, and nothing else is. */
async function mark(page: Page, parts: readonly Locator[]): Promise<number> {
  await unmark(page);
  let marked = 0;
  for (const part of parts) {
    // A card whose table is shown holds a region of the same name, which scrolls.
    await expect(part.first()).toBeVisible();
    marked += await part.evaluateAll((elements, name) => {
      const others = elements.filter((element) => !element.hasAttribute(name));
      for (const element of others) {
        element.setAttribute(name, "");
      }
      return others.length;
    }, MARK);
  }
  return marked;
}

async function unmark(page: Page): Promise<void> {
  await page.locator(`[${MARK}]`).evaluateAll((elements, name) => {
    for (const element of elements) {
      element.removeAttribute(name);
    }
  }, MARK);
}

/**
 * What axe finds in the parts, or on the whole page. No page has frames: axe runs in the page itself,
 * which spares the second page, in which its usual runner puts together what it found in several frames.
 */
async function violations(
  page: Page,
  parts: readonly Locator[],
  rules: RunOptions,
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(axe.source);
  }
  let found: readonly string[] | null = null;
  // A part whose answer arrives between the mark and the look is another element, and is marked anew.
  await expect(async () => {
    await settled(page);
    const marked = parts.length > 0 ? await mark(page, parts) : null;
    found = await look(page, marked, rules);
    expect(found, "the marked parts stayed on the page").not.toBeNull();
  }).toPass({ timeout: 90_000 });
  return found ?? [];
}

/** What axe finds, as a line for each rule; null if a marked part has left the page. */
async function look(
  page: Page,
  marked: number | null,
  rules: RunOptions,
): Promise<readonly string[] | null> {
  return page.evaluate(
    async ([name, expected, options]) => {
      const selector = expected === null ? "html" : `[${name}]`;
      const isWhole = () =>
        expected === null || document.querySelectorAll(selector).length === expected;
      // What lies half under the bar at the top is only scrolled so: it is no small target.
      window.scrollTo({ top: 0, behavior: "instant" });
      if (!isWhole()) {
        return null;
      }
      const { axe: injected } = window as unknown as { axe: typeof axe };
      const found = await injected.run(selector, options);
      return isWhole()
        ? found.violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`,
          )
        : null;
    },
    [MARK, marked, rules] as const,
  );
}
