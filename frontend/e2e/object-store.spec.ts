import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { brokenTrace } from "./trace-file";

const BUCKET = "tierwright-e2e";

test("an object of a store is fetched by its address, and read", {
  tag: "@long",
}, async ({ page }) => {
  const store = process.env["TIERWRIGHT_TEST_STORE_URL"] ?? "";
  expect(store, "an object store runs beside the application").not.toBe("");
  const key = `in/day-${Date.now()}.csv`;
  // A file of its own: one that was imported before would not be read again.
  const data = Buffer.concat([
    readFileSync(brokenTrace(`object.csv`)),
    Buffer.from(`9999999999,R,0/1,${Date.now() % 1_000_000}\n`),
  ]);
  expect((await page.request.put(`${store}/${BUCKET}`)).ok()).toBe(true);
  const put = await page.request.put(`${store}/${BUCKET}/${key}`, { data });
  expect(put.ok()).toBe(true);
  await page.goto("/workloads");
  const field = page.getByRole("textbox", { name: /an object of a store/ });
  await field.fill("s3://another-bucket/x.csv");
  await page.getByRole("button", { name: "Fetch this object" }).click();
  await expect(page.getByRole("alert")).toContainText("does not lie below a prefix");
  await field.fill(`s3://${BUCKET}/in/absent.csv`);
  await page.getByRole("button", { name: "Fetch this object" }).click();
  await expect(page.getByRole("alert")).toContainText("no such object");
  await expectAccessible(page, "workloads with an object that is not there", [
    page.getByRole("alert"),
  ]);
  await field.fill(`s3://${BUCKET}/${key}`);
  await page.getByRole("button", { name: "Fetch this object" }).click();
  await expect(page).toHaveURL(/\/uploads\//);
  await expect(
    page.getByRole("heading", { name: /The first \d+ records/ }),
  ).toBeVisible();
  await page.getByRole("textbox", { name: "Bad records to skip" }).fill("2");
  await page.getByRole("button", { name: "Import trace" }).click();
  await expect(page.getByRole("heading", { name: "Conversion log" })).toBeVisible();
  await expect(page.getByText(`s3://${BUCKET}/${key}`)).toBeVisible();
});

test("a fetch that failed says why, and goes on where it stopped", {
  tag: "@long",
}, async ({ page }) => {
  const run = {
    id: "fetch-1",
    kind: "fetch",
    subject_id: "upload-1",
    title: `Fetch s3://${BUCKET}/in/long.zst`,
    status: "failed",
    phase: "fetching",
    done: 33_554_432,
    total: 67_108_864,
    unit: "bytes",
    rate_per_s: null,
    accesses: null,
    accesses_per_s: null,
    requests: null,
    requests_per_s: null,
    message: null,
    error:
      "the store gave an unexpected answer (33554432 of 67108864 bytes had arrived)",
    hint: "Register the object again; what has arrived is kept.",
    attempts: 1,
    cancel_requested: false,
    created_at: "2026-11-21T08:00:00Z",
    started_at: "2026-11-21T08:00:01Z",
    finished_at: "2026-11-21T08:00:09Z",
  };
  const upload = {
    id: "upload-1",
    kind: "fetched",
    path: `s3://${BUCKET}/in/long.zst`,
    filename: "long.zst",
    size_bytes: 67_108_864,
    offset_bytes: 33_554_432,
    complete: false,
    sha256: null,
    read_as: [],
    run,
    created_at: "2026-11-21T08:00:00Z",
    expires_at: "2026-11-28T08:00:00Z",
  };
  await page.route("**/api/v1/uploads/upload-1", (route) =>
    route.fulfill({ json: upload }),
  );
  await page.route("**/api/v1/runs/fetch-1", (route) => route.fulfill({ json: run }));
  const asked: string[] = [];
  await page.route("**/api/v1/uploads/register", (route) => {
    asked.push(route.request().postData() ?? "");
    return route.fulfill({ status: 201, json: upload });
  });
  await page.goto("/uploads/upload-1");
  await expect(page.getByRole("alert")).toContainText("33554432 of 67108864 bytes");
  await expectAccessible(page, "a fetch that failed");
  await page.getByRole("button", { name: "Fetch the rest" }).click();
  await expect.poll(() => asked).toEqual([JSON.stringify({ path: upload.path })]);
});
