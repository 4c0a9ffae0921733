import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openFromMenu } from "./menu";

test("formulas: find one, put own numbers in, see how far it holds, take it along", async ({
  page,
}) => {
  await page.goto("/");
  await openFromMenu(page, "Library", "Formulas");
  await expect(page.getByRole("table", { name: "Result" })).toContainText("C0");

  await page
    .getByRole("textbox", { name: "Find formulas" })
    .fill("evictions write-back");
  await expect(page.getByText(/^1 of \d+$/)).toBeVisible();
  await page
    .getByRole("link", { name: /Several evictions of one page/ })
    .press("Enter");
  await expect(
    page.getByRole("heading", { name: "Several evictions of one page" }),
  ).toBeVisible();
  const result = page.getByRole("table", { name: "Result" });
  await expect(result).toContainText("1.14516");
  await expectAccessible(page, "a formula's example");

  const evictions = page.getByRole("textbox", { name: /^k/ });
  await evictions.fill("many");
  await evictions.press("Enter");
  await expect(page.getByText(/"many" is not a number/)).toBeVisible();
  await evictions.fill("-1");
  await evictions.press("Enter");
  await expect(page.getByRole("alert")).toContainText("Inputs: k: must be finite");
  await evictions.fill("1");
  await page.getByRole("textbox", { name: /^C_flash_write/ }).fill("0.0008");
  await page.getByRole("button", { name: "Compute" }).click();
  await expect(result.getByRole("row", { name: /write_through/ })).toContainText(
    "0.0079",
  );
  await expect(page.getByText(/write-back costs more than no cache/)).toBeVisible();
  await page.getByRole("button", { name: "Why these numbers" }).click();
  await expect(
    page.getByText(/k C_flash_write \+ C_disk_write = 0.0079/),
  ).toBeVisible();
  await page.getByRole("button", { name: /As a command/ }).click();
  await expect(
    page.getByText(/^tierwright formula face.writeback_chain --inputs '\{"k":1,/),
  ).toBeVisible();
  await expectAccessible(page, "a formula with own inputs");

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const csv = readFileSync(await (await download).path(), "utf8");
  expect(csv.split("\r\n")[0]).toBe("result,value,unit,what it is");
  expect(csv).toContain("write_through,0.0079");

  const link = page.url();
  await page.goBack();
  await expect(evictions).toHaveValue("-1");
  await page.goBack();
  await expect(evictions).toHaveValue("2");
  await expect(result).toContainText("1.14516");
  await page.goto(link);
  await expect(evictions).toHaveValue("1");
  await expect(result.getByRole("row", { name: /write_through/ })).toContainText(
    "0.0079",
  );

  await page.getByRole("button", { name: "Read the model page" }).click();
  await expect(page.getByRole("dialog")).toContainText("Flash caches");
  await page.keyboard.press("Escape");

  await page.goto("/formulas?formula=face.nothing&inputs=3");
  await expect(page.getByText("There is no formula face.nothing")).toBeVisible();
  await expect(page.getByText(/inputs=3 \(needs an object/)).toBeVisible();
});

test("formulas: on a phone a result says what it is without sideways scrolling", {
  tag: "@long",
}, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  for (const name of ["sce.metadata", "kv.hits_from_curve", "face.bottleneck"]) {
    await page.goto(`/formulas?formula=${name}`);
    const scrolled = page.getByRole("region", { name: "Result" });
    await expect(scrolled.getByRole("row").nth(1)).toBeVisible();
    const { inner, outer } = await scrolled.evaluate((element) => ({
      inner: element.scrollWidth,
      outer: element.clientWidth,
    }));
    expect(inner, name).toBeLessThanOrEqual(outer);
  }
  const demand = page
    .getByRole("table", { name: "Result" })
    .getByRole("rowheader", { name: /^disk_demand_s/ });
  await expect(demand.getByText("of each disk")).toBeVisible();
  await expectAccessible(page, "a formula's result on a phone");
});
