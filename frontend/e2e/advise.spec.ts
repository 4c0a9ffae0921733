import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { changeAsked } from "./asked";
import { expectAccessible } from "./axe";
import { exampleReady } from "./example";
import { openFromMenu } from "./menu";
import { textOf } from "./shown";
import { stateToday } from "./today";

const LONG = { timeout: 120_000 };

// The worked example at the scale of production is there where nobody chose another trace.
const fresh = process.env["TIERWRIGHT_FRESH_URL"];
test.use(fresh === undefined ? {} : { baseURL: fresh });

test("from a workload to what to buy, a limit, an alternative and its bill", async ({
  page,
}) => {
  await expect(async () => {
    const workload = await page.request.get("/api/v1/workloads/example-production");
    expect((await workload.json()).status).toBe("ready");
  }).toPass(LONG);
  await page.goto("/workloads/example-production");
  await page.getByRole("link", { name: "Advise what to buy" }).click();
  await expect(page).toHaveURL(/\/advise\?.*workload=example-production/);

  // The sentence, its verdict and the bill say the same.
  const headline = page.getByRole("region", { name: "Recommendation", exact: true });
  const finding = headline.getByRole("heading");
  await expect(headline).toContainText("It is the cheapest of", LONG);
  await expect(headline).toContainText("Viable: the best of all candidates");
  const total = page.getByRole("table", { name: "Bill of the recommendation" });
  const [cost] = (await headline.getByRole("definition").first().innerText()).split(
    " ",
  );
  await expect(total).toContainText(`Total: ${cost} USD per month`);
  const unknown = page.getByRole("table", { name: "What is not known" });
  await expect(unknown.getByRole("row").nth(1)).toBeVisible(LONG);
  await expect(page.getByRole("table", { name: "Rules of thumb" })).toContainText(
    "RAM for a tenth of the data",
  );
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "advice", [page.getByRole("main")]);

  // The report is saved as PDF: the file of the advice that is shown.
  await headline.getByRole("button", { name: "Report" }).click();
  const saving = page.waitForEvent("download", LONG);
  await page.getByRole("menuitem", { name: "PDF" }).click();
  const file = await saving;
  const shown = await headline.locator("code").innerText();
  expect(file.suggestedFilename()).toBe(`advice-${shown}.pdf`);
  const pdf = await readFile(await file.path());
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  await expect(headline.getByRole("status")).toHaveText(`Saved advice-${shown}.pdf`);

  // An alternative opens its bill and its figures.
  const others = page.getByRole("table", { name: "Alternatives" });
  const second = others.getByRole("row").nth(2).getByRole("button");
  const name = (await second.innerText()).replace(/^▸\s*/, "");
  await second.press("Enter");
  await expect(page.getByRole("table", { name: `Bill of ${name}` })).toContainText(
    "USD per month",
  );
  await expectAccessible(page, "an alternative", [
    page.getByRole("region", { name: "What else was close" }),
  ]);
  // An option of the front is marked in the chart by keys alone.
  const front = page.getByRole("table", { name: "Front" });
  const fastest = front.getByRole("button").last();
  await fastest.press("Enter");
  await expect(fastest).toHaveAttribute("aria-pressed", "true");

  // A limit that the choice breaks: another choice; the last answer stays until it is there.
  const before = await textOf(page, finding);
  await changeAsked(page);
  const time = page.getByRole("textbox", { name: "I/O time per access" });
  await time.fill("2");
  await time.press("Enter");
  await expect(page).toHaveURL(/most_io_us=2/);
  await expect(finding).toBeVisible();
  await expect(finding).not.toHaveText(before, LONG);
  await expect(headline).toContainText(
    "Without the limit on the I/O time of an access",
    LONG,
  );

  // No option keeps it: what conflicts is named, and one press admits an option.
  const budget = page.getByRole("textbox", { name: "Budget per month" });
  await budget.fill("500");
  await budget.press("Enter");
  await expect(finding).toContainText("keeps the limit of 500 USD per month", LONG);
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "limits that conflict", [page.getByRole("main")]);
  await headline.getByRole("button", { name: /^Cost per month: allow/ }).click();
  await expect(headline).toContainText("It is the", LONG);

  // The address holds all of it.
  await page.reload();
  await expect(headline.getByRole("definition").first()).toBeVisible(LONG);
  await expect(
    page.getByRole("button", { name: /^Limits: .*I\/O time per access 2 µs/ }),
  ).toBeVisible();
  await changeAsked(page);
  await expect(time).toHaveValue("2");
  await expect(headline).toContainText("It is the", LONG);

  // What there is becomes an option, and the saving is measured against it.
  await stateToday(page, { ram: "64", disk: /Exos X24/, disks: "12", cost: "20,000" });
  await expect(finding).toContainText("against 20,000 USD today", LONG);

  // The question can be saved, and is opened again as it was.
  const saved = `Advice kept ${Date.now().toString(36)}`;
  await page.getByRole("button", { name: "Save scenario" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(saved);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(`Saved: ${saved}`)).toBeVisible();
  await page.goto("/scenarios");
  await page.getByRole("link", { name: saved }).click();
  await expect(page).toHaveURL(/\/advise\?.*most_io_us=2/);
  await expect(finding).toContainText("against 20,000 USD today", LONG);

  // A template of the team: kept, left, and set again, while what there is stays.
  await changeAsked(page);
  await page.getByRole("button", { name: /Template/ }).click();
  const template = page.getByRole("region", { name: "Template" });
  const team = `Team ${Date.now().toString(36)}`;
  await template.getByRole("textbox", { name: "Name" }).fill(team);
  await template.getByRole("button", { name: "Save as a new template" }).click();
  const standing = template.getByRole("status");
  await expect(standing).toHaveText("The form asks what this template states.");
  await time.fill("3");
  await time.press("Enter");
  await expect(standing).toContainText("The form was changed since");
  await template.getByRole("button", { name: "Set the form to it" }).click();
  await expect(time).toHaveValue("2");
  await expect(page).toHaveURL(/have_usd=20000/);
  await expectAccessible(page, "a template", [template]);
  await template.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText(`Deleted: ${team}`)).toBeVisible();
});

