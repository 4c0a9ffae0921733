import type { Page } from "@playwright/test";

/** What there is today, as a planner states it: nothing is filled in beforehand. */
export interface Today {
  /** [GiB] */
  readonly ram: string;
  /** Words that find the device in the list. */
  readonly disk: RegExp;
  readonly disks: string;
  /** [USD/month] */
  readonly cost: string;
}

/** Opens the fold, and states what there is; the cost last. */
export async function stateToday(page: Page, today: Today): Promise<void> {
  await page.getByRole("button", { name: /What you have now/ }).click();
  await page.getByRole("button", { name: "State what you have", exact: true }).click();
  const owned = page.getByRole("region", { name: "What you have now" });
  const type = async (label: string, value: string) => {
    const field = owned.getByRole("textbox", { name: label, exact: true });
    await field.fill(value);
    await field.press("Enter");
  };
  await type("RAM for pages", today.ram);
  await owned.getByRole("combobox", { name: "What holds the data" }).click();
  await page.getByRole("option", { name: today.disk }).first().click();
  await type("How many of these", today.disks);
  await type("Cost per month", today.cost);
}
