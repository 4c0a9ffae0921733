import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { changeAsked } from "./asked";
import { expectAccessible } from "./axe";
import { picture } from "./picture";
import { stateToday } from "./today";
import { cutTrace, RECORDS } from "./trace-file";

const LONG = { timeout: 120_000 };
/** What a newcomer may take for it, a slow machine included. */
const FIVE_MINUTES_MS = 300_000;

test("from a trace to a defended purchase in under five minutes", {
  tag: "@long",
}, async ({ page }) => {
  const began = Date.now();
  const mark = began.toString(36);
  const recorded = `Shop recorded ${mark}`;
  const name = `Shop ${mark}`;

  // A trace is dropped on the first page, looked at and imported.
  await page.goto("/");
  await page.getByLabel("Trace file").setInputFiles(cutTrace(RECORDS - 1_000));
  await expect(page).toHaveURL(/\/uploads\//, LONG);
  await page.getByLabel("Workload name").fill(recorded);
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(page.getByRole("heading", { level: 1, name: recorded })).toBeVisible(
    LONG,
  );

  // What it is bought for.
  const production = page.getByRole("region", { name: "Production", exact: true });
  for (const [label, value] of [
    ["Data in production", "2 TiB"],
    ["Page accesses per second", "9,000"],
    ["Data when recorded", "512 MiB"],
    ["Clients when recorded", "4"],
    ["Accesses per transaction", "20"],
  ] as const) {
    const field = production.getByLabel(label, { exact: true });
    await expect(field).toBeVisible(LONG);
    await field.fill(value);
    await field.press("Enter");
  }
  await production.getByLabel("Name", { exact: true }).fill(name);
  // What stands there while the last field is computed is of the fields before it.
  await expect(production.locator('[aria-busy="true"]')).toHaveCount(0, LONG);
  await picture(page, "decision-1-production", production);
  await production.getByRole("button", { name: "Use in all questions" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible(LONG);

  // One question, with what there is and a budget.
  await page.getByRole("link", { name: "Advise what to buy" }).click();
  const headline = page.getByRole("region", { name: "Recommendation", exact: true });
  const finding = headline.getByRole("heading");
  await expect(headline).toContainText("It is the cheapest of", LONG);
  await changeAsked(page);
  const budget = page.getByRole("textbox", { name: "Budget per month" });
  await budget.fill("4,000");
  await budget.press("Enter");
  await stateToday(page, { ram: "128", disk: /Exos X24/, disks: "24", cost: "3,500" });
  await expect(finding).toContainText("against 3,500 USD today", LONG);
  await page.getByRole("button", { name: "Fold what is asked" }).click();
  await expect(headline).toContainText("How sure", LONG);
  await picture(
    page,
    "decision-2-recommendation",
    page.getByRole("region", { name: "What is asked" }),
  );

  // Its reasons, how sure it is, and the replay of what was close.
  await expect(page.getByRole("table", { name: "Alternatives" })).toBeVisible();
  await expect(page.getByRole("region", { name: "How sure it is" })).toContainText(
    /probability|% of the draws|all draws/i,
    LONG,
  );
  await picture(
    page,
    "decision-3-how-sure",
    page.getByRole("region", { name: "How sure it is" }),
  );
  const check = page.getByRole("region", { name: "Check by replay" });
  await check.getByRole("button", { name: "Check by replay" }).click();
  await expect(page).toHaveURL(/checked=[0-9a-f]{16}/);
  await expect(check.getByRole("button", { name: "Check by replay" })).toHaveCount(
    0,
    LONG,
  );
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "a defended purchase", [page.getByRole("main")]);

  // The paper that the committee reads, and the sheet that finance recomputes.
  for (const [form, ending, head] of [
    ["PDF", "pdf", "%PDF-"],
    ["Spreadsheet", "xlsx", "PK"],
  ] as const) {
    await headline.getByRole("button", { name: "Report" }).click();
    const saving = page.waitForEvent("download", LONG);
    await page.getByRole("menuitem", { name: form, exact: true }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toMatch(new RegExp(`^advice-\\w+\\.${ending}$`));
    const bytes = await readFile(await file.path());
    expect(bytes.subarray(0, head.length).toString("latin1")).toBe(head);
  }
  expect(Date.now() - began).toBeLessThan(FIVE_MINUTES_MS);
});
