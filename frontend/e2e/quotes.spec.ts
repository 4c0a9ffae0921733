import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { exampleReady } from "./example";
import { picture } from "./picture";

/** The command of the same version as the application. */
const COMMAND =
  process.env["TIERWRIGHT_COMMAND"] ??
  join(import.meta.dirname, "../../.venv/bin/tierwright");

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
const until = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** A cart as a shop posts it: two servers in one line, and their rails. */
const CART = [
  ["BOX-1", "Server R760, 16 x 64 GB, 4 x 7.68 TB", "1", "21480.00"],
  ["RAIL-4", "Rails", "1", "120.00"],
]
  .map(([part, text, quantity, price], at) =>
    Object.entries({
      DESCRIPTION: text,
      QUANTITY: quantity,
      UNIT: "EA",
      PRICE: price,
      CURRENCY: "USD",
      VENDOR: "ACME",
      VENDORMAT: part,
      LEADTIME: "15",
      EXT_QUOTE_ID: "Q-17",
    })
      .map(
        ([name, value]) =>
          `NEW_ITEM-${name}[${at + 1}]=${encodeURIComponent(value ?? "")}`,
      )
      .join("&"),
  )
  .join("&");

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

test("a cart, a price list and an inventory become a paper that passes its check", {
  tag: "@long",
}, async ({ page }) => {
  const began = Date.now();
  await page.goto("/quotes");
  await choose(page, [
    file("cart.txt", CART),
    file("prices.csv", PRICES(980)),
    file("host.txt", INVENTORY),
  ]);
  await state(page, /SAMSUNG MZQL27T6/, DRIVE);
  await state(page, /RAIL-4/, "rails");
  await expectAccessible(page, "quotes");

  const box = page.getByRole("group", { name: /BOX-1/ });
  for (const [item, many, isLast] of [
    ["chassis-dell-r760", "1", false],
    ["dimm-ddr5-rdimm-64gb", "16", false],
    ["power", "2", false],
    [DRIVE, "4", true],
  ] as const) {
    await type(page, box.getByRole("combobox", { name: /one piece holds/ }), item);
    await page.keyboard.press("Escape");
    await type(page, box.getByRole("textbox", { name: "How many" }), many);
    await press(
      page,
      box.getByRole("button", { name: isLast ? /^Keep what/ : /and more/ }),
    );
  }
  await expect(box).toBeHidden();

  const today = page.getByRole("textbox", { name: "Cost per month today" });
  await type(page, today, "900");
  await page.keyboard.press("Tab");
  const ranking = page.getByRole("region", { name: "Ranking" });
  const ranked = ranking.getByRole("table", { name: "Quotes that keep every limit" });
  await expect(ranked).toContainText("Q-17");
  await expect(ranked).toContainText("Do nothing");
  await picture(page, "quotes-1-ranking", ranking);

  const paper = page.getByRole("region", { name: "The paper for approval" });
  const check = page.getByRole("region", { name: "Check of the paper" });
  await expect(check.getByRole("listitem").first()).toBeVisible();
  for (const [label, text] of [
    ["Need", "Orders double in a year"],
    ["Source of growth and of the busiest hour", "forecast of sales, 2026-09"],
    ["Source of what doing nothing costs", `${until(-30)}, invoices`],
    // A cart does not state until when its prices hold.
    ["Validity of quote Q-17", `${until(30)}, mail of ACME`],
  ] as const) {
    await type(page, paper.getByRole("textbox", { name: label, exact: true }), text);
  }
  // On a server that told this story before, the replays are kept.
  const confirm = paper.getByRole("button", { name: "Confirm by replay" });
  if (await confirm.isVisible()) {
    await press(page, confirm);
  }
  await expect(check).not.toContainText("No independent replay");
  await expect(check).toHaveAttribute("aria-busy", "false");
  const open = paper.getByRole("textbox", { name: /^Why .* holds$/ });
  for (let at = 0; at < (await open.count()); at += 1) {
    await type(page, open.nth(at), "measured in September");
  }
  await expect(check.getByRole("status")).toContainText("The paper passes its check");
  await expectAccessible(page, "the paper", [paper]);
  await picture(page, "quotes-2-paper", paper);

  for (const [form, name] of [
    ["PDF", /^quotes-.*\.pdf$/],
    ["JSON", /^quotes-.*\.json$/],
  ] as const) {
    const saving = page.waitForEvent("download");
    await press(page, paper.getByRole("button", { name: "Save" }));
    const item = page.getByRole("menuitem", { name: form });
    await expect(item).toBeVisible();
    // Letters choose among the items of a menu, once it has the focus.
    await expect(page.locator('[role="menu"]:focus, [role="menu"] :focus')).toHaveCount(
      1,
    );
    await page.keyboard.type(form);
    await expect(item).toBeFocused();
    await page.keyboard.press("Enter");
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(name);
    if (form === "JSON") {
      const said = execFileSync(COMMAND, ["report", "check", await saved.path()]);
      expect(said.toString()).toContain("would not send it back");
    }
  }
  expect(Date.now() - began).toBeLessThan(600_000);
});

test("a table of another system is read by its columns, by keyboard alone", async ({
  page,
}) => {
  await page.goto("/quotes");
  const opened = page.waitForEvent("filechooser");
  await press(page, page.getByRole("button", { name: "Choose files" }));
  const table = "Name;RAM (MB);Platten;GB\ndb1;131072;2;7680\n";
  await (await opened).setFiles([file("cmdb.csv", table)]);
  const shown = page.getByRole("region", { name: "cmdb", exact: true });
  await expect(shown.getByRole("alert")).toContainText("could not be read");
  const kind = shown.getByRole("combobox", { name: "What cmdb is" });
  await tabTo(page, kind);
  await page.keyboard.press("Enter");
  await page.keyboard.type("Inv");
  await page.getByRole("option", { name: "Inventory" }).click();
  await press(page, shown.getByText("Columns of cmdb have other names"));
  for (const [label, text] of [
    ["Columns of cmdb", "host=Name\nram=RAM (MB)\ndrives=Platten\ndrive_size=GB"],
    ["The same in every row of cmdb", "memory_unit=MiB\ndrive_unit=GB"],
  ] as const) {
    await type(page, shown.getByRole("textbox", { name: label, exact: true }), text);
  }
  await expectAccessible(page, "columns of a table", [shown]);
  await press(page, shown.getByRole("button", { name: /^Read with these/ }));
  await expect(shown.getByText("1 row was taken of 1")).toBeVisible();
  await expect(shown.getByRole("table", { name: "Units of cmdb" })).toContainText(
    "2^20 bytes",
  );
});
