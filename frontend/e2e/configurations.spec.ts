import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { exampleReady } from "./example";

test("a workload of production: what can be bought, with its bill", async ({
  page,
}) => {
  await exampleReady(page);
  const made = await page.request.post("/api/v1/workloads/example/scaled", {
    data: {
      name: "What can be bought",
      data_bytes: 4 * 2 ** 40,
      accesses_per_s: 80_000,
      machines: 2,
      replicas: 2,
    },
  });
  expect(made.status()).toBe(201);
  const { id } = await made.json();
  try {
    await page.goto(`/workloads/${id}`);
    const card = page.getByRole("region", {
      name: "Configurations by money and I/O time",
    });
    const panel = page.getByRole("region", {
      name: "What can be bought for it",
      exact: true,
    });
    const heading = card.getByRole("heading");
    const excluded = page.getByRole("listitem");
    await expect(heading).toContainText("configurations that suit 4 TiB:");
    // No chassis has a price: what is built from parts is ranked apart.
    const unpriced = page.getByText("No price of chassis was found");
    await expect(unpriced).toHaveCount(1); // among the folded notes
    await expect(
      excluded.filter({ hasText: "cannot hold 2 copies of 4 TiB" }),
    ).toBeVisible();
    await expectAccessible(page, "what can be bought", [card, panel]);

    const chassis = panel.getByRole("textbox", {
      name: "Price of a chassis with processors",
    });
    await chassis.fill("9000");
    await chassis.press("Enter");
    await expect(unpriced).toHaveCount(0);
    const limit = panel.getByRole("textbox", {
      name: "Limit of the I/O time per access",
    });
    await limit.fill("0.5");
    await limit.press("Enter");
    await expect(
      excluded.filter({ hasText: "take more than 0.500 µs per access" }),
    ).toBeVisible();

    // The cheapest opens its bill, which comes to the same.
    const table = page.getByRole("table", { name: "Configurations" });
    const first = table.getByRole("row").nth(1);
    const purchase = await first.getByRole("cell").nth(1).innerText();
    await first.getByRole("link").click();
    await expect(page).toHaveURL(/\/hardware\?.*bill_parts=/);
    await expect(
      page.getByRole("table", { name: "Lines of Built from parts" }),
    ).toContainText(`${purchase} USD at purchase`);
  } finally {
    await page.request.delete(`/api/v1/workloads/${id}`);
  }
});
