import { expect, type Locator, type Page } from "@playwright/test";

const PRESSES = 3;
const AT_ONCE_MS = 1000;
/** What a request that computes nothing takes at most where the machine has time for it. */
const NOTHING_MS = 20;

/**
 * The server answers a key at a slider at once. The quickest of several answers counts, and a machine that
 * is busy with other things may take as many times as long as it does for a request that computes nothing.
 */
export async function expectAtOnce(
  page: Page,
  slider: Locator,
  key: string,
  address: RegExp,
): Promise<void> {
  const took: number[] = [];
  const nothing: number[] = [];
  for (let press = 0; press < PRESSES; press += 1) {
    const answered = page.waitForResponse(address);
    await slider.press(key);
    const response = await answered;
    await response.finished();
    took.push(response.request().timing().responseEnd);
    const asked = performance.now();
    expect((await page.request.get("/api/v1/health")).ok()).toBe(true);
    nothing.push(performance.now() - asked);
  }
  const slowness = Math.max(1, Math.min(...nothing) / NOTHING_MS);
  expect(Math.min(...took)).toBeGreaterThan(0);
  expect(Math.min(...took)).toBeLessThan(AT_ONCE_MS * slowness);
}
