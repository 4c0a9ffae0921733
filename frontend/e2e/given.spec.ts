import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openFromMenu } from "./menu";
import { textOf } from "./shown";
import { showNote } from "./unfold";

const unique = () => Date.now().toString(36);

async function choose(page: Page, label: string, option: string | RegExp) {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("a pasted curve is questioned, repaired, made a workload and compared as a range", async ({
  page,
}) => {
  const name = `Pasted ${unique()}`;
  await page.goto("/");
  await page.getByRole("link", { name: "Paste a hit-ratio curve" }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: "Paste a curve" }),
  ).toBeVisible();
  await expectAccessible(page, "empty curve page");

  await page.getByLabel("Lines").fill("64;41%\n256;39%\n1024;82%\n4096;93%\n");
  const questions = page.getByRole("listitem");
  await expect(
    questions.filter({ hasText: "In which unit are the sizes?" }),
  ).toBeVisible();
  await page.getByRole("button", { name: "MiB", exact: true }).click();
  await choose(page, "Page size", "8 KiB");
  await page.getByLabel("Page accesses", { exact: true }).fill("12,000,000");
  await expect(page.getByText("line 2", { exact: true })).toBeVisible();
  await expect(page.getByText(/the hit ratio falls below/)).toBeVisible();
  const use = page.getByRole("button", { name: "Use this curve" });
  await expect(use).toBeDisabled();
  await expectAccessible(page, "curve with a problem");

  await page.getByLabel(/^Repair:/).check();
  await expect(page.getByText(/^Repaired: 2 of 4 ratios/)).toBeVisible();
  await expect(
    page.getByRole("img", { name: "Hit ratio over cache size of the given curve" }),
  ).toBeVisible();
  await page.getByLabel("Workload name").fill(name);
  // Below the bar at the top a button may be hidden half, which is no fault of its size.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, "repaired curve");
  await use.click();

  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(
    page.getByText("How many pages are written back is not known"),
  ).toBeVisible();
  await expect(page.getByText("What this workload cannot answer")).toBeVisible();
  await expectAccessible(page, "workload of a curve");

  await page.getByRole("link", { name: "Compare schemes" }).click();
  await expect(page.getByRole("columnheader", { name: /^RAM hits/ })).toBeVisible();
  const times = page.getByRole("button", { name: /^Why this number: .* to .* µs/ });
  await expect(times.first()).toBeVisible();
  await expect(page.getByText("No check by simulation")).toBeVisible();
  await expectAccessible(page, "comparison of a curve");

  await page.getByLabel("Set a share, the same at every size").check();
  await expect(page).toHaveURL(/dirty_share=0\.3/);
  await expect(times).toHaveCount(0);
  await showNote(page, /a dirty share of 0\.3/);
  await page.reload();
  await expect(page.getByLabel("Dirty share [%]")).toHaveValue("30");
  await showNote(page, /a dirty share of 0\.3/);

  for (const [link, said] of [
    ["Simulate", "There is no trace to replay"],
    ["Pool split", "A pool split needs a trace"],
  ] as const) {
    await openFromMenu(page, "Explore", link);
    await expect(page.getByText(said)).toBeVisible();
    await expectAccessible(page, link);
  }
});

