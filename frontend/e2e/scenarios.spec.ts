import { expect, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openReady } from "./example";

const STAMP = Date.now().toString(36);

interface Story {
  readonly path: string;
  readonly label: string;
  /** What is set by hand before the page is saved. */
  readonly set: (page: Page) => Promise<void>;
  /** Parts of the address that this leaves there. */
  readonly address: RegExp;
}

async function press(page: Page, slider: string | RegExp, key: string) {
  const exact = typeof slider === "string";
  await page.getByRole("slider", { name: slider, exact }).press(key);
}

const STORIES: readonly Story[] = [
  {
    path: "/scheme-map?x=dirty_share",
    label: "Scheme map",
    set: (page) => press(page, /^Move upwards/, "ArrowRight"),
    address: /x=dirty_share/,
  },
  {
    path: "/pool-split",
    label: "Pool split",
    set: async (page) => {
      const asymmetry = page.getByRole("slider", { name: /asymmetry/i });
      await asymmetry.press("PageUp");
    },
    address: /asymmetry=/,
  },
  {
    path: "/dram-or-flash",
    label: "DRAM or flash",
    set: (page) => press(page, "Price ratio, flash over DRAM", "ArrowRight"),
    address: /price_ratio=/,
  },
  {
    path: "/wear",
    label: "Wear and recovery",
    set: (page) => press(page, "Load", "PageUp"),
    address: /rate=/,
  },
  {
    path: "/throughput",
    label: "Throughput",
    set: (page) => press(page, "Clients", "PageUp"),
    address: /clients=/,
  },
  {
    path: "/simulate?contenders=policy:lru",
    label: "Simulate",
    set: async (page) => {
      await page.getByRole("button", { name: "Run the sweep" }).click();
      await expect(
        page.getByRole("button", { name: "All replays are done" }),
      ).toBeVisible();
    },
    address: /contenders=.*sweep=/,
  },
];

const parameters = (page: Page) =>
  Object.fromEntries(new URL(page.url()).searchParams.entries());

for (const [index, { path, label, set, address }] of STORIES.entries()) {
  // What differs from page to page is little: of all but the first the long tests make sure.
  const tag = index === 0 ? [] : ["@long"];
  test(`${label} is saved, listed under its page, and opened again`, { tag }, async ({
    page,
  }) => {
    const name = `${label} kept ${STAMP}`;
    await openReady(page, path);
    await expect(page.getByRole("button", { name: "Save scenario" })).toBeVisible();
    await set(page);
    await page.getByRole("button", { name: "Save scenario" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByLabel("Name")).toHaveValue(new RegExp(`: ${label}`));
    await expectAccessible(page, `${label}, saving`, [dialog]);
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText(`Saved: ${name}`)).toBeVisible();
    await expect(page).toHaveURL(address);
    const shown = parameters(page);

    await page.goto("/scenarios");
    const row = page.getByRole("row", { name: new RegExp(name) });
    await expect(row.getByRole("cell", { name: label, exact: true })).toBeVisible();
    await expect(row.getByRole("checkbox")).toBeDisabled();
    await row.getByRole("link", { name }).click();
    await expect(page.getByRole("button", { name: "Save scenario" })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`^[^?]*${path.split("?")[0]}\\?`));
    await expect
      .poll(() => parameters(page))
      .toEqual({ ...shown, scenario: expect.any(String) });
    const kept = page.getByRole("region", { name: "Saved answer" });
    await expect(kept).toContainText("The saved answer is unchanged");
  });
}

test("the name of a scenario is never taken twice", async ({ page }) => {
  const name = `Only once ${STAMP}`;
  await page.goto("/wear");
  for (const turn of [1, 2]) {
    await page.getByRole("button", { name: "Save scenario" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill(name);
    const save = dialog.getByRole("button", { name: "Save" });
    if (turn === 1) {
      await save.click();
      await expect(page.getByText(`Saved: ${name}`)).toBeVisible();
    } else {
      await expect(dialog.getByText("another scenario has this name")).toBeVisible();
      await expect(save).toBeDisabled();
    }
  }
  await page.goto("/scenarios");
  await page.getByRole("button", { name: `Delete ${name}` }).click();
  // A message stays as long as the pointer rests on it.
  await page.getByRole("button", { name: "Undo" }).hover();
  await expect(page.getByRole("link", { name })).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name }).click();
  await expect(page).toHaveURL(/\/wear\?/);
});

test("a price that changed shows the saved answer beside the present one", async ({
  page,
}) => {
  const name = `Offer ${STAMP}`;
  const book = (usdPerGb: string) => ({
    name: `Prices ${STAMP}`,
    date: "2026-05",
    prices: ["dram", "nvme", "sata_ssd", "hdd", "hdd_array"].map((kind) => ({
      kind,
      usd_per_gb: usdPerGb,
      source: "an offer",
    })),
  });
  const books = "/api/v1/catalog/price-books";
  const made = await page.request.post(books, { data: book("0.5") });
  expect(made.ok()).toBe(true);
  const { id } = await made.json();
  await page.goto(`/compare?price_book=${id}`);
  await page.getByRole("button", { name: "Save scenario" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(`Saved: ${name}`)).toBeVisible();
  const put = await page.request.put(`${books}/${id}`, { data: book("0.25") });
  expect(put.ok()).toBe(true);

  await page.goto("/scenarios");
  const row = page.getByRole("row", { name: new RegExp(name) });
  await row.getByRole("button", { name: `Then and now: ${name}` }).click();
  const beside = page.getByRole("dialog");
  await expect(beside).toContainText(/\d+ of \d+ key figures changed/);
  await expect(beside).toContainText(`Changed since then: price book Prices ${STAMP}.`);
  await expect(beside.getByRole("row", { name: /nvme/ })).toContainText("0.25 USD/GB");
  await expectAccessible(page, "a saved answer beside the present one", [beside]);
  await beside.getByRole("button", { name: "Close" }).click();

  await row.getByRole("link", { name }).click();
  const kept = page.getByRole("region", { name: "Saved answer" });
  await expect(kept).toContainText(/\d+ of \d+ key figures changed/);
  await expect(kept.getByRole("row", { name: /Cost/ }).first()).toContainText("−50 %");
  // Another size is another question than the one saved.
  await page.getByRole("slider", { name: /RAM/ }).first().press("PageUp");
  await expect(kept).toBeHidden();
  await page.goBack();
  await page.goto("/scenarios");
  await row.getByRole("link", { name }).click();
  await kept.getByRole("button", { name: "Save the current answer" }).click();
  await expect(kept).toContainText("The saved answer is unchanged");
});
