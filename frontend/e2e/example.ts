import { expect, type Page } from "@playwright/test";

/** The example is read: the first start may still be reading it. */
export async function exampleReady(page: Page): Promise<void> {
  await expect(async () => {
    const workload = await page.request.get("/api/v1/workloads/example");
    expect((await workload.json()).status).toBe("ready");
  }).toPass();
}

/** Opens a page once the example is read. */
export async function openReady(page: Page, path: string): Promise<void> {
  await exampleReady(page);
  await page.goto(path);
}
