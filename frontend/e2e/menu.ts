import { expect, type Page } from "@playwright/test";

/** Opens a page as a user does: by its entry of the menu, or in the list of the place that holds it. */
export async function openFromMenu(
  page: Page,
  place: "Advise" | "Workloads" | "Hardware" | "Explore" | "Library",
  label?: string,
): Promise<void> {
  const menu = page.getByRole("navigation", { name: "Pages" });
  if (label === undefined) {
    await menu.getByRole("link", { name: place, exact: true }).click();
    return;
  }
  await menu.getByRole("button", { name: place, exact: true }).click();
  await menu.getByRole("menuitem", { name: label, exact: true }).click();
  await expect(menu.getByRole("menuitem")).toHaveCount(0);
}