test("the finalists are replayed, and the address finds the check again", {
  tag: "@long",
}, async ({ page }) => {
  await exampleReady(page);
  // RAM so small that it misses, beside machines that hold all of the recording.
  await page.goto(
    "/advise?workload=example&start=cold&have_ram_gib=0.05&have_disks=400&have_usd=30",
  );
  const panel = page.getByRole("region", { name: "Check by replay" });
  const table = panel.getByRole("table", { name: "Model and replay" });
  await expect(table.getByRole("row").nth(1)).toContainText("recommended", LONG);
  const rows = await table.getByRole("row").count();
  const headline = page.getByRole("region", { name: "Recommendation", exact: true });
  await expect(headline).toContainText("By the model, not replayed.");
  await panel.getByRole("button", { name: "Check by replay" }).click();
  await expect(page).toHaveURL(/checked=[0-9a-f]{16}/);

  // The model beside the replay, in the same rows; the headline says what was found.
  await expect(headline).toContainText("options were replayed", LONG);
  await expect(table.getByRole("row")).toHaveCount(rows);
  await expect(panel.getByRole("heading")).toContainText(/^The replay /);
  await expect(table.getByRole("row").nth(1)).toContainText("±");
  await expect(panel.getByRole("button", { name: "Check by replay" })).toHaveCount(0);
  await expectAccessible(page, "a checked advice", [panel]);
  const id = await headline.locator("code").innerText();

  // Opened again, the replays are there.
  await page.reload();
  await expect(headline).toContainText("options were replayed", LONG);
  await expect(headline.locator("code")).toHaveText(id);

  // Production is too large for its recording, beside a server without flash: the reason is stated.
  await page.goto("/advise?workload=example-production&most_flash_gib=2048");
  await expect(headline).toContainText("It is the cheapest of", LONG);
  await panel.getByRole("button", { name: "Check by replay" }).click();
  await expect(panel.getByRole("heading")).toHaveText(
    "The recommendation could not be replayed; what was close could",
    LONG,
  );
  await expect(panel.getByText(/Not checked by a replay: /).first()).toBeVisible();

  // Another question has another advice, which is not checked before a press.
  await changeAsked(page);
  const time = page.getByRole("textbox", { name: "I/O time per access" });
  await time.fill("2");
  await time.press("Enter");
  await expect(panel.getByRole("heading")).toHaveText("Not replayed yet", LONG);
});

