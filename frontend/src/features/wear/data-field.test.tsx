import { afterEach, expect, it, vi } from "vitest";
import { page } from "vitest/browser";
import { parseWearSearch } from "@/questions/wear";
import { expectAccessible, renderThemed } from "@/testing/render";
import { SIMULATOR } from "@/testing/simulator";
import { DataField } from "./data-field";
import { dataOf, heldOnFlash } from "./data-on-flash";

afterEach(() => vi.restoreAllMocks());

it("offers each policy and buffer once", () => {
  const policies = SIMULATOR.policies.slice(0, 1);
  const twins = SIMULATOR.buffers.map((buffer) => ({ ...buffer, name: "lru" }));
  const buffers = [...twins, ...SIMULATOR.buffers];
  expect(heldOnFlash({ policies, buffers })).toEqual([
    { value: "lru", label: "LRU" },
    { value: "cflru", label: "CFLRU" },
  ]);
});

it("writes what is chosen into the address, and reads it", async () => {
  vi.spyOn(window, "fetch").mockImplementation(async () => Response.json(SIMULATOR));
  const patch = vi.fn();
  await renderThemed(
    <DataField search={{ data_on_flash: "lru" }} patch={patch} replays="trace" />,
  );
  await expectAccessible();
  await page.getByRole("combobox", { name: "All data on flash" }).click();
  await page.getByRole("option", { name: "CFLRU" }).click();
  expect(patch).toHaveBeenCalledWith({ data_on_flash: "lru,cflru" });
  expect(dataOf(parseWearSearch({ data_on_flash: "lru,cflru" }))).toEqual([
    "lru",
    "cflru",
  ]);
  expect(dataOf(parseWearSearch({}))).toEqual([]);
});

it("is not offered for production, whose pages the recording does not have", async () => {
  await renderThemed(
    <DataField search={{}} patch={() => undefined} replays="recording" />,
  );
  expect(page.getByText("All data on flash").elements()).toHaveLength(0);
});
