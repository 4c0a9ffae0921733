import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";

test("a recording is scaled to production, and its questions are answered there", async ({
  page,
}) => {
  const name = `Orders in production ${Date.now().toString(36)}`;
  await page.goto("/workloads/example");
  const production = page.getByRole("region", { name: "Production", exact: true });
  await expect(production).toContainText("All sizes below are those of the recording");
  await expect(production).toContainText("Enter the size of the data in production");
  const type = async (label: string, value: string) => {
    const field = production.getByLabel(label, { exact: true });
    await field.fill(value);
    await field.press("Enter");
  };
  await type("Data in production", "1 MiB");
  await expect(production).toContainText("Enter the rate of production");
  await type("Page accesses per second", "80,000");
  await expect(production.getByRole("alert")).toContainText(
    "than the 240 MiB that the recording touches",
  );
  await type("Data in production", "4 TiB");
  await type("Data when recorded", "512 MiB");
  await expect(production).toContainText("8,190 times the recorded data");
  await expect(production).toContainText("lients and accesses per unit of work");
  await type("Clients when recorded", "4");
  await type("Accesses per transaction", "20");
  await expect(production).not.toContainText("lients and accesses per unit of work");
  const sizes = production.getByRole("table", { name: "Misses by cache size" });
  await expect(sizes.getByRole("row")).toHaveCount(8);
  await production
    .getByRole("button", { name: "More: law, growth, machines, relations" })
    .click();
  const relations = production.getByRole("table", { name: "Relations" });
  await expect(relations.getByLabel("catalogs grows with the data")).toBeDisabled();
  await relations.getByRole("checkbox").first().uncheck();
  const first = relations.getByRole("row").nth(1);
  await expect(first.getByRole("cell").last()).toHaveText("1");
  // Below the bar at the top a button may be hidden half, which is no fault of its size.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "form of production");

  // What was typed survives a reload.
  await page.reload();
  await expect(production.getByLabel("Data in production")).toHaveValue("4 TiB");
  await production.getByLabel("Name", { exact: true }).fill(name);
  await production.getByRole("button", { name: "Use in all questions" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(production).toContainText("Sizes and rates are those of production");
  await expect(production).toContainText("scaled 8,190 times by the law relations");
  await expect(page.getByText("so there are no accesses to replay")).toBeVisible();
  // The second axis of the curve is at the rate of production.
  await expect(
    page.getByRole("region", { name: /^Hit ratio over cache size/ }),
  ).toContainText("80,000 accesses per second (production as stated)");
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "workload of production");

  await page.getByRole("link", { name: "Compare schemes" }).click();
  await expect(page.getByRole("columnheader", { name: /^RAM hits/ })).toBeVisible();
  await expect(
    page.getByText(/^On average, 80,000 accesses per second take at least/),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: /^Workload/ })).toContainText(
    "4 TiB, 80,000 accesses/s, scaled 8,190 times",
  );
});
