import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";

test("a recording is scaled to production, and its questions are answered there", async ({
  page,
}) => {
  const name = `Orders in production ${Date.now().toString(36)}`;
  await page.goto("/workloads/example");
  const production = page.getByRole("region", { name: "Production", exact: true });
  await expect(production).toContainText("All sizes below are those of the recording");
  await expect(production).toContainText("Enter the size of the data in production");
  const type = async (label: string, value: string) => {
    const field = production.getByLabel(label, { exact: true });
    await field.fill(value);
    await field.press("Enter");
  };
  await type("Data in production", "1 MiB");
  await expect(production).toContainText("Enter the rate of production");
  await type("Page accesses per second", "80,000");
  await expect(production.getByRole("alert")).toContainText(
    "than the 240 MiB that the recording touches",
  );
  await type("Data in production", "4 TiB");
  // What is typed wrong is said at its own field, with what to enter.
  await type("Busiest hour", "40,000");
  const busiest = production.getByLabel("Busiest hour", { exact: true });
  await expect(busiest).toHaveAttribute("aria-invalid", "true");
  await expect(busiest).toHaveAccessibleDescription(
    /40,000 is below the mean rate of 80,000; enter 80,000 or more/,
  );
  await type("Busiest hour", "");
  await type("Data when recorded", "512 MiB");
  await expect(production).toContainText("8,190 times the recorded data");
  await expect(production).toContainText("lients and accesses per unit of work");
  await type("Clients when recorded", "4");
  await type("Accesses per transaction", "20");
  await expect(production).not.toContainText("lients and accesses per unit of work");
  const sizes = production.getByRole("table", { name: "Misses by cache size" });
  await expect(sizes.getByRole("row")).toHaveCount(8);
  await production
    .getByRole("button", { name: "More: law, growth, machines, relations" })
    .click();
  const relations = production.getByRole("table", { name: "Relations" });
  await expect(relations.getByLabel("catalogs grows with the data")).toBeDisabled();
  await relations.getByRole("checkbox").first().uncheck();
  const first = relations.getByRole("row").nth(1);
  await expect(first.getByRole("cell").last()).toHaveText("1");
  // Below the bar at the top a button may be hidden half, which is no fault of its size.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "form of production", [production]);

  // What was typed survives a reload.
  await page.reload();
  await expect(production.getByLabel("Data in production")).toHaveValue("4 TiB");
  await production.getByLabel("Name", { exact: true }).fill(name);
  await production.getByRole("button", { name: "Use in all questions" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(production).toContainText("Sizes and rates are those of production");
  await expect(production).toContainText("scaled 8,190 times by the law relations");
  await expect(page.getByText("so it has no accesses of its own")).toBeVisible();
  // The second axis of the curve is at the rate of production.
  await expect(
    page.getByRole("region", { name: /^Hit ratio over cache size/ }),
  ).toContainText("80,000 accesses per second (production as stated)");
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "workload of production");

  await page.getByRole("link", { name: "Compare schemes" }).click();
  await expect(page.getByRole("columnheader", { name: /^RAM hits/ })).toBeVisible();
  await expect(
    page.getByText(/^On average, 80,000 accesses per second take at least/),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: /^Workload / })).toContainText(
    "4 TiB, 80,000 accesses/s, scaled 8,190 times",
  );
});

