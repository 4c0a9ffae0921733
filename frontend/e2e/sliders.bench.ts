/**
 * How soon a moved slider is answered, in a real browser: from the input event to the last
 * change of the figures it leads to. `node sliders.bench.ts [moves] [workload]` against the
 * application at `TIERWRIGHT_BASE_URL`; prints one JSON document. `make bench` calls it.
 */
import { chromium, type Page } from "@playwright/test";

interface Target {
  readonly page: string;
  readonly path: string;
  readonly sliders: readonly (string | RegExp)[];
}

export const TARGETS: readonly Target[] = [
  { page: "Compare", path: "/compare", sliders: ["RAM size", "Flash size"] },
  { page: "Scheme map", path: "/scheme-map", sliders: [/^Move across/, /^Move up/] },
  {
    page: "Scheme map, shares",
    path: "/scheme-map?x=flash_per_ram&y=dirty_share",
    sliders: [/^Move across/, /^Move up/],
  },
  { page: "Pool split", path: "/pool-split", sliders: [/asymmetry/i] },
  {
    page: "DRAM or flash",
    path: "/dram-or-flash",
    sliders: ["Price ratio, flash over DRAM", "Next amount to spend", "Existing DRAM"],
  },
  {
    page: "DRAM or flash, metadata",
    path: "/dram-or-flash?metadata=l2arc",
    sliders: ["Price ratio, flash over DRAM", "Next amount to spend", "Existing DRAM"],
  },
  { page: "Advise", path: "/advise", sliders: ["I/O time of an access"] },
  { page: "Wear and recovery", path: "/wear", sliders: ["Load"] },
  {
    page: "Throughput",
    path: "/throughput",
    sliders: ["Clients", "Disks", "Think time"],
  },
];

interface Move {
  /** From the event to the last changed figure, painted. */
  readonly ms: number;
  /** From the event until the last answer was there. */
  readonly answeredMs: number;
  /** Whether any figure changed. */
  readonly changed: boolean;
}

/** Counts requests to the API that are under way; runs before the page's own code. */
function countRequests(): void {
  const counts = { open: 0, last: 0, asked: 0 };
  Object.assign(window, { apiRequests: counts });
  const send = window.fetch.bind(window);
  window.fetch = async (...parameters: Parameters<typeof fetch>) => {
    counts.open += 1;
    counts.asked += 1;
    try {
      const response = await send(...parameters);
      // The body is read by the page itself; its end comes with the last byte.
      const copy = response.clone();
      await copy.arrayBuffer();
      return response;
    } finally {
      counts.open -= 1;
      counts.last = performance.now();
    }
  };
}

/** Moves a slider to a share of its length and waits until nothing changes any more. */
function move(slider: SVGElement | HTMLElement, share: number): Promise<Move> {
  const QUIET_MS = 120;
  const MOST_MS = 5000;
  const counts = (
    window as unknown as { apiRequests: { open: number; last: number; asked: number } }
  ).apiRequests;
  const input = slider as HTMLInputElement;
  const panel = input.closest("section") ?? input;
  const [least, most] = [Number(input.min), Number(input.max)];
  const value = String(Math.round(least + share * (most - least)));
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  return new Promise((resolve) => {
    let changedAt = 0;
    let painted = 0;
    const observer = new MutationObserver((records) => {
      // What shows the slider's own place is no answer, nor is what says "busy".
      const figures = records.some(
        ({ target, attributeName }) =>
          !panel.contains(target) &&
          attributeName !== "aria-busy" &&
          attributeName !== "href",
      );
      if (figures) {
        changedAt = performance.now();
        requestAnimationFrame(() => {
          painted = performance.now();
        });
      }
    });
    observer.observe(document.querySelector("main") ?? document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    const asked = counts.asked;
    const start = performance.now();
    set?.call(input, value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    const answeredAt = () =>
      counts.asked > asked && counts.open === 0 ? counts.last : 0;
    const measured = (): Move => ({
      ms: (changedAt > 0 ? Math.max(painted, changedAt) : answeredAt()) - start,
      answeredMs: Math.max(0, answeredAt() - start),
      changed: changedAt > 0,
    });
    const rests = (now: number) =>
      counts.open === 0 &&
      Math.max(changedAt, answeredAt()) > 0 &&
      now - Math.max(changedAt, answeredAt()) > QUIET_MS;
    const look = () => {
      const now = performance.now();
      if (rests(now) || now - start > MOST_MS) {
        observer.disconnect();
        resolve(measured());
      } else {
        window.setTimeout(look, 10);
      }
    };
    window.setTimeout(look, 10);
  });
}

const percentile = (values: readonly number[], share: number): number => {
  const ordered = [...values].sort((one, other) => one - other);
  const place = Math.ceil((ordered.length * share) / 100) - 1;
  return ordered[Math.max(0, place)] ?? Number.NaN;
};

async function measure(page: Page, target: Target, moves: number, workload: string) {
  const joined = target.path.includes("?") ? "&" : "?";
  const found = [];
  for (const name of target.sliders) {
    await page.goto(`${target.path}${joined}workload=${workload}`);
    const slider = page.getByRole("slider", { name });
    await slider.waitFor({ timeout: 120_000 });
    await page.waitForLoadState("networkidle");
    await page
      .locator("[role=img][data-ready=true]")
      .first()
      .waitFor({ timeout: 120_000 });
    await page.waitForTimeout(500);
    const results: Move[] = [];
    // Places that never repeat, over the middle nine tenths of the slider.
    const golden = (Math.sqrt(5) - 1) / 2;
    for (let at = 0; at < moves; at += 1) {
      results.push(await slider.evaluate(move, 0.05 + 0.9 * ((at * golden) % 1)));
      // The address follows when the slider rests; the next move waits until it has.
      await page.waitForTimeout(450);
    }
    // A place that is the present one moves nothing, and is no measurement.
    const moved = results.filter(
      ({ changed, answeredMs }) => changed || answeredMs > 0,
    );
    const times = moved.map(({ ms }) => ms);
    found.push({
      page: target.page,
      slider: String(name).replace(/^\/|\/i?$/g, ""),
      moves,
      first_ms: times[0],
      p50_ms: percentile(times, 50),
      p95_ms: percentile(times, 95),
      most_ms: Math.max(...times),
      answered_p95_ms: percentile(
        moved.map(({ answeredMs }) => answeredMs),
        95,
      ),
      unchanged: results.length - moved.length,
    });
    process.stderr.write(`${JSON.stringify(found.at(-1))}\n`);
  }
  return found;
}

async function run(): Promise<void> {
  const moves = Number(process.argv[2] ?? "100");
  const workload = process.argv[3] ?? "example";
  const only = process.argv[4];
  const browser = await chromium.launch({
    executablePath: process.env["TIERWRIGHT_CHROMIUM"] ?? "/usr/bin/chromium",
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  const context = await browser.newContext({
    baseURL: process.env["TIERWRIGHT_BASE_URL"] ?? "http://127.0.0.1:8787",
    viewport: { width: 1280, height: 720 },
  });
  await context.addInitScript(countRequests);
  const rows = [];
  for (const target of TARGETS) {
    if (only === undefined || target.page === only) {
      const page = await context.newPage();
      rows.push(...(await measure(page, target, moves, workload)));
      await page.close();
    }
  }
  await browser.close();
  process.stdout.write(`${JSON.stringify(rows)}\n`);
}

await run();