test("what rests on an unknown dirty share is told at both ends on every page", {
  tag: "@long",
}, async ({ page }) => {
  const made = await page.request.post("/api/v1/workloads/from-curve", {
    data: {
      name: `Unknown writes ${unique()}`,
      text: "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n",
      page_bytes: 8192,
      accesses: 10_000_000,
    },
  });
  expect(made.status()).toBe(201);
  const { id } = await made.json();
  const asked = `workload=${id}&ram_pages=2000&flash_pages=9000`;
  const unknown = /share of evicted pages that are dirty is unknown/i;
  const none = page.getByText("No dirty pages", { exact: true });

  await page.goto(`/wear?${asked}&rate=20000`);
  const onWear = await showNote(page, unknown);
  await expect(
    page.getByRole("button", { name: /^Life of Lazy, .*years to / }),
  ).toBeVisible();
  await expectAccessible(page, "wear of a curve", [
    onWear,
    page.getByRole("region", { name: /^Life of the flash/ }),
  ]);

  await page.goto(`/throughput?${asked}`);
  const onThroughput = await showNote(page, unknown);
  const schemes = page.getByRole("table", { name: "Throughput of every scheme" });
  const lazy = schemes.getByRole("row", { name: /Lazy/ });
  const most = await textOf(page, lazy);
  await none.click();
  await expect(lazy).not.toHaveText(most);
  await expectAccessible(page, "throughput of a curve", [onThroughput, schemes, none]);

  await page.goto(`/dram-or-flash?${asked}`);
  const onMoney = await showNote(page, unknown);
  await none.click();
  const otherEnd = page.getByText(/If no evicted page is dirty: /).first();
  await expect(otherEnd).toBeVisible();
  await expectAccessible(page, "DRAM or flash of a curve", [onMoney, otherEnd, none]);

  await page.goto(
    `/scheme-map?${asked}&x=ram_pages&x_low=100&x_high=5000&y=flash_pages&y_low=200&y_high=60000`,
  );
  const onMap = await showNote(page, unknown);
  await none.click();
  const figure = page.getByRole("button", { name: /^Why this number: Lazy,/ });
  await expect(figure).toContainText(" to ");
  await expectAccessible(page, "scheme map of a curve", [onMap, figure, none]);

  await page.goto(`/quotes?${asked}`);
  await page.getByLabel("Files of quotes, prices and inventories").setInputFiles({
    name: "offers.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(
      "quote_id,kind,item,quantity,unit,price,currency\nQ-1,instance,aws-i4i.4xlarge,2,HUR,1.25,USD\n",
    ),
  });
  const ranking = page.getByRole("region", { name: "Ranking", exact: true });
  await expect(
    ranking.getByText(/keeps every limit whatever their share/),
  ).toBeVisible();
  const range = ranking.getByText(/s to .*s of I\/O time per access, depending on/);
  await expect(range).toBeVisible();
  await expectAccessible(page, "quotes for a curve", [ranking]);
  await page.getByLabel("Set a share, the same at every size").check();
  await expect(ranking.getByText(/of I\/O time per access/).first()).toBeVisible();
  await expect(range).toHaveCount(0);
});

test("Oracle's cache advice and ZFS counters are read from the examples", async ({
  page,
}) => {
  await page.goto("/given-curve");
  await choose(page, "Start from an example", "Oracle V$DB_CACHE_ADVICE");
  await expect(page.getByText("Read as oracle db cache advice")).toBeVisible();
  await expect(page.getByText(/How many logical reads were there/)).toBeVisible();
  await page.getByLabel("Page accesses", { exact: true }).fill("900,000,000");
  await choose(page, "Page size", "8 KiB");
  await expect(
    page.getByText(/4 sizes, up to 99\.34\s% hits in 5\.75\sGiB/),
  ).toBeVisible();

  await choose(page, "Start from an example", "ZFS arcstats");
  await expect(page.getByText("Read as zfs arcstats")).toBeVisible();
  await expect(page.getByText(/Every ghost hit counts as a hit/)).toBeVisible();
  await expect(page.getByRole("heading", { name: "Evidence: points" })).toBeVisible();
  await expect(
    page.getByText(/2 sizes, up to 94\.57\s% hits in 60\sGiB/),
  ).toBeVisible();

  await choose(page, "Start from an example", "memcached metadump");
  await expect(page.getByRole("heading", { name: "Evidence: ages" })).toBeVisible();
  await expect(
    page.getByText(/^At its largest size, [\d.]+ .?i?B, it agrees/),
  ).toBeVisible();
});

test("a profile is dropped in place of its trace", async ({ page }) => {
  const name = `office-${unique()}`;
  const path = join(mkdtempSync(join(tmpdir(), "tierwright-e2e-")), `${name}.json`);
  // 1,000 accesses to 16 pages, 100 of them writes.
  const profile = {
    schema: "tierwright-profile",
    schema_version: 1,
    accesses: 1000,
    distinct_pages: 16,
    write_accesses: 100,
    page_bytes: 4096,
    duration_s: 60,
    curve: {
      pages: [1, 2, 4, 8, 16],
      misses: [900, 700, 200, 100, 16],
      write_backs: [90, 60, 20, 10, 0],
    },
  };
  writeFileSync(path, JSON.stringify(profile));
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(path);
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page.getByText("of curves: no addresses, no accesses.")).toBeVisible();
  await expect(
    page.getByRole("img", { name: /^Write-backs over cache size/ }),
  ).toBeVisible();
  await expectAccessible(page, "workload of a profile");
  await page.getByRole("link", { name: "Compare schemes" }).click();
  await expect(page.getByText("No check by simulation")).toBeVisible();

  writeFileSync(path, JSON.stringify({ ...profile, accesses: 10 }));
  await page.goto("/workloads");
  await page.getByLabel("Trace file").setInputFiles(path);
  await expect(page.getByText("The file could not be uploaded")).toBeVisible();
  await expect(page.getByText(/must not exceed accesses/).first()).toBeVisible();
});

