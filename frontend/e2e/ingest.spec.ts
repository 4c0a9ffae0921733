import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import {
  ambiguousTrace,
  archiveOfTwoMachines,
  brokenTrace,
  largeFile,
  parquetTable,
} from "./trace-file";

test("a file with two readings is asked about, each with its records", async ({
  page,
}) => {
  const name = `asks-${Date.now()}.trace`;
  await page.goto("/workloads");
  await page.getByRole("button", { name: /All \d+ supported formats/ }).click();
  await expect(page.getByText("flashsim", { exact: true })).toBeVisible();
  await page.getByLabel("Trace file").setInputFiles(ambiguousTrace(name));
  await expect(page).toHaveURL(/\/uploads\//);
  await expect(
    page.getByRole("heading", { name: "This file can be read in 2 ways" }),
  ).toBeVisible();
  // The same record has 8 sectors in one reading and 8 pages in the other.
  const readings = ["disksim", "flashsim"].map((format) =>
    page.getByRole("region", { name: `First records read as ${format}` }),
  );
  const lengths = await Promise.all(
    readings.map((reading) =>
      reading.getByRole("row").nth(1).getByRole("cell").nth(5).innerText(),
    ),
  );
  expect(lengths).toEqual(["4,096", "32,768"]);
  await expect(page.getByRole("button", { name: "Import trace" })).toBeDisabled();
  await expectAccessible(page, "choice of a reading");
  await page.getByRole("radio", { name: "disksim" }).check();
  await page.getByRole("button", { name: "Read it as disksim" }).click();
  await expect(
    page.getByRole("heading", { name: /The first \d+ records/ }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(page.getByRole("heading", { name: "Conversion log" })).toBeVisible();
  await expect(page.getByText("The format was chosen.")).toBeVisible();
});

test("bad records fail the reading, are passed over on request, and stay in the log", async ({
  page,
}) => {
  const name = `broken-${Date.now()}.csv`;
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(brokenTrace(name));
  await expect(page).toHaveURL(/\/uploads\//);
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(
    page.getByRole("heading", { name: "This trace was not imported" }),
  ).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("line 1501");
  await expectAccessible(page, "a trace that was not read");
  // One click reads it again, with the same end: nothing was changed.
  const answered = page.waitForResponse(/\/read-again$/);
  await page.getByRole("button", { name: "Read it again" }).click();
  const { run } = await (await answered).json();
  // What the page says until then is of the first time.
  await expect
    .poll(
      async () =>
        (await (await page.request.get(`/api/v1/runs/${run.id}`)).json()).status,
    )
    .toBe("failed");
  await expect(page.getByRole("alert")).toContainText("line 1501");
  await page.getByRole("link", { name: "Back to the preview of this upload" }).click();
  await page.getByRole("textbox", { name: "Bad records to skip" }).fill("5");
  await expect(page.getByText(/Their count is stored with the workload/)).toBeVisible();
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(
    page.getByText("2 bad records were skipped; up to 5 were allowed."),
  ).toBeVisible();
  await expectAccessible(page, "workload with a conversion log");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download as JSON" }).click();
  const log = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  expect(log.report.skipped_records).toBe(2);
  expect(log.source.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test("a file on the server is registered by its path, read, and known again", async ({
  page,
}) => {
  const response = await page.request.get("/api/v1/storage");
  const { trace_roots: roots }: { trace_roots: string[] } = await response.json();
  expect(roots, "the application runs with TIERWRIGHT_TRACE_ROOTS").not.toEqual([]);
  const name = `registered-${Date.now()}.csv`;
  const path = join(roots[0] ?? "", name);
  copyFileSync(brokenTrace("source.csv"), path);
  await page.goto("/workloads");
  await expect(page.getByText(/Maximum file size: 20 GiB/)).toBeVisible();
  const field = page.getByRole("textbox", { name: /a file on the server/ });
  await field.fill("/etc/passwd");
  await page.getByRole("button", { name: "Use this file" }).click();
  await expect(page.getByRole("alert")).toContainText(
    "does not lead into a folder that is open for traces",
  );
  await expectAccessible(page, "workloads with a refused path", [
    page.getByRole("alert"),
  ]);
  await field.fill(path);
  await page.getByRole("button", { name: "Use this file" }).click();
  await expect(page).toHaveURL(/\/uploads\//);
  await page.getByRole("textbox", { name: "Bad records to skip" }).fill("2");
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(page.getByRole("heading", { name: "Conversion log" })).toBeVisible();
  expect(readFileSync(path).length).toBeGreaterThan(0);
  // The same bytes, sent this time, are known.
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(path);
  await expect(page).toHaveURL(/\/uploads\//);
  await expect(page.getByText("You have already imported this file")).toBeVisible();
  await expectAccessible(page, "preview of a known file");
  // With the same settings nothing new comes of it, unless asked.
  await page.getByRole("textbox", { name: "Bad records to skip" }).fill("2");
  await page.getByRole("button", { name: "Import trace" }).click();
  const known = page.getByRole("status").filter({ hasText: "already imported" });
  await expect(known).toContainText(
    "This file was already imported with these settings:",
  );
  await expectAccessible(page, "a file that was already imported", [known]);
  const there = await known.getByRole("link").first().getAttribute("href");
  expect(there).toMatch(/^\/workloads\//);
  await page.getByRole("button", { name: "Import it again" }).click();
  await expect(page.getByRole("heading", { name: "Conversion log" })).toBeVisible();
  expect(new URL(page.url()).pathname).not.toBe(there);
});

test("an upload that is damaged on the way is refused", async ({ page }) => {
  const name = `damaged-${Date.now()}.bin`;
  await page.goto("/workloads");
  await page.route("**/api/v1/uploads/*", async (route) => {
    const body = route.request().postDataBuffer();
    if (route.request().method() !== "PATCH" || body === null) {
      await route.continue();
      return;
    }
    const damaged = Buffer.from(body);
    damaged[100] = (damaged[100] ?? 0) ^ 1;
    await route.continue({ postData: damaged });
  });
  await page.getByLabel("Trace file").setInputFiles(largeFile(name, 1));
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("the file that arrived has");
  await expect(alert).toContainText("Upload it again");
  const answer = await page.request.get("/api/v1/uploads");
  const { items }: { items: { filename: string }[] } = await answer.json();
  expect(items.map((item) => item.filename)).not.toContain(name);
});

test("a Parquet table is read through a column mapping", async ({ page }) => {
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(parquetTable);
  await expect(page).toHaveURL(/\/uploads\//);
  await page
    .getByRole("button", { name: "Map the columns of this parquet table" })
    .click();
  await expect(
    page.getByText("Columns found: when, op, volume, lba, bytes, note"),
  ).toBeVisible();
  // Its columns are its own: there are no lines to take apart.
  await expect(page.getByRole("textbox", { name: "Delimiter" })).toHaveCount(0);
  const choose = async (box: string, option: string) => {
    await page.getByRole("combobox", { name: box }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await page.getByRole("combobox", { name: "Address column" }).fill("lba");
  await page.getByRole("combobox", { name: "Length column" }).fill("bytes");
  await page.getByRole("combobox", { name: "Time column" }).fill("when");
  await page.getByRole("combobox", { name: "Operation column" }).fill("op");
  await page.getByRole("combobox", { name: "Device column" }).fill("volume");
  await page.keyboard.press("Escape");
  await choose("Address unit", "sectors of 512 bytes");
  await choose("Length unit", "bytes");
  await choose("Time unit", "microseconds");
  await page.getByRole("button", { name: "Show the preview" }).click();
  await expect(
    page.getByText(/20 requests, \d+ of them writes, 3 devices/),
  ).toBeVisible();
  await expectAccessible(page, "mapping of a Parquet table");
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(page.getByText("The format was chosen.")).toBeVisible();
  await expect(page.getByText("from 3,000 requests")).toBeVisible();
});

test("the files of an archive are one recording, or of devices of their own", {
  tag: "@long",
}, async ({ page }) => {
  await page.goto("/workloads");
  const name = `machines-${Date.now()}.tar`;
  await page.getByLabel("Trace file").setInputFiles(archiveOfTwoMachines(name));
  await expect(page).toHaveURL(/\/uploads\//);
  const choice = page.getByRole("combobox", { name: "Files in the archive" });
  await expect(choice).toHaveValue("Parts of one recording");
  await choice.click();
  await page.getByRole("option", { name: "Separate devices per file" }).click();
  await expect(page.getByText("web.spc/0").first()).toBeVisible();
  await expect(page.getByText("mail.spc/0")).toHaveCount(0);
  await page.getByRole("combobox", { name: "Order of the files" }).click();
  await page.getByRole("option", { name: "Merged by time" }).click();
  await expect(page.getByText("mail.spc/0").first()).toBeVisible();
  await expectAccessible(page, "files of an archive kept apart and merged");
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(page.getByRole("heading", { name: "Conversion log" })).toBeVisible();
  await expect(
    page.getByText(/separate devices for each file of the archive/),
  ).toBeVisible();
  await expect(page.getByText(/the files of the archive merged by time/)).toBeVisible();
});