test("rates over time are drawn, and a close call is decided at sizes of the recording", {
  tag: "@long",
}, async ({ page }) => {
  const name = `Busy hours ${Date.now().toString(36)}`;
  await page.goto("/workloads/example");
  const production = page.getByRole("region", { name: "Production", exact: true });
  await production.getByLabel("Data in production", { exact: true }).fill("1.88 GiB");
  await production.getByLabel("Data in production", { exact: true }).press("Enter");
  await production
    .getByRole("button", { name: "More: law, growth, machines, relations" })
    .click();
  await production.getByRole("combobox", { name: "Scale law" }).click();
  await page.getByRole("option", { name: /^stretch/ }).click();
  const rates = production.getByLabel("Rates over time");
  await rates.fill("100 soon");
  await expect(production).toContainText("“soon” is not a rate");
  await rates.fill("time,accesses_per_s\n0,100\n3600,700\n9000,100\n");
  await expect(production.getByRole("alert")).toContainText(
    "row 3 begins 5,400 s after",
  );
  await rates.fill("100 700 100 100");
  await expect(production).toContainText("The busiest of 4 hours is number 2");
  await production.getByLabel("Name", { exact: true }).fill(name);
  await production.getByRole("button", { name: "Use in all questions" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(
    production.getByRole("heading", { name: /^The busiest of 4 hours is number 2/ }),
  ).toBeVisible();
  await expect(production).toContainText("700 in the busiest step");
  await expectAccessible(page, "workload with rates over time", [production]);

  const id = new URL(page.url()).pathname.split("/").at(-1);
  const at = (ram: number) =>
    `/compare?workload=${id}&ram_pages=${ram}&flash_pages=48000&flash_device=samsung-pm9a3-7.68tb-u2&disk_device=face2016-cheetah-15k6-raid0-16`;
  await page.goto(at(16_000));
  await expect(
    page.getByText(/Decided by replay.*The recording was replayed at sizes divided by/),
  ).toBeVisible();
  const check = page.getByRole("button", { name: "Check this point" });
  await check.click();
  await expect(page.getByRole("table", { name: "Model and simulation" })).toBeVisible();
  await expect(page.getByText(/not the scale law/).last()).toBeVisible();
  await expectAccessible(page, "check at sizes of the recording", [
    page.getByRole("table", { name: "Model and simulation" }),
    page.getByText(/not the scale law/).last(),
  ]);

  await page.goto(at(2000));
  await expect(page.getByText(/fewer than the 1,000/).first()).toBeVisible();
  await check.click();
  const refused = page.getByRole("alert").filter({ hasText: "could not be run" });
  await expect(refused).toContainText("fewer than the 1,000");
});

test("the pool of a machine of production is split, and its misses are estimated", {
  tag: "@long",
}, async ({ page }) => {
  const example = await page.request.get("/api/v1/workloads/example");
  const { footprint_bytes: recorded } = (await example.json()).summary;
  const name = `Split in production ${Date.now().toString(36)}`;
  const scaled = await page.request.post("/api/v1/workloads/example/scaled", {
    data: { name, data_bytes: 8 * recorded, accesses_per_s: 80_000, law: "stretch" },
  });
  const { id } = await scaled.json();

  await page.goto(`/pool-split?workload=${id}&ram_pages=9048`);
  const there = page.getByRole("region", {
    name: "The split in production",
    exact: true,
  });
  await expect(there).toContainText("On one machine of production, a buffer of 9,048");
  await expect(there).toContainText("at sizes divided by 8: RAM of 1,131 pages");
  await expect(there.getByRole("row")).toHaveCount(4);
  await expect(
    page.getByRole("region", { name: /^Cost over the clean share/ }),
  ).toContainText("a buffer of 9,048 pages");
  await expectAccessible(page, "pool split of production");
  const size = page.getByRole("textbox", { name: "Exact buffer size" });
  await size.fill("7 MiB");
  await size.press("Enter");
  await expect(
    page.getByRole("alert").filter({ hasText: "could not be computed" }),
  ).toContainText("RAM would have 112 pages, fewer than the 1,000");

  // Its run leads back to the buffer of production.
  await page.goto("/runs");
  await page
    .getByRole("link", { name: /^Pool split of Split in production .* at 9,048 pages/ })
    .first()
    .click();
  await expect(size).toHaveValue("9,048 pages");
  await expect(there).toContainText("a buffer of 9,048");
  await page.getByRole("button", { name: "Replay the advisor" }).click();
  const followed = page.getByRole("region", { name: /^The adaptive split of/ });
  await expect(followed).toContainText(
    "of 9,048 pages, and 80,000 accesses per second",
  );

  await page.goto(
    `/simulate?workload=${id}&estimate_sizes=4000,64000&estimate_rate=0.5`,
  );
  await page.getByRole("button", { name: "Estimate all sizes" }).click();
  const estimate = page.getByRole("region", { name: /^Estimated hit ratio of ARC/ });
  await expect(estimate).toContainText("has 80,000 accesses per second");
  await expect(
    page.getByText("4,000 pages: Not checked by a replay").first(),
  ).toBeVisible();
  await expect(
    page.getByText(/at sizes divided by 8: RAM of 8,000 pages/),
  ).toBeVisible();
  await expectAccessible(page, "estimate of production", [estimate]);
});
