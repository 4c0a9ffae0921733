import { expect, test } from "@playwright/test";
import { expectAccessible } from "./axe";
import { openFromMenu } from "./menu";

test("API: find an operation, read what it takes and answers, take the link along", async ({
  page,
}) => {
  const origins = new Set<string>();
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  await page.goto("/");
  await openFromMenu(page, "Library", "API");
  await expect(page.getByText("GET /api/v1", { exact: true })).toBeVisible();
  await page.getByRole("textbox", { name: "Find operations" }).fill("post sweeps");
  await page.getByRole("link", { name: /^Create sweep/ }).press("Enter");
  await expect(page.getByRole("heading", { name: "Create sweep" })).toBeVisible();
  const body = page.getByRole("table", { name: "Request body: SweepIn" });
  await expect(body).toContainText("contenders");
  await body.getByRole("button", { name: "Fields of ContenderIn" }).click();
  await expect(
    page.getByRole("table", { name: "Fields of ContenderIn" }),
  ).toContainText("family");
  await expect(page.getByText(/^curl /)).toContainText("/api/v1/sweeps");
  await expectAccessible(page, "an operation of the API");
  expect(page.url()).toContain("operation=create_sweep");

  await page.goto("/docs?operation=no_such_thing");
  await expect(page.getByText("There is no operation no_such_thing")).toBeVisible();
  expect([...origins]).toEqual([new URL(page.url()).origin]);
});
