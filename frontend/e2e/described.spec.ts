import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";

const unique = () => Date.now().toString(36);

test("a described workload is previewed, changed, saved and compared", async ({
  page,
}) => {
  const name = `Described ${unique()}`;
  await page.goto("/");
  await page.getByRole("link", { name: "describe the workload" }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: "Describe a workload" }),
  ).toBeVisible();
  const chart = page.getByRole("img", {
    name: "Hits and write-backs over cache size of the described workload",
  });
  await expect(chart).toBeVisible();
  await expect(page.getByText("TPC-C on PostgreSQL").first()).toBeVisible();
  await page.getByRole("button", { name: "The fit at each size" }).click();
  await expect(
    page.getByRole("table", { name: "Recording and description of OLTP" }),
  ).toBeVisible();
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "a preset");

  await page.getByLabel("Size of the data").fill("800");
  await expect(page.getByText(/"800" is not a size with a unit/)).toBeVisible();
  await expect(page.getByText("Nothing to show yet")).toBeVisible();
  await page.getByLabel("Size of the data").fill("800 GiB");
  await expect(chart).toBeVisible();

  await page.getByRole("button", { name: "Edit this mix" }).click();
  const first = page.getByRole("group", { name: "Component 1" });
  await first.getByLabel("Part of the data [%]").fill("90");
  // 90 % and the parts of the others are more than all of the data.
  await expect(page.getByText("This description cannot be computed")).toBeVisible();
  // Below the bar at the top a field may be hidden half, which is no fault of its size.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "a mix that does not fit");
  await page.getByRole("button", { name: "Remove component 3" }).click();
  await page.getByRole("button", { name: "Remove component 2" }).click();
  await page.getByRole("button", { name: "Add a component" }).click();
  const second = page.getByRole("group", { name: "Component 2" });
  await second.getByRole("combobox", { name: "Access pattern" }).click();
  await page.getByRole("option", { name: "Hot and cold" }).click();
  await second.getByLabel("Hot data [%]", { exact: true }).fill("10");
  await expect(chart).toBeVisible();
  await page.getByLabel("Workload name").fill(name);
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "a mix of one's own");
  await page.getByRole("button", { name: "Use this description" }).click();

  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(
    page.getByText(/Described in numbers, not measured: every answer rests/),
  ).toBeVisible();
  await expect(page.getByText("as described", { exact: true })).toBeVisible();
  await expectAccessible(page, "workload of a description");

  await page.getByRole("link", { name: "Compare schemes" }).click();
  await expect(page.getByRole("columnheader", { name: /^RAM hits/ })).toBeVisible();
  await expect(
    page.getByText(/^The workload was described, not measured/),
  ).toBeVisible();
  await expect(page.getByText("Dirty share of the evicted pages")).toHaveCount(0);
  await expect(page.getByText(/tierwright trace generate/)).toBeVisible();
  await expectAccessible(page, "comparison of a description");
});
