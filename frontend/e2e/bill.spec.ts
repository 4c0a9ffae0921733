import { expect, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { textOf } from "./shown";

const form = (page: Page) => page.getByRole("region", { name: "Bill", exact: true });

async function fill(page: Page, name: string, value: string, group?: string) {
  const within =
    group === undefined ? form(page) : form(page).getByRole("group", { name: group });
  const field = within.getByRole("textbox", { name });
  await field.fill(value);
  await field.press("Enter");
}

test("hardware: a bill is made and compared, and limits are named", async ({
  page,
}) => {
  await page.goto("/hardware");
  const card = page.getByRole("region", { name: "Rent against purchase" });
  const rented = page.getByRole("table", { name: "Lines of aws-i4i.4xlarge" });
  // 1.373 USD per hour for 730 hours, to the cent.
  await expect(rented).toContainText("1,002.29");
  await expect(rented).toContainText("Sum: 1,002.29 USD per month");
  await expect(card.getByRole("heading")).toContainText("over 36 months");
  // No chassis has a list price: until one is stated, the purchase is a lower bound.
  const built = page.getByRole("table", { name: "Lines of Built from parts" });
  await expect(built).toContainText("a lower bound");
  await fill(page, "Your price of one", "9000", "Part 1 of each machine");
  await expect(built).not.toContainText("a lower bound");
  await expect(built).toContainText("9,000.00");

  await fill(page, "Compared over", "60");
  await expect(card.getByRole("heading")).toContainText("over 60 months");

  // Carbon is a range once factors are stated, and what is left out is named.
  await fill(page, "Electricity (kg per kWh)", "0.2 to 0.4");
  const carbon = page.getByRole("table", { name: "Carbon of Built from parts" });
  // 400 W x 1.5 x 730 h x 60 months.
  await expect(carbon).toContainText("26,280");
  await expect(carbon).toContainText("5,260 to 10,500");
  await expect(
    page.getByRole("list", { name: "Not counted in the carbon of aws-i4i.4xlarge" }),
  ).toContainText("Electricity of aws-i4i.4xlarge: no source states the power");

  // Two kinds of volumes, one of them above what one volume may have.
  await form(page).getByRole("button", { name: "Add volumes" }).click();
  await expect(rented).toContainText("aws-ebs-gp3, capacity");
  await form(page).getByRole("button", { name: "Add volumes" }).click();
  await fill(page, "Size of one", "100000", "Volumes 2 of each machine");
  const limit = page.getByRole("alert").filter({ hasText: "A limit is exceeded" });
  await expect(limit).toContainText("100,000 GiB are more than the 65,536 GiB");
  await expectAccessible(page, "bill with two volumes and a limit", [
    form(page),
    card,
    rented,
    built,
    carbon,
    limit,
  ]);

  // A chassis that states no bays for its drive.
  const chassis = form(page).getByRole("group", { name: "Part 1 of each machine" });
  await chassis.getByRole("combobox", { name: "Part" }).click();
  await page.getByRole("option", { name: /PowerEdge R770/ }).click();
  await expect(
    limit.filter({ hasText: "states no bays for a NVMe drive" }),
  ).toBeVisible();
});

test("hardware: a bill is opened again by its link, and lines are removed", {
  tag: "@long",
}, async ({ page }) => {
  await page.goto("/hardware");
  const card = page.getByRole("region", { name: "Rent against purchase" });
  const rented = page.getByRole("table", { name: "Lines of aws-i4i.4xlarge" });
  await expect(rented).toContainText("1,002.29");
  await fill(page, "Compared over", "60");
  await form(page).getByRole("button", { name: "Add volumes" }).click();
  await form(page).getByRole("button", { name: "Add volumes" }).click();
  await fill(page, "Size of one", "100000", "Volumes 2 of each machine");
  const limit = page.getByRole("alert").filter({ hasText: "A limit is exceeded" });
  await expect(limit).toContainText("65,536 GiB");

  // The link holds every line.
  const heading = await textOf(page, card.getByRole("heading"));
  const sum = await rented.locator("tfoot").innerText();
  await form(page).getByRole("button", { name: "Copy link" }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto("/hardware");
  await expect(card.getByRole("heading")).toContainText("over 36 months");
  await page.goto(link);
  await expect(card.getByRole("heading")).toHaveText(heading);
  await expect(rented.locator("tfoot")).toHaveText(sum);
  await expect(
    form(page).getByRole("group", { name: "Volumes 2 of each machine" }),
  ).toBeVisible();

  // Lines can be removed again, and the currency is that of the page.
  await form(page).getByRole("button", { name: "Remove volumes 2" }).click();
  await expect(limit.filter({ hasText: "65,536 GiB" })).toHaveCount(0);
  await form(page).getByRole("button", { name: "Remove volumes 1" }).click();
  await expect(rented).toContainText("Sum: 1,002.29 USD per month");
  const plain = new URL(page.url());
  plain.searchParams.set("currency", "EUR");
  await page.goto(plain.href);
  await expect(rented).toContainText("EUR per month");
  await expect(rented).not.toContainText("Sum: 1,002.29");
  await expect(card.getByRole("heading")).toContainText("EUR");
});

test("hardware: what a link states wrongly is named", async ({ page }) => {
  await page.goto("/hardware?bill_parts=dimm:x&bill_months=60");
  await expect(
    page.getByText(/bill_parts=dimm:x \(needs at most 12 lines/),
  ).toBeVisible();
  const card = page.getByRole("region", { name: "Rent against purchase" });
  await expect(card.getByRole("heading")).toContainText("over 60 months");
});
