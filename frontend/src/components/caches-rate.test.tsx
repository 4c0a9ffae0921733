import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { SimulatorOut } from "@/api/simulator";
import { expectAccessible, renderThemed } from "@/testing/render";
import { SIMULATOR } from "@/testing/simulator";
import { rateText } from "./access-rate";
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
  readonly hasRate?: boolean;
}) {
  const [search, setSearch] = useState(props.start);
  return (
    <FlashCachesField
      search={search}
      clock={props.clock}
      hasRate={props.hasRate ?? false}
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

const shown = async (start: CachesSearch, clock: Clock, hasRate = false) => {
  vi.spyOn(window, "fetch").mockImplementation(async () => Response.json(KNOWN));
  const onSearch = vi.fn();
  const view = await renderThemed(
    <Field start={start} onSearch={onSearch} clock={clock} hasRate={hasRate} />,
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

it("offers a rate for the life of flash to every cache where what is asked takes one", async () => {
  const { onSearch } = await shown(
    { caches: "face", cache_options: "accesses_per_second=9 ways=2" },
    "no rate",
    true,
  );
  await expect.element(rate()).toHaveValue("9");
  await rate().fill("500");
  await userEvent.keyboard("{Enter}");
  expect(onSearch).toHaveBeenLastCalledWith({
    caches: "face",
    access_rate: 500,
    cache_options: "ways=2",
  });
  await expect
    .element(page.getByText("How long flash lasts is of this rate."))
    .toBeVisible();
  await expectAccessible();
});

it("says what a rate is for", () => {
  const of = (value: number | undefined, needed: readonly string[], isOfLife = true) =>
    rateText({ value, needed, isOfLife });
  expect(of(undefined, [])).toBe(
    "This trace has no times: a rate says how long flash lasts.",
  );
  expect(of(undefined, ["SCE", "L2ARC"])).toBe(
    "Needed: SCE and L2ARC work by the clock, and this trace has no times. It also says how long flash lasts.",
  );
  expect(of(5, ["SCE"])).toBe(
    "SCE works by the clock: the trace, which has no times, is replayed at this rate. How long flash lasts is of this rate, too.",
  );
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