test("counters of one size say what they bound and what to record next, and recommend nothing", async ({
  page,
}) => {
  const name = `One point ${unique()}`;
  await page.goto("/");
  await page.getByRole("link", { name: "Paste a hit-ratio curve" }).click();
  await choose(page, "Start from an example", /^PostgreSQL/);
  await expect(page.getByText("Evidence: one point")).toBeVisible();
  await expect(
    page.getByText(/A larger cache saves at most all of these/),
  ).toBeVisible();
  await expect(page.getByText("What to record next")).toBeVisible();
  await expect(page.getByText(/^psql -X --csv -f io\.sql/)).toBeVisible();
  await expectAccessible(page, "counters of one size");
  await page.getByLabel("Workload name").fill(name);
  await page.getByRole("button", { name: "Use this curve" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await page.getByRole("link", { name: "Compare schemes" }).click();
  await expect(page.getByText(/other sizes are unknown\.$/)).toBeVisible();
  await page.getByLabel("Exact Flash size").fill("1000");
  await page.getByLabel("Exact Flash size").press("Enter");
  await expect(page.getByText(/speaks of 8 GiB alone/)).toBeVisible();
});

test("on a phone the class of counters is the first thing seen after the upload, and every file of it names the class", async ({
  page,
}) => {
  const name = `Ages ${unique()}`;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/given-curve");
  await choose(page, "Start from an example", /^memcached/);
  const card = page.getByRole("heading", { name: "Evidence: ages" });
  await expect(card).toBeInViewport();
  for (const part of ["Speaks of", "Gap"]) {
    await expect(page.getByText(part, { exact: true })).toBeInViewport();
  }
  // Above the form, not only scrolled to.
  const [top, form] = await Promise.all([
    card.boundingBox(),
    page.getByLabel("Lines").boundingBox(),
  ]);
  expect(top?.y ?? 0).toBeLessThan(form?.y ?? 0);
  await page.getByLabel("Workload name").fill(name);
  await page.getByRole("button", { name: "Use this curve" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.reload();
  await page.waitForLoadState("networkidle");
  const exported = page.getByRole("button", { name: "Export", exact: true }).first();
  for (const [form, said] of [
    ["SVG picture", /Evidence: ages\. Speaks of /],
    ["CSV numbers", /,evidence of the curve,speaks of,gap\r\n.*,ages,/],
  ] as const) {
    await exported.click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: form }).click();
    const file = await (await download).path();
    expect(readFileSync(file, "utf8").replaceAll(" ", " ")).toMatch(said);
  }
});

test("DRAM or flash leaves out what counters do not speak of, and says so", async ({
  page,
  request,
}) => {
  const kinds = await (await request.get("/api/v1/curve-kinds")).json();
  const { example } = kinds.items.find(
    (each: { name: string }) => each.name === "aurora",
  );
  const made = await request.post("/api/v1/workloads/from-curve", {
    data: { name: `Tiers ${unique()}`, text: example, dirty_share: 0.1 },
  });
  const { id, summary } = await made.json();
  await page.goto(`/workloads/${id}`);
  const tiers = page.getByRole("table", { name: "Tiers of the running system" });
  await expect(tiers.getByRole("row", { name: /the cache on flash/ })).toContainText(
    "200 µs",
  );
  await expect(tiers.getByRole("row", { name: /Aurora storage/ })).toContainText(
    "1.2 ms",
  );
  const { valid_from: low, valid_to: high } = summary.evidence;
  const asked = (ram: number) =>
    `/dram-or-flash?workload=${id}&ram_pages=${ram}&flash_pages=1000&flash_device=samsung-pm9a3-7.68tb-u2&disk_device=toshiba-mg10-20tb&ram_device=none&price_book=street-2026-q3&months=36`;
  await page.goto(asked(low));
  await expect(page.getByText(/as far as the counters speak of sizes/)).toBeVisible();
  await expect(page.getByText(/unknown, not nothing/)).toBeVisible();
  await page.goto(asked(high));
  await expect(
    page.getByText(/^Where the next sum belongs is unknown: the evidence of the curve/),
  ).toBeVisible();
  await expect(page.getByText("No step of DRAM is known")).toBeVisible();
  await page.goto(asked(2 * high));
  await expect(page.getByText("DRAM and flash could not be compared")).toBeVisible();
});
