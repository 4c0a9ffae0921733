import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";
import { exported } from "./export";
import { textOf } from "./shown";
import { showNote } from "./unfold";

const job = (name: string, group: number, rw: string, iops: number, depth: number) => ({
  jobname: name,
  groupid: group,
  error: 0,
  "job options": {
    rw,
    iodepth: String(depth),
    bs: "4k",
    direct: "1",
    ioengine: "libaio",
  },
  [rw.includes("write") ? "write" : "read"]: {
    iops,
    total_ios: iops * 60,
    runtime: 60_000,
    lat_ns: { mean: (1e9 * depth) / iops },
    clat_ns: { mean: (0.98e9 * depth) / iops },
  },
});

const RESULT = {
  "fio version": "fio-3.36",
  jobs: [
    job("rr1", 0, "randread", 10_000, 1),
    job("rw1", 1, "randwrite", 40_000, 1),
    job("rr32", 2, "randread", 200_000, 32),
    job("rw32", 3, "randwrite", 80_000, 32),
  ],
};

test("hardware: a measurement of fio becomes an own device", { tag: "@long" }, async ({
  page,
}) => {
  await page.goto("/hardware");
  await page.getByRole("button", { name: "Import from fio" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByRole("textbox", { name: "fio output" });
  await field.fill("no json");
  await dialog.getByRole("button", { name: "Read output" }).click();
  await expect(dialog.getByText(/This is not JSON/)).toBeVisible();
  await field.fill('{"jobs": []}');
  await dialog.getByRole("button", { name: "Read output" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    "must be a list that is not empty",
  );
  await dialog.getByLabel("fio output file").setInputFiles({
    name: "fio.json",
    mimeType: "application/json",
    // fio writes its warnings before the document.
    buffer: Buffer.from(`fio: a warning\n${JSON.stringify(RESULT)}`),
  });
  await expect(
    dialog.getByText(/200,000 random reads .* at queue depth 32/),
  ).toBeVisible();
  await expect(dialog.getByText(/neither the latency of a request/)).toBeVisible();
  await expect(dialog.getByRole("table").getByRole("row")).toHaveCount(5);
  await expectAccessible(page, "import of fio", [dialog]);

  const name = dialog.getByRole("textbox", { name: "Name" });
  await name.fill("A measured rig");
  await name.blur();
  await dialog.getByRole("combobox", { name: "Rates at queue depth" }).click();
  await page.getByRole("option", { name: "1", exact: true }).click();
  await expect(
    dialog.getByText(/10,000 random reads .* at queue depth 1:/),
  ).toBeVisible();
  await dialog.getByRole("button", { name: "Save as your own device" }).click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole("row", { name: /A measured rig/ });
  await expect(row).toContainText("100");
  await row.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(row).toHaveCount(0);
});

test("hardware: what a tier costs on each device, and which keeps up", async ({
  page,
}) => {
  await page.goto("/hardware");
  const card = page.getByRole("region", { name: "Cost of a tier by device" });
  await expect(card.getByRole("heading")).toContainText(/is the cheapest/);
  const before = await textOf(page, card.getByRole("heading"));
  const held = page.getByRole("textbox", { name: "Stored data" });
  await held.fill("2048");
  await held.press("Enter");
  await expect(card.getByRole("heading")).not.toHaveText(before);
  await expect(page).toHaveURL(/held_gib=2048/);
  const heading = await textOf(page, card.getByRole("heading"));
  await page.reload();
  await expect(card.getByRole("heading")).toHaveText(heading);

  await expect(page.getByText(/no price of electricity was given/)).toBeVisible();
  const electricity = page.getByRole("textbox", {
    name: /^Electricity \(0 leaves it out\)/,
  });
  await electricity.fill("0.3");
  await electricity.press("Enter");
  await expect(page.getByText(/no price of electricity was given/)).toHaveCount(0);

  await card.getByRole("button", { name: "How is this computed?" }).click();
  await expect(card.getByRole("rowheader", { name: "busy" })).toBeVisible();
  await card.getByText("Table", { exact: true }).click();
  await expect(card.getByRole("columnheader", { name: "Busy" })).toBeVisible();
  await expectAccessible(page, "tier costs, table and derivation", [card.first()]);
  const file = await exported(page, card, "CSV numbers");
  const csv = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(csv[0]).toContain("Per million accesses [USD]");
});

test("compare: which flash device, and where its directory goes", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, "/compare");
  await page.getByRole("button", { name: "Which flash device?" }).click();
  const devices = page.getByRole("region", { name: /^Flash devices for/ });
  await expect(devices.getByRole("heading")).toContainText(/has the lowest I\/O time/);
  await devices.getByText("By price x time", { exact: true }).click();
  await expect(devices).toContainText("lower is better");
  await devices.getByRole("button", { name: "How is this computed?" }).click();
  await expect(devices.getByRole("rowheader", { name: "saved" })).toBeVisible();
  await devices.getByText("Table", { exact: true }).click();
  await expect(devices.getByText(/^Not ranked:/)).toBeVisible();

  await page.getByRole("button", { name: /^.*Where should its directory go/ }).click();
  const places = page.getByRole("region", { name: /^Directories for/ });
  await expect(places.getByRole("heading")).toContainText("The directory belongs");
  const hits = page.getByRole("textbox", { name: "Directory hits in RAM" });
  await hits.fill("0");
  await hits.press("Enter");
  await showNote(page, /assumed to serve 0\s%/);
  await expectAccessible(page, "compare with flash devices and directories", [
    devices,
    places,
  ]);
});
