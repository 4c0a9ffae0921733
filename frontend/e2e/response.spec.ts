import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";
import { textOf } from "./shown";

test("response at a rate: percentiles, a rate beyond the devices, and its link", async ({
  page,
}) => {
  await openReady(page, "/throughput?rate=50&peak_rate=100");
  const card = page.getByRole("region", { name: /^Response time of/ });
  await expect(card.getByRole("heading")).toContainText(
    /^At 100 accesses per second \(as stated\)/,
  );
  await expect(card).toContainText("The 99th percentile is");
  const table = page.getByRole("table", { name: "Response time of every scheme" });
  // A heading, and five schemes at both rates.
  await expect(table.getByRole("row")).toHaveCount(11);
  await expectAccessible(page, "response at a rate", [card, table]);

  const check = page.locator("section").filter({
    has: page.getByRole("heading", {
      name: "Check the response times on simulated time",
    }),
  });
  await check.getByText("Clients that wait", { exact: true }).click();
  await expect(page).toHaveURL(/arrivals=clients/);
  await check.getByRole("button", { name: "Check this point" }).click();
  await expect(check).toContainText(/with seed 0\. 16 clients think so long/);
  const figures = check.getByRole("table", { name: "Model and simulation" });
  // A heading, and of one scheme at both rates seven figures, and three of each of two tiers.
  await expect(figures.getByRole("row")).toHaveCount(27);
  await expect(figures).toContainText("mean wait at disk");
  await expect(figures).toContainText("99.9th percentile at the peak rate");

  const rate = page.getByRole("textbox", { name: "Page accesses", exact: true });
  await rate.fill("1000000000");
  await rate.press("Enter");
  await expect(page).toHaveURL(/rate=1000000000(&|$)/);
  await expect(card.getByRole("heading")).toContainText(
    /^No scheme carries 1,000,000,000 accesses per second/,
  );
  await expect(table.getByRole("row")).toHaveCount(6);
  const heading = await textOf(page, card.getByRole("heading"));
  await page.reload();
  await expect(card.getByRole("heading")).toHaveText(heading);
  await card.getByText("Table", { exact: true }).click();
  await expect(
    card.getByRole("columnheader", { name: "Accesses [1/s]" }),
  ).toBeVisible();
  await card.getByRole("button", { name: "How is this computed?" }).click();
  await expect(
    card.getByRole("rowheader", { name: /: rho of disk$/ }).first(),
  ).toBeVisible();
});

test("throughput: after a crash redo comes before anything is served", async ({
  page,
}) => {
  await openReady(
    page,
    "/throughput?workload=example&ram_pages=1000&flash_pages=4000&flash_device=face2016-samsung-840pro-256&disk_device=face2016-cheetah-15k6-single&disks=16&clients=50",
  );
  const panel = page
    .locator("section.tw-panel")
    .filter({ has: page.getByRole("heading", { name: "Course over time" }) })
    .first();
  const interval = panel.getByRole("textbox", { name: "Checkpoint interval" });
  await expect(interval).toHaveCount(0);
  const crash = panel.getByRole("textbox", { name: /^Crash after this share/ });
  await crash.fill("50");
  await crash.press("Enter");
  await interval.fill("2");
  await interval.press("Enter");
  await expect(page).toHaveURL(/interval=2(&|$)/);
  await panel.getByRole("button", { name: "Replay over time" }).click();
  const course = page.getByRole("region", { name: /^Course of/ }).first();
  await expect(course).toContainText(
    /redo reads [\d,]+\spages written since the latest checkpoint, [\d.]+\s% of them from flash/,
  );
  await expectAccessible(page, "course with redo", [course]);
  await interval.fill("0");
  await interval.press("Enter");
  await panel.getByRole("button", { name: "Replay over time" }).click();
  await expect(course).toContainText(/devices read flash back for/);
  await expect(course).not.toContainText("redo reads");
  const options = panel.getByRole("textbox", {
    name: "Options of the scheme or flash cache",
  });
  await options.fill("admission=mixed  assignment=never");
  await options.press("Enter");
  await expect(page).toHaveURL(/course_options=admission%3Dmixed/);
  await panel.getByRole("button", { name: "Replay over time" }).click();
  await expect(course).toContainText(/ 0\.00\s% of the RAM misses hit flash/);
});
