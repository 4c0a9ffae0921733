import { expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { parseWearSearch } from "@/questions/wear";
import { expectAccessible, renderThemed } from "@/testing/render";
import { CacheOptionsField, cacheOptionsOf } from "./cache-options-field";

it("writes options into the address, and reads them", async () => {
  const patch = vi.fn();
  await renderThemed(<CacheOptionsField search={{}} patch={patch} />);
  await expectAccessible();
  const field = page.getByRole("textbox", { name: "Options of the flash caches" });
  await field.fill("  cachelib:small=0+1   small_percent=4 ");
  await userEvent.keyboard("{Enter}");
  const cache_options = "cachelib:small=0+1 small_percent=4";
  expect(patch).toHaveBeenCalledWith({ cache_options });
  expect(cacheOptionsOf(parseWearSearch({ cache_options }))).toEqual([
    "cachelib:small=0+1",
    "small_percent=4",
  ]);
  expect(cacheOptionsOf(parseWearSearch({}))).toEqual([]);
});

it("says which word is no option, and keeps the address as it is", async () => {
  const patch = vi.fn();
  await renderThemed(<CacheOptionsField search={{}} patch={patch} />);
  const field = page.getByRole("textbox", { name: "Options of the flash caches" });
  await field.fill("small=0 streams");
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByText(/^streams is not an option/)).toBeVisible();
  expect(patch).not.toHaveBeenCalled();
});