test("saved recommendations stand side by side, and are exported", {
  tag: "@long",
}, async ({ page }) => {
  const workload = await page.request.get("/api/v1/workloads/example-production");
  expect((await workload.json()).status).toBe("ready");
  await page.goto("/advise?workload=example-production");
  const headline = page.getByRole("region", { name: "Recommendation", exact: true });
  await expect(headline).toContainText("It is the cheapest of", LONG);
  const stamp = Date.now().toString(36);
  const names = [`Cheap ${stamp}`, `Quick ${stamp}`];
  for (const name of names) {
    await page.getByRole("button", { name: "Save scenario" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText(`Saved: ${name}`)).toBeVisible();
    await changeAsked(page);
    const time = page.getByRole("textbox", { name: "I/O time per access" });
    await time.fill("2");
    await time.press("Enter");
    await expect(page).toHaveURL(/most_io_us=2/);
  }
  await openFromMenu(page, "Library", "Scenarios");
  const compare = page.getByRole("button", { name: "Compare the two selected" });
  await expect(compare).toBeDisabled();
  for (const name of names) {
    await page.getByRole("checkbox", { name: `Choose ${name}` }).press("Space");
  }
  await compare.press("Enter");
  await expect(page).toHaveURL(/\/scenarios\/recommendations\?/);
  const table = page.getByRole("table", { name: "Recommendations", exact: true });
  const columns = table.getByRole("columnheader");
  await expect(columns).toContainText(["Figure", ...names], LONG);
  const cost = table.getByRole("row", { name: /^Cost per month/ });
  await expect(cost.getByRole("cell").last()).toContainText("+");
  await expectAccessible(page, "recommendations side by side", [
    page.getByRole("main"),
  ]);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV of the recommendations" }).click();
  expect((await download).suggestedFilename()).toBe("recommendations.csv");
  // The other one becomes what is compared against: what cost more is cheaper by it.
  await columns
    .last()
    .getByRole("link", { name: /^Compare against it/ })
    .press("Enter");
  await expect(columns).toContainText(["Figure", ...names.toReversed()], LONG);
  await expect(cost.getByRole("cell").last()).toContainText("−");
  await page.goto("/scenarios/recommendations");
  await expect(page.getByText("Nothing to compare yet")).toBeVisible();
});

test("options of the front are pinned, compared, and found again by the address", async ({
  page,
}) => {
  await page.goto("/advise?workload=example-production");
  const front = page.getByRole("table", { name: "Front", exact: true });
  const pins = front.getByRole("button", { name: /^Pin / });
  await expect(pins.first()).toBeVisible(LONG);
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));

  // By keys alone: two pinned, one opened.
  await pins.last().press("Space");
  await pins.nth(1).press("Enter");
  const compare = page.getByRole("region", { name: "Compare" });
  const table = compare.getByRole("table", { name: "Pinned options" });
  await expect(table.getByRole("columnheader")).toHaveCount(4);
  await expect(compare.getByRole("heading")).toHaveText(
    "The recommendation costs least, A takes the least I/O time",
  );
  await expect(table.getByRole("row", { name: /^Cost per month/ })).toContainText("+");
  await expect(table.getByRole("row", { name: /^I\/O time/ })).toContainText("−");
  await front.getByRole("row").last().getByRole("button").first().press("Enter");
  const selected = page.getByRole("region", { name: "Selected option" });
  await expect(selected).toContainText("USD per month");
  await expect(page).toHaveURL(/pins=.*selected=|selected=.*pins=/);
  // What is looked at is no other question.
  expect(asked.filter((url) => url.includes("/advice"))).toEqual([]);
  await expectAccessible(page, "pinned options", [compare, selected]);

  // The link restores the screen.
  const before = await table.innerText();
  const opened = await selected.getByRole("heading").first().innerText();
  await page.reload();
  await expect(table).toBeVisible(LONG);
  await expect.poll(() => table.innerText(), LONG).toBe(before);
  await expect(selected.getByRole("heading").first()).toHaveText(opened);

  // Another question keeps the pins that its front has, and names the others.
  await changeAsked(page);
  const time = page.getByRole("textbox", { name: "I/O time per access" });
  await time.fill("1");
  await time.press("Enter");
  const list = page.getByRole("region", { name: "Options of the front", exact: true });
  await expect(list).toContainText("Not on the front of this answer", LONG);
  await expect(table.getByRole("columnheader")).toHaveCount(3);
  await list.getByRole("button", { name: "Take out of the address" }).press("Enter");
  await expect(list).not.toContainText("Not on the front of this answer");
  await compare.getByRole("button", { name: "Unpin all" }).press("Enter");
  await expect(compare).toHaveCount(0);
  await expect(page).not.toHaveURL(/pins=/);
});

