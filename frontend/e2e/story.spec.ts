import { readFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { cutTrace, RECORDS } from "./trace-file";

const STAMP = Date.now().toString(36);
const WORKLOAD = `TPC-B head ${STAMP}`;
const SCENARIO = `Half the footprint on flash ${STAMP}`;

async function openExample(page: Page): Promise<void> {
  await page.goto("/");
  // The first start may still be reading the example.
  await expect(page.getByRole("link", { name: "Open the comparison" })).toBeVisible();
}

/** What a reader sees of a comparison: address, sentence and every figure. */
async function screenOf(page: Page) {
  await expect(page.locator("[aria-busy=false]").first()).toBeVisible();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  return {
    address: new URL(page.url()).search,
    ram: await page.getByRole("textbox", { name: "Exact RAM size" }).inputValue(),
    flash: await page.getByRole("textbox", { name: "Exact Flash size" }).inputValue(),
    figures: await page.locator("table").first().textContent(),
  };
}

test("the start page shows a finished answer", async ({ page }) => {
  await openExample(page);
  const answer = page.getByRole("region", { name: "Answer for the current workload" });
  await expect(answer.getByRole("heading")).toContainText("I/O");
  await expect(answer.getByText("Exclusive", { exact: true }).first()).toBeVisible();
  await expectAccessible(page, "start");
  await answer.getByRole("link", { name: "Open the comparison" }).click();
  await expect(page).toHaveURL(/\/compare\?.*workload=example/);
});

test("a trace becomes a checked, saved and reopened answer", async ({ page }) => {
  await openExample(page);

  // Upload.
  await page.getByLabel("Trace file").setInputFiles(cutTrace());
  await expect(page).toHaveURL(/\/uploads\//);
  await expect(
    page.getByRole("heading", { name: /The first \d+ records/ }),
  ).toBeVisible();
  await expect(page.getByText(/Read as postgres_csv, gzip/)).toBeVisible();
  await expectAccessible(page, "preview");

  // Ingest.
  await page.getByLabel("Workload name").fill(WORKLOAD);
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(page).toHaveURL(/\/workloads\//);
  await expect(page.getByRole("heading", { level: 1, name: WORKLOAD })).toBeVisible();

  // Profile.
  const hits = page.getByRole("img", { name: /^Hit ratio over cache size/ });
  await expect(hits).toHaveAttribute("data-ready", "true");
  await expect(page.getByText(RECORDS.toLocaleString("en-US")).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete", exact: true })).toBeVisible();
  await expectAccessible(page, "workload");
  await page.getByLabel("View of Hit ratio").getByText("Table").click();
  await expect(page.getByRole("columnheader", { name: "Write-backs" })).toBeVisible();

  // Compare, and move the flash slider by keyboard.
  await page.getByRole("link", { name: "Compare schemes" }).click();
  await expect(page.getByRole("cell", { name: "best", exact: true })).toBeVisible();
  const flash = page.getByRole("slider", { name: "Flash size" });
  const before = await flash.getAttribute("aria-valuetext");
  await flash.focus();
  await flash.press("PageUp");
  await flash.press("ArrowRight");
  await expect(flash).not.toHaveAttribute("aria-valuetext", before ?? "");
  await expect(page).toHaveURL(/flash_pages=\d+/);
  await expectAccessible(page, "compare");

  // Why this number.
  await page.getByRole("button", { name: /^Why this number: Exclusive/ }).click();
  const why = page.getByRole("dialog");
  await expect(why.getByRole("columnheader", { name: "Source" }).first()).toBeVisible();
  await expectAccessible(page, "derivation", [why]);
  await page.keyboard.press("Escape");
  await expect(why).toBeHidden();

  // What surrounds the schemes is in figures too, and never the best.
  const around = page.getByRole("table", { name: "Configurations for comparison" });
  await expect(around.getByRole("row")).toHaveCount(4);
  await expect(around.getByText("best", { exact: true })).toHaveCount(0);
  await around
    .getByRole("button", { name: /^Why this number: Everything on flash/ })
    .click();
  await expect(why.getByText(/flash in place of the disk/).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(why).toBeHidden();

  // Check by simulation: from a cold start exclusive follows exactly from the curve.
  await page.getByText("Cold start", { exact: true }).click();
  await expect(page).toHaveURL(/start=cold/);
  await page.getByRole("button", { name: "Check this point" }).click();
  const exclusive = page.locator("tr[data-scheme=exclusive][data-counter=flash_hits]");
  await expect(exclusive.locator("[data-cell=gap]")).toHaveText("0");
  const verdicts = page.getByText(/^In the simulation /);
  await expect(verdicts).toHaveCount(2);
  await expectAccessible(page, "compare with a check");

  // A moved slider marks the check as stale.
  await flash.press("ArrowLeft");
  await expect(page.getByText(/This check was run with other sizes/)).toBeVisible();
  await expect(
    page.getByText(/^These figures belong to the checked point/),
  ).toBeVisible();
  await expect(verdicts).toHaveCount(0);
  await page.getByRole("button", { name: "Return to the checked point" }).click();
  await expect(page.getByText(/This check was run with other sizes/)).toBeHidden();

  // Keep.
  await page.getByRole("button", { name: "Save scenario" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill(SCENARIO);
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(`Saved: ${SCENARIO}`)).toBeVisible();
  const shown = await screenOf(page);

  // Reload, and reopen from the list: the same screen.
  await page.reload();
  await expect(exclusive.locator("[data-cell=gap]")).toHaveText("0");
  await expect.poll(() => screenOf(page)).toEqual(shown);
  await page.goto("/scenarios");
  await page.getByRole("link", { name: SCENARIO }).click();
  await expect(exclusive.locator("[data-cell=gap]")).toHaveText("0");
  await expect.poll(async () => (await screenOf(page)).figures).toEqual(shown.figures);
  const reopened = await screenOf(page);
  // The address also says which scenario it is, whose kept answer stands beside.
  expect(Object.fromEntries(new URLSearchParams(reopened.address))).toEqual({
    ...Object.fromEntries(new URLSearchParams(shown.address)),
    scenario: expect.any(String),
  });
  expect({ ...reopened, address: "" }).toEqual({ ...shown, address: "" });
});

test("RAM as large as flash warns beside inclusive only", async ({ page }) => {
  await openExample(page);
  await page.getByRole("link", { name: "Open the comparison" }).click();
  const ram = page.getByRole("textbox", { name: "Exact RAM size" });
  await ram.fill("64 MiB");
  await ram.press("Enter");
  const flash = page.getByRole("textbox", { name: "Exact Flash size" });
  await flash.fill("32 MiB");
  await flash.press("Enter");
  const row = (name: string) =>
    page.getByRole("row", { name: new RegExp(`^${name}( |,|$)`) }).first();
  await expect(row("Inclusive")).toContainText("⚠");
  await expect(row("Exclusive")).not.toContainText("⚠");
  await expect(row("Lazy")).not.toContainText("⚠");
});

test("two scenarios stand side by side, and a deleted one comes back", async ({
  page,
}) => {
  await openExample(page);
  await page.getByRole("link", { name: "Open the comparison" }).click();
  for (const name of [`Side one ${STAMP}`, `Side two ${STAMP}`]) {
    await expect(page.getByRole("cell", { name: "best", exact: true })).toBeVisible();
    await page.getByRole("slider", { name: "RAM size" }).press("PageUp");
    await page.getByRole("button", { name: "Save scenario" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(name);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect(page.getByText(`Saved: ${name}`)).toBeVisible();
  }
  await page.goto("/scenarios");
  await expectAccessible(page, "scenarios");
  await page.getByRole("checkbox", { name: `Choose Side one ${STAMP}` }).check();
  await page.getByRole("checkbox", { name: `Choose Side two ${STAMP}` }).check();
  await page.getByRole("button", { name: "Compare the two selected" }).click();
  await expect(page.getByRole("columnheader", { name: "Change" })).toBeVisible();
  await expectAccessible(page, "side by side");
  const heads = page.getByRole("columnheader", { name: / (one|two) / });
  await expect(heads.first()).toContainText("Side one");
  await page.getByRole("link", { name: "Swap the two" }).click();
  await expect(heads.first()).toContainText("Side two");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const csv = readFileSync(await (await download).path(), "utf8").split("\r\n");
  expect(csv[0]).toMatch(/^scheme,quantity,Side two .*,Side one /);
  expect(csv.some((line) => line.startsWith(",Flash device,"))).toBe(true);
  await page.goto("/scenarios");
  await page.getByRole("button", { name: `Delete Side two ${STAMP}` }).click();
  // A message stays as long as the pointer rests on it.
  await page.getByRole("button", { name: "Undo" }).hover();
  await expect(page.getByRole("link", { name: `Side two ${STAMP}` })).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("link", { name: `Side two ${STAMP}` })).toBeVisible();
});
