import { expect, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { binaryFile, emptyFile, foreignCsv, largeFile } from "./trace-file";

test("an empty file is refused before it is sent", async ({ page }) => {
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(emptyFile());
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("empty.csv");
  await expect(alert).toContainText("What to do:");
  await expectAccessible(page, "workloads with an error", [alert]);
});

test("a binary file called .csv says what was wrong and what to do", async ({
  page,
}) => {
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(binaryFile());
  await expect(page).toHaveURL(/\/uploads\//);
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("picture.csv");
  await expect(alert).toContainText("What to do:");
  await expect(page.getByRole("button", { name: "Import trace" })).toBeDisabled();
  await expect(page.getByRole("link", { name: "Choose another file" })).toBeVisible();
  const { pathname } = new URL(page.url());
  await page.getByRole("button", { name: "Discard this upload" }).click();
  await expect(page).toHaveURL(/\/workloads(\?|$)/);
  expect((await page.request.get(`/api/v1${pathname}`)).ok()).toBe(false);
});

test("a CSV of another kind is read through a column mapping", async ({ page }) => {
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(foreignCsv());
  await expect(page).toHaveURL(/\/uploads\//);
  await page.getByRole("button", { name: /map its columns/ }).click();
  await expect(
    page.getByText("Columns found: when, what, object, page_no"),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Show the preview" })).toBeDisabled();
  await page.getByRole("combobox", { name: "Address is given as" }).click();
  await page.getByRole("option", { name: "Page number" }).click();
  await page.getByRole("combobox", { name: "Address column" }).fill("page_no");
  await page.getByRole("combobox", { name: "Operation column" }).fill("what");
  await page.getByRole("combobox", { name: "Device column" }).fill("object");
  await page.getByRole("combobox", { name: "Address column" }).focus();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Show the preview" }).click();
  await expect(
    page.getByRole("heading", { name: /The first \d+ records/ }),
  ).toBeVisible();
  // What was typed survives a reload.
  await page.reload();
  await expect(page.getByRole("combobox", { name: "Address column" })).toHaveValue(
    "page_no",
  );
  await expect(
    page.getByRole("heading", { name: /The first \d+ records/ }),
  ).toBeVisible();
  await expectAccessible(page, "column mapping");
});

/** Names of the uploads the server holds. */
async function heldUploads(page: Page): Promise<string[]> {
  const response = await page.request.get("/api/v1/uploads");
  const { items }: { items: { filename: string }[] } = await response.json();
  return items.map((item) => item.filename);
}

test("an upload can be cancelled on the way and leaves nothing", async ({ page }) => {
  const name = `cancelled-${Date.now()}.csv`;
  await page.goto("/workloads");
  // The line stands still after the first chunk, so that there is something to cancel.
  let patches = 0;
  await page.route("**/api/v1/uploads/*", async (route) => {
    patches += route.request().method() === "PATCH" ? 1 : 0;
    if (patches < 2 || route.request().method() !== "PATCH") {
      await route.continue();
    }
  });
  await page.getByLabel("Trace file").setInputFiles(largeFile(name));
  await expect.poll(() => patches).toBe(2);
  await page.getByRole("button", { name: "Cancel upload" }).click();
  await expect(page.getByText(`Upload of ${name} cancelled`)).toBeVisible();
  expect(await heldUploads(page)).not.toContain(name);
});

test("a broken address says which part was not used", async ({ page }) => {
  await page.goto("/compare?ram_pages=-4&months=9999");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("ram_pages=-4");
  await expect(alert).toContainText("months=9999");
  await expect(page.getByRole("slider", { name: "RAM size" })).toBeVisible();
});

test("a wrong size stays in the field with the reason", async ({ page }) => {
  await page.goto("/compare");
  const ram = page.getByRole("textbox", { name: "Exact RAM size" });
  await ram.fill("-5 MiB");
  await ram.press("Enter");
  await expect(page.getByText(/a size cannot be negative/)).toBeVisible();
  await expect(ram).toHaveValue("-5 MiB");
});

test("unknown pages and workloads say so", async ({ page }) => {
  await page.goto("/nothing-here");
  await expect(page.getByText("Page not found")).toBeVisible();
  await page.goto("/workloads/no-such-workload");
  await expect(page.getByRole("alert")).toContainText("no-such-workload");
});

test("an upload cut off by a reload goes on where it stopped", async ({ page }) => {
  const name = `cut-off-${Date.now()}.csv`;
  const path = largeFile(name);
  await page.goto("/workloads");
  let patches = 0;
  await page.route("**/api/v1/uploads/*", async (route) => {
    patches += route.request().method() === "PATCH" ? 1 : 0;
    // The third chunk never leaves: the page is closed on the way.
    await (patches > 2 ? route.abort() : route.continue());
  });
  await page.getByLabel("Trace file").setInputFiles(path);
  await expect.poll(() => patches).toBeGreaterThan(2);
  await page.reload();
  await expect(
    page.getByText(`${name} is unfinished; received so far: 32 MiB of 48 MiB`),
  ).toBeVisible();
  await page.unrouteAll({ behavior: "wait" });

  const offsets: number[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") {
      offsets.push(Number(request.headers()["upload-offset"]));
    }
  });
  await page.getByLabel("Trace file").setInputFiles(path);
  await expect(page).toHaveURL(/\/uploads\//);
  expect(offsets[0]).toBe(32 * 1024 * 1024);
});

test("a link that cannot be used as it is says so, on every page", async ({ page }) => {
  await page.goto("/throughput?clients=20000&vary=chairs&ram_page=7");
  const alert = page.getByRole("alert").filter({ hasText: "Part of this address" });
  await expect(alert).toContainText(
    "clients=20000 (needs a whole number from 1 to 10,000)",
  );
  await expect(alert).toContainText("vary=chairs (needs clients or disks or");
  await expect(alert).toContainText("ram_page=7 (no page reads this name)");
  await expectAccessible(page, "throughput with a bad link", [alert]);
  await alert.getByRole("button", { name: "Dismiss" }).click();
  await expect(alert).toHaveCount(0);
});
