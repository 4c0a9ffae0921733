import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { exampleReady } from "./example";

const DRIVE = "samsung-pm9a3-7.68tb-u2";
const SLOTS = Array.from(
  { length: 2 },
  (_, at) =>
    `Handle 0x001${at}, DMI type 17, 92 bytes\nMemory Device\n\tSize: 64 GB\n\tLocator: A${at}\n\tType: DDR5\n`,
).join("\n");
const INVENTORY = `{"blockdevices":[${[0, 1]
  .map(
    (at) =>
      `{"name":"nvme${at}n1","type":"disk","size":7681501126656,"rota":false,"tran":"nvme","model":"SAMSUNG MZQL27T6","serial":"S${at}"}`,
  )
  .join(",")}]}\n${SLOTS}`;
const PRICES = (usd: number) =>
  `sku,date,currency,price,unit\nSAMSUNG MZQL27T6,2026-10-01,USD,${usd},EA\nUNKNOWN-1,2026-10-01,USD,5,EA\n`;

const file = (name: string, text: string) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(text),
});

/** Goes to a control as a keyboard does: nothing is clicked, and what cannot be reached fails. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  for (let pressed = 0; pressed < 200; pressed += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${control}`);
}

async function press(page: Page, control: Locator): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.press("Enter");
}

async function type(page: Page, control: Locator, text: string): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}

async function choose(
  page: Page,
  files: readonly ReturnType<typeof file>[],
): Promise<void> {
  const opened = page.waitForEvent("filechooser");
  await press(page, page.getByRole("button", { name: "Choose files" }));
  await (await opened).setFiles([...files]);
  for (const { name } of files) {
    const shown = page.getByRole("region", {
      name: name.replace(/\.[a-z]+$/, ""),
      exact: true,
    });
    await expect(shown.getByText(/rows? (was|were) taken of/)).toBeVisible();
  }
}

/** States that a part number is one thing, and waits until the page knows it. */
async function state(page: Page, part: RegExp, item: string): Promise<void> {
  const line = page.getByRole("group", { name: part });
  await type(page, line.getByRole("combobox", { name: /one piece holds/ }), item);
  await page.keyboard.press("Escape");
  await press(page, line.getByRole("button", { name: /^Keep what/ }));
  await expect(line).toBeHidden();
}

/** The stories start with nothing kept: the mapping is one for all who use the application. */
test.beforeEach(async ({ request }) => {
  await exampleOf(request);
  await request.put("/api/v1/imports/mapping", { data: { line: [] } });
});

async function exampleOf(request: Page["request"]): Promise<void> {
  await exampleReady({ request } as Page);
}

test("a price list becomes a price book, by keyboard alone", async ({ page }) => {
  const name = `Drives ${Date.now().toString(36)}`;
  await page.goto("/quotes");
  await choose(page, [file(`${name}.csv`, PRICES(980)), file("host.txt", INVENTORY)]);
  const list = page.getByRole("region", { name, exact: true });
  const kept = page.getByRole("region", { name: "What the part numbers are" });
  await expect(list.getByText("Unresolved rows (2)")).toBeVisible();
  await expect(kept).toContainText("2 part numbers are not known");

  // One statement tells the drive of the list and that of the host.
  await state(page, /SAMSUNG MZQL27T6/, DRIVE);
  await expect(kept).toContainText(
    "1 part number is known. 1 part number is not known",
  );
  await expect(list.getByText("Unresolved rows (1)")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "RAM today" })).toHaveValue("128");

  await press(page, list.getByRole("button", { name: /as a price book/ }));
  await expect(list.getByRole("status")).toContainText("1 price is in the book");
  await expect(list).toContainText("Prices that are not in the book (1)");
  await expectAccessible(page, "a price list", [list]);
  await press(page, list.getByRole("button", { name: /as a price book/ }));
  await expect(list.getByRole("status")).toContainText("was imported before");

  // A newer list of the same name says what changed.
  await press(page, list.getByRole("button", { name: `Remove ${name}` }));
  await expect(list).toBeHidden();
  await choose(page, [file(`${name}.csv`, PRICES(1020))]);
  await press(page, list.getByRole("button", { name: /as a price book/ }));
  await expect(
    list.getByRole("table", { name: `What changed in ${name}` }),
  ).toContainText(DRIVE);
});
