import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";
import { exported } from "./export";
import { settled } from "./shown";

test("a profile: summaries, one size for all charts, table and export", async ({
  page,
}) => {
  await openReady(page, "/workloads/example");
  const region = (name: string) =>
    page.getByRole("region", { name: new RegExp(`^${name}`) });
  await expect(region("Working set over time")).toBeVisible();
  for (const chart of [
    "Footprint over time",
    "Popularity of pages",
    "Reuse times",
    "Reads and writes over time",
    "Sequentiality",
  ]) {
    await expect(region(chart).locator("[data-ready=true]")).toBeVisible();
  }
  await expect(region("Popularity").getByText(/by maximum likelihood/)).toBeVisible();
  // The server keeps what it brings along.
  await expect(page.getByRole("button", { name: "Rename" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete", exact: true })).toHaveCount(
    0,
  );
  // This recording has pages, no lengths: it says so instead of drawing.
  await expect(page.getByText("Request sizes: not in this trace")).toBeVisible();
  await expectAccessible(page, "profile");

  // Time instead of accesses, for all charts that have the choice.
  const reuse = region("Reuse times");
  await expect(reuse.getByRole("heading")).toContainText(
    "accesses of the previous access",
  );
  await region("Working set over time").getByText("Time", { exact: true }).click();
  await expect(reuse.getByRole("heading")).toContainText("µs of the previous access");

  // A relation gets more hits from a larger cache; the size goes into the address.
  const devices = region("Devices and relations");
  const hits = () =>
    devices.getByRole("row").nth(1).getByRole("cell").nth(4).innerText();
  const size = page.getByRole("textbox", { name: "Exact cache size" });
  await size.fill("100 pages");
  await size.press("Enter");
  await expect(
    page.getByRole("heading", { name: /^A cache of 800 KiB/ }),
  ).toBeVisible();
  await expect(
    devices.getByText(/exact at 1 MiB, the counted size nearest to the chosen 800 KiB/),
  ).toBeVisible();
  await settled(page);
  const few = Number.parseFloat(await hits());
  await size.fill("128 MiB");
  await size.press("Enter");
  await expect(
    devices.getByText(/hits are exact, at the chosen size of 128 MiB/),
  ).toBeVisible();
  await expect.poll(async () => Number.parseFloat(await hits())).toBeGreaterThan(few);
  await expect(page).toHaveURL(/ram_pages=16384/);
  await page.reload();
  await expect(size).toHaveValue("16,384 pages");

  await expect(devices.getByRole("row")).toHaveCount(13);
  await devices.getByRole("button", { name: /^Show all/ }).click();
  await expect(devices.getByRole("row")).toHaveCount(67);
  const download = page.waitForEvent("download");
  await devices.getByRole("button", { name: "Export CSV" }).click();
  const csv = readFileSync(await (await download).path(), "utf8").split("\r\n");
  expect(csv).toHaveLength(67);
  expect(csv[0]).toContain("hits_at_16384_pages");

  await region("Popularity").getByText("Table", { exact: true }).click();
  await expect(region("Popularity").getByRole("table")).toContainText("Zipf law");
  await expectAccessible(page, "profile, tables", [devices, region("Popularity")]);
});

test("the curve of a workload has a second axis: up to which size RAM pays", {
  tag: "@long",
}, async ({ page }) => {
  await openReady(page, "/workloads/example");
  const curve = page.getByRole("region", { name: /^Hit ratio over cache size/ });
  await expect(curve).toContainText(
    /RAM pays up to [\d.]+\sMiB where misses are read from \S.*: beyond it, one more page saves an access only once in [\d.]+\ss, less often than the break-even interval of [\d.]+\ss\./,
  );
  await expect(curve).toContainText(
    / [\d,]+\saccesses per second \([\d,]+\saccesses in [\d.]+\ss of the workload\)/,
  );
  await expect(curve.getByText("access saved every [s]")).toBeVisible();
  await expectAccessible(page, "curve with two axes", [curve]);
  const size = /RAM pays up to ([\d.]+\sMiB)/.exec(await curve.innerText())?.[1] ?? "";

  await curve.getByText("Over disk", { exact: true }).click();
  await expect(curve).toContainText("RAM pays beyond what the recording shows");
  await curve.getByText("No break-even", { exact: true }).click();
  await expect(curve).not.toContainText("RAM pays");
  await expect(curve.getByText("access saved every [s]")).toHaveCount(0);

  // Its columns stay in the table and the export.
  await curve.getByText("Table", { exact: true }).click();
  await expect(
    curve.getByRole("columnheader", { name: "Access saved every [s]" }),
  ).toBeVisible();
  const file = await exported(page, curve, "CSV numbers");
  const csv = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(csv[0]).toMatch(/,Write-backs,Access saved every \[s\],Pays over /);
  expect(csv.at(1)?.split(",").at(-2)).toBe("yes");
  expect(csv.at(-1)?.split(",").at(-2)).toBe("no");

  // The question itself, with these devices, gives the same size.
  await curve.getByText("Over flash", { exact: true }).click();
  await curve.getByRole("link", { name: "Open in DRAM or flash" }).click();
  await expect(
    page.getByRole("heading", {
      name: `RAM pays for itself up to ${size.replace(/\s/, " ")}`,
    }),
  ).toBeVisible();
});
