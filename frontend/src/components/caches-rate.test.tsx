import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { SimulatorOut } from "@/api/simulator";
import { expectAccessible, renderThemed } from "@/testing/render";
import { SIMULATOR } from "@/testing/simulator";
import type { CachesSearch } from "./caches";
import { rateOf, withRate } from "./caches-rate";
import { type Clock, FlashCachesField } from "./flash-caches-field";

const [FACE] = SIMULATOR.flash_caches;
const KNOWN = {
  ...SIMULATOR,
  flash_caches: [FACE, { ...FACE, name: "sce", title: "SCE", goes_by_time: true }],
} as SimulatorOut;

function Field(props: {
  readonly start: CachesSearch;
  readonly onSearch: (search: CachesSearch) => void;
  readonly clock: Clock;
}) {
  const [search, setSearch] = useState(props.start);
  return (
    <FlashCachesField
      search={search}
      clock={props.clock}
      patch={(change) => {
        const next = { ...search, ...change };
        setSearch(next);
        props.onSearch(next);
      }}
    />
  );
}

const rate = () => page.getByRole("textbox", { name: "Rate of the accesses" });

afterEach(() => vi.restoreAllMocks());

const shown = async (start: CachesSearch, clock: Clock) => {
  vi.spyOn(window, "fetch").mockImplementation(async () => Response.json(KNOWN));
  const onSearch = vi.fn();
  const view = await renderThemed(
    <Field start={start} onSearch={onSearch} clock={clock} />,
  );
  return { view, onSearch };
};

it("asks for the rate of a cache that works by the clock, next to it", async () => {
  const { onSearch } = await shown(
    { caches: "sce", cache_options: "ways=2" },
    "no rate",
  );
  await expect
    .element(
      page.getByText("Needed: SCE works by the clock, and this trace has no times."),
    )
    .toBeVisible();
  await rate().fill("12,345,678");
  await userEvent.keyboard("{Enter}");
  expect(onSearch).toHaveBeenLastCalledWith({
    caches: "sce",
    cache_options: "accesses_per_second=12345678 ways=2",
  });
  await expect.element(rate()).toHaveValue("12,345,678");
  await expect
    .element(page.getByText("is replayed at this rate", { exact: false }))
    .toBeVisible();
  await expectAccessible();
});

it.each([
  ["no such cache is chosen", "face", "no rate"],
  ["the trace has times, or what is asked a rate", "sce", "goes"],
] as const)("asks for none where %s", async (_, caches, clock) => {
  const { view } = await shown({ caches }, clock);
  await expect
    .element(page.getByRole("textbox", { name: "Options of the flash caches" }))
    .toBeVisible();
  expect(rate().query()).toBeNull();
  await view.unmount();
});

it("reads the rate of all caches among other options, and takes it out", () => {
  expect(rateOf("mode=write_back accesses_per_second=50")).toBe(50);
  expect(rateOf("sce:accesses_per_second=50")).toBeUndefined();
  expect(rateOf(undefined)).toBeUndefined();
  expect(withRate("a=1 accesses_per_second=5", 7)).toBe("accesses_per_second=7 a=1");
  expect(withRate("accesses_per_second=5", undefined)).toBeUndefined();
});
