import { type APIRequestContext, expect, type Page, test } from "@playwright/test";
import { changeAsked } from "./asked";
import { expectAccessible } from "./axe";

const unique = () => Date.now().toString(36);

/** A workload described in numbers, ready at once. */
async function described(
  request: APIRequestContext,
  name: string,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const made = await request.post("/api/v1/workloads/from-description", {
    data: {
      name,
      data_bytes: 2 ** 36,
      accesses_per_s: 20_000,
      page_bytes: 8192,
      write_share: 0.3,
      components: [{ kind: "zipf", exponent: 1 }],
      ...changes,
    },
  });
  expect(made.status()).toBe(201);
  return ((await made.json()) as { id: string }).id;
}

/** Below the bar at the top a button may be hidden half, which is no fault of its size. */
const toTop = (page: Page) => page.evaluate(() => window.scrollTo(0, 0));

test("workloads are put on one machine, looked at, and kept as one", async ({
  page,
}) => {
  const mark = unique();
  const [orders, logs] = [`Orders ${mark}`, `Logs ${mark}`];
  await described(page.request, orders);
  await described(page.request, logs, {
    components: [{ kind: "uniform" }],
    accesses_per_s: 5000,
  });
  await page.goto("/workloads");
  const together = page.getByRole("button", { name: "Put on one machine" });
  await expect(together).toBeDisabled();
  await expect(page.getByText("Select two workloads or more")).toBeVisible();
  // By keyboard alone.
  await page.getByRole("checkbox", { name: `Select ${orders}` }).focus();
  await page.keyboard.press("Space");
  await expect(page.getByText("1 workload selected; select another one")).toBeVisible();
  await page.getByRole("checkbox", { name: `Select ${logs}` }).focus();
  await page.keyboard.press("Space");
  await expect(page.getByText("2 workloads selected")).toBeVisible();
  await toTop(page);
  await expectAccessible(page, "selected workloads", [
    page.getByRole("row", { name: orders }),
    page.getByRole("row", { name: logs }),
    page.getByRole("link", { name: "Put on one machine" }),
    page.getByText("2 workloads selected"),
  ]);
  await page.getByRole("link", { name: "Put on one machine" }).press("Enter");

  await expect(
    page.getByRole("heading", { level: 1, name: "Workloads on one machine" }),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/workloads\/compose\?.*of=/);
  const curves = page.getByRole("img", {
    name: "Hit ratio of several workloads over cache size",
  });
  await expect(curves).toBeVisible();
  const size = page.getByRole("region", { name: "Size of the cache" });
  await expect(size).toContainText("2 workloads in one cache of 12.8 GiB miss");
  await expect(
    page.getByText(/^Sharing loses: a part for each would have/),
  ).toBeVisible();
  await expect(page.getByText(/were at most 5 % off/)).toBeVisible();
  const shares = page.getByRole("table", { name: "What each workload gets" });
  await expect(shares.getByRole("row")).toHaveCount(3);
  await expect(shares.getByRole("columnheader", { name: "Cache held" })).toBeVisible();
  await expect(
    page.getByRole("img", { name: "Misses per second by workload" }),
  ).toBeVisible();
  await toTop(page);
  await expectAccessible(page, "one shared cache");

  // Everything is in the address.
  await size.getByText("A part for each", { exact: true }).click();
  await expect(shares.getByRole("columnheader", { name: "Its part" })).toBeVisible();
  await size.getByLabel("Exact cache size").fill("32 GiB");
  await size.getByLabel("Exact cache size").press("Enter");
  const rate = page.getByLabel(`Accesses per second of ${logs}`);
  await expect(rate).toHaveAttribute("placeholder", "5,000");
  await rate.fill("40,000");
  await rate.press("Enter");
  await expect(shares.getByRole("row", { name: logs })).toContainText("40,000");
  await expect(page).toHaveURL(/cache_pages=4194304/);
  await page.reload();
  await expect(rate).toHaveValue("40,000");
  await expect(
    page.getByText(/^32\sGiB split into a part for each hits/),
  ).toBeVisible();
  await expect(shares.getByRole("row", { name: logs })).toContainText("40,000");
  await page
    .getByRole("radiogroup", { name: "View of Hit ratio of several workloads" })
    .getByText("Table", { exact: true })
    .click();
  await expect(
    page.getByRole("columnheader", { name: `Hit ratio, ${orders} alone` }),
  ).toBeVisible();
  await toTop(page);
  await expectAccessible(page, "a part for each");

  const name = `Both ${mark}`;
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create this workload" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(
    page.getByText("One cache that several workloads share, computed"),
  ).toBeVisible();
  await expect(page.getByText(`${logs}, 40,000 accesses/s`)).toBeVisible();
  await toTop(page);
  await expectAccessible(page, "a composed workload");

  await page.getByRole("link", { name: "Compare schemes" }).click();
  await expect(page.getByRole("columnheader", { name: /^RAM hits/ })).toBeVisible();
  await expect(page.getByText(/composed of 2 workloads, not measured/)).toBeVisible();
  // Its write-backs are known.
  await expect(page.getByText("Dirty share of the evicted pages")).toHaveCount(0);
});