test("a slider of a limit says what the answer with that limit recommends", async ({
  page,
}) => {
  await page.goto("/advise?workload=example-production");
  const stairs = page.getByRole("region", { name: "What a limit costs" });
  const slider = stairs.getByRole("slider", { name: "I/O time of an access" });
  await expect(slider).toBeVisible(LONG);
  await expect(stairs).toContainText("the recommendation stays");
  // Once everything is computed, moving the slider asks for nothing.
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await slider.press("PageDown");
  await slider.press("PageDown");
  await expect(stairs).toContainText("more than the recommendation");
  expect(asked.filter((url) => url.includes("/advice"))).toEqual([]);
  await expectAccessible(page, "a limit", [stairs]);
  const said = /: (.+) for ([\d,.]+) USD per month, .+ more than the rec/.exec(
    await stairs.innerText(),
  );
  const [, name = "", cost = ""] = said ?? [];
  expect(name).not.toBe("");

  await stairs.getByRole("button", { name: "Ask again with this limit" }).click();
  await expect(page).toHaveURL(/most_io_us=/);
  const headline = page.getByRole("region", { name: "Recommendation", exact: true });
  await expect(headline.getByRole("heading")).toContainText(name, LONG);
  await expect(headline.getByRole("definition").first()).toContainText(cost);
  await expect(stairs).toContainText("the recommendation stays");
});

