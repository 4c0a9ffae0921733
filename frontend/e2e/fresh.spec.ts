import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";

// An application on which nobody has done anything yet; without one, the usual application.
const fresh = process.env["TIERWRIGHT_FRESH_URL"];
test.use(fresh === undefined ? {} : { baseURL: fresh });

test("a newcomer finds an answer at the scale of production, and what it rests on", async ({
  page,
}) => {
  await page.goto("/");
  const answer = page.getByRole("region", { name: "Answer for the current workload" });
  await expect(answer).toContainText("4 TiB of data at 20,000 accesses/s");
  await expect(answer.getByRole("heading", { level: 2 })).toHaveText(
    /costs least:\s[\d,]+\sUSD a month for .*flash devices? and RAM, [\d,]+\sUSD less/,
  );
  await expect(answer).toContainText("In the busiest hour, 50,000 accesses per second");
  // Which machines are counted is said, and the first thing to do is to ask what to buy.
  await expect(answer).toContainText("the machines that they need are not counted");
  await expect(answer.getByRole("link").first()).toHaveText("Advise what to buy");
  await expectAccessible(page, "start with the worked example");

  await answer.getByRole("link", { name: "Open the comparison" }).click();
  const devices = page.getByRole("table", { name: "Devices for production" });
  await expect(devices.getByRole("row")).toHaveCount(8);
  const cells = async (name: RegExp) =>
    devices.getByRole("row", { name }).getByRole("cell").allTextContents();
  const [, none] = await cells(/^No flash/);
  const [, exclusive] = await cells(/^Exclusive/);
  expect(Number(none)).toBeGreaterThan(Number(exclusive));
  const [onFlash, without] = await cells(/^Everything on flash/);
  expect(Number(onFlash)).toBeGreaterThan(0);
  expect(without).toBe("0");
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "comparison at production");

  await page.goto("/workloads");
  const rows = page.getByRole("row");
  await expect(rows.filter({ hasText: "Worked example: TPC-C" })).toHaveCount(1);
  await expect(rows.filter({ hasText: "Recording of the worked example" })).toHaveCount(
    1,
  );
});

test("every question answers for the worked example", async ({ page }) => {
  for (const path of [
    "/advise",
    "/scheme-map",
    "/pool-split",
    "/wear",
    "/dram-or-flash",
    "/throughput",
    "/simulate",
  ]) {
    await page.goto(path, { waitUntil: "networkidle" });
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("button", { name: /^Workload / })).toContainText(
      "Worked example",
    );
    await expect(page.getByRole("alert"), path).toHaveCount(0);
  }
});