test("what to buy for several workloads: limits, other ways, a limit that nothing keeps", async ({
  page,
}) => {
  const mark = unique();
  const [orders, logs] = [`Orders ${mark}`, `Logs ${mark}`];
  const first = await described(page.request, orders);
  const second = await described(page.request, logs, {
    components: [{ kind: "uniform" }],
    accesses_per_s: 5000,
  });
  await page.goto(`/workloads/compose?of=${first},${second}:4000`);
  await page.getByRole("link", { name: "Advise on all of them" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Advise" })).toBeVisible();
  const best = page.getByRole("region", { name: "Recommendation", exact: true });
  await expect(
    best.getByRole("heading", { name: /systems? for 2 workloads: .* USD per month/ }),
  ).toBeVisible();
  await expect(page.getByRole("table", { name: "Systems", exact: true })).toContainText(
    orders,
  );
  await expect(
    page.getByRole("table", { name: "Other ways to share" }).getByRole("row"),
  ).toHaveCount(3);
  await expect(
    page.getByRole("region", { name: /^Bill of materials/ }),
  ).not.toHaveCount(0);
  await changeAsked(page);
  await page.getByRole("button", { name: "More workloads (1 more)" }).click();
  await expect(page.getByLabel(`Accesses per second of ${logs}`)).toHaveValue("4,000");
  await toTop(page);
  await expectAccessible(page, "an answer for several workloads");

  // A budget that nothing keeps: the answer offers the least that it can be.
  const title = (await best.getByRole("heading").textContent()) ?? "";
  const cost = Number(/: ([\d,.]+) USD/.exec(title)?.[1]?.replaceAll(",", ""));
  const short = String(Math.floor(cost) - 1);
  const budget = page.getByLabel("Budget per month");
  await budget.fill(short);
  await budget.press("Enter");
  await expect(page.getByText(/question before the last change/)).toBeVisible();
  await page.getByRole("button", { name: "Ask again" }).click();
  const relax = best.getByRole("button", { name: /^Cost per month: allow/ });
  await expect(relax).toBeVisible();
  await expect(best).toContainText(/Relax/);
  await toTop(page);
  await expectAccessible(page, "no choice of systems");
  // The button that asks folds the form, whose words say what was changed.
  await expect(budget).toHaveCount(0);
  const allowed = /allow ([\d,.]+) USD/.exec((await relax.textContent()) ?? "")?.[1];
  expect(Number(allowed?.replaceAll(",", ""))).toBeCloseTo(cost, 0);
  await relax.click();
  await expect(page.getByRole("region", { name: "What is asked" })).toContainText(
    `Limits: budget per month ${allowed} USD`,
  );
  await page.getByRole("button", { name: "Ask again" }).click();
  await expect(
    best.getByRole("heading", { name: /systems? for 2 workloads: .* USD per month/ }),
  ).toBeVisible();
  // The address alone restores the question, and one workload less is the advice on the other.
  await page.reload();
  await expect(
    best.getByRole("heading", { name: /systems? for 2 workloads/ }),
  ).toBeVisible();
  await changeAsked(page);
  await page.getByRole("button", { name: "More workloads (1 more)" }).click();
  await page.getByRole("button", { name: `Remove ${logs}` }).click();
  await expect(page.getByText("Expected figures", { exact: true })).toBeVisible();
});

test("what cannot be composed is said, and what is missing is asked for", {
  tag: "@long",
}, async ({ page }) => {
  const mark = unique();
  const orders = await described(page.request, `Orders ${mark}`);
  const small = await described(page.request, `Small pages ${mark}`, {
    page_bytes: 4096,
  });
  await page.goto("/workloads/compose");
  await expect(page.getByText("No workload on this machine yet")).toBeVisible();
  await expectAccessible(page, "no workload yet");
  await page.goto(`/workloads/compose?of=${orders}`);
  await expect(page.getByText("One workload so far")).toBeVisible();

  await page.goto(`/workloads/compose?of=${orders},${small}`);
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("These workloads cannot be composed");
  await expect(alert).toContainText(`must be that of Orders ${mark}, 8192`);
  await expectAccessible(page, "page sizes that differ", [alert]);
  await page.getByRole("button", { name: `Remove Small pages ${mark}` }).click();
  await page.getByRole("combobox", { name: "Add a workload" }).fill(`Orders ${mark}`);
  await page.getByRole("option", { name: `Orders ${mark}`, exact: true }).click();
  await expect(
    page
      .getByRole("table", { name: "What each workload gets" })
      .getByRole("row", { name: `Orders ${mark} #2` }),
  ).toBeVisible();
  await expect(page.getByText(/^Sharing neither gains nor loses/)).toBeVisible();

  await page.goto(`/workloads/compose?of=${orders},nobody`);
  await expect(alert).toContainText("There is no workload “nobody”");
  await page.getByRole("button", { name: "Remove nobody" }).click();
  await expect(page.getByText("One workload so far")).toBeVisible();
  await page.goto("/workloads/compose?of=Not%20an%20id");
  await expect(alert).toContainText("Part of this address was not valid");
});