test("the answer comes first: what is asked is a bar of words, which opens by keys", async ({
  page,
}) => {
  const headline = page.getByRole("region", { name: "Recommendation", exact: true });
  const panel = page.getByRole("region", { name: "What is asked" });
  const change = panel.getByRole("button", { name: "Change what is asked" });
  const budget = panel.getByRole("textbox", { name: "Budget per month" });
  // What to buy and its price are on the first screen, of a desk and of a phone.
  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto("/advise?workload=example-production");
    const price = headline.getByRole("definition").first();
    await expect(price).toContainText("per month", LONG);
    await expect(change).toHaveAttribute("aria-expanded", "false");
    await expect(budget).toHaveCount(0);
    for (const shown of [headline.getByRole("heading"), price]) {
      await expect(shown).toBeInViewport({ ratio: 1 });
    }
    await expect(panel).toContainText("Limits: none");
    await expectAccessible(page, `what is asked, ${width} wide`, [panel]);
  }
  // Options with long names are lists on a phone: nothing is squeezed or out of sight.
  for (const name of ["Alternatives", "Rules of thumb", "Bill of the recommendation"]) {
    const region = page.getByRole("region", { name: `Table: ${name}`, exact: true });
    await expect(region).toBeVisible(LONG);
    expect(
      await region.evaluate((element) => element.scrollWidth - element.clientWidth),
    ).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 720 });

  // By keys alone: opened, changed, and still open under the new answer.
  const id = headline.locator("code");
  const before = await textOf(page, id);
  await change.focus();
  await page.keyboard.press("Enter");
  await expect(panel.locator("[aria-expanded]").first()).toBeFocused();
  await budget.focus();
  await page.keyboard.type("1,000");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/most_usd=1000/);
  await expect(budget).toBeFocused();
  await expect(id).not.toHaveText(before, LONG);
  await expect(budget).toBeVisible();

  // A text that cannot be read keeps the form open.
  await budget.fill("plenty");
  await panel.getByRole("button", { name: "Fold what is asked" }).press("Enter");
  await expect(budget).toBeFocused();
  await budget.press("Escape");
  await panel.getByRole("button", { name: "Fold what is asked" }).press("Enter");
  await expect(panel).toContainText("Limits: budget per month 1,000 USD");
  await expect(change).toBeFocused();

  // Each part of the bar opens the form where it is changed; a change is taken back.
  await panel.getByRole("button", { name: /^Limits:/ }).press("Enter");
  await expect(budget).toBeFocused();
  await panel.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(page).not.toHaveURL(/most_usd/);
  await expect(id).toHaveText(before, LONG);
  await expect(panel.getByRole("button", { name: "Undo" })).toHaveCount(0);

  // A link folds again; one with a value that cannot be used opens at its field.
  await page.goto("/advise?workload=example-production&most_usd=2000");
  await expect(panel).toContainText("Limits: budget per month 2,000 USD", LONG);
  await expect(budget).toHaveCount(0);
  await page.goto("/advise?workload=example-production&most_busy=plenty");
  await expect(page.getByRole("alert")).toContainText("most_busy=plenty", LONG);
  await expect(
    panel.getByRole("textbox", { name: "Busy share in the busiest hour" }),
  ).toBeFocused();
});

test("the evidence of an answer opens with its figures", async ({ page }) => {
  await page.goto("/advise?workload=example-production&kinds=devices");
  const expected = page.getByRole("region", { name: "Expected figures" });
  const shown = async (name: string) =>
    (
      await expected
        .locator("dl > div", { has: page.getByText(name, { exact: true }) })
        .locator("dd")
        .evaluate((cell) => cell.firstChild?.textContent ?? "")
    ).trim();
  await expect(expected).toContainText("I/O time per access", LONG);
  const [io, busy] = [
    await shown("I/O time per access"),
    await shown("Busy in the busiest hour"),
  ];
  expect(io).toMatch(/ (µs|ns)$/);
  expect(busy).toMatch(/ %$/);
  const evidence = page.getByRole("region", { name: "Evidence", exact: true });
  await expect(evidence).toContainText(`${io} of I/O time per access`);
  await expectAccessible(page, "the evidence of an answer", [evidence]);

  await evidence.getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page).toHaveURL(/\/compare\?/);
  const schemes = page.getByRole("table").filter({ hasText: "RAM hits" });
  // The table there is in microseconds.
  const [amount, unit] = io.split(" ");
  await expect(schemes.getByRole("row", { name: /No flash/ })).toContainText(
    unit === "ns" ? `${Number(amount) / 1000}` : `${amount}`,
    LONG,
  );

  await page.goBack();
  await evidence.getByRole("link", { name: "Throughput", exact: true }).click();
  const rates = page.getByRole("table", { name: "Response time of every scheme" });
  // The second row of a scheme is that of the busiest hour.
  const peak = rates.getByRole("row", { name: /^No flash / }).nth(1);
  await expect(peak).toContainText(` ${busy}`, LONG);
});
