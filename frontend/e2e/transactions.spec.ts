import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";

const EVENTS = Array.from({ length: 400 }, (_, n) =>
  [`B T${n}`, `U T${n} ${n % 40}`, `R T${n} ${(n * 7) % 90}`, `C T${n}`].join("\n"),
).join("\n");

test("recorded transactions are compared without own data, then with a file", async ({
  page,
}) => {
  await page.goto("/transactions");
  const chart = page.getByRole("region", { name: "I/O time by system", exact: true });
  await expect(chart).toBeVisible({ timeout: 60_000 });
  await expect(
    page.getByText(/A recording of pgbench: 4,007 transactions/),
  ).toBeVisible();
  const table = page.getByRole("table", { name: "Systems side by side" });
  await expect(table.getByRole("row")).toHaveCount(8);
  await expect(table.getByRole("rowheader", { name: "ARIES" })).toBeVisible();
  await expect(
    page.getByRole("table", { name: "Restart after the crash" }),
  ).toBeVisible();
  await expectAccessible(page, "transactions");

  await page.setInputFiles('input[aria-label="File of events"]', {
    name: "mine.txt",
    mimeType: "text/plain",
    buffer: Buffer.from(EVENTS),
  });
  await expect(page.getByText(/mine.txt: 400 transactions/)).toBeVisible({
    timeout: 60_000,
  });
  await expect(page).toHaveURL(/events=/);
  await page.getByLabel("Buffer sizes").fill("8, 32");
  await page.getByLabel("Buffer sizes").press("Enter");
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await expect(page.getByRole("heading", { name: /of 2 buffer sizes/ })).toBeVisible({
    timeout: 60_000,
  });
  await expect(page).toHaveURL(/sizes=/);

  const kept = page.getByRole("table", { name: "Kept replays" });
  await expect(kept.getByRole("row", { name: /mine.txt/ })).toHaveCount(2);
  const shown = kept.getByRole("row", { name: /mine.txt/ }).first();
  await expect(shown.getByRole("button", { name: /Delete/ })).toBeDisabled();
  await kept
    .getByRole("row", { name: /mine.txt/ })
    .last()
    .getByRole("button", { name: /Delete/ })
    .click();
  await expect(kept.getByRole("row", { name: /mine.txt/ })).toHaveCount(1);
  await expectAccessible(page, "transactions with kept replays");

  const address = page.url();
  await page.goto("/");
  await page.goto(address);
  await expect(page.getByRole("heading", { name: /of 2 buffer sizes/ })).toBeVisible({
    timeout: 60_000,
  });
  await page.getByRole("button", { name: "Export" }).first().click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "CSV numbers" }).click();
  expect((await download).suggestedFilename()).toBe("transactions-by-system.csv");
});
