import type { Page } from "@playwright/test";

/** Opens the form of an advice, which is folded over its answer; one that is open stays so. */
export async function changeAsked(page: Page): Promise<void> {
  const panel = page.getByRole("region", { name: "What is asked" });
  const toggle = panel.locator("button[aria-controls]").first();
  if ((await toggle.getAttribute("aria-expanded")) === "false") {
    await toggle.click();
  }
}
