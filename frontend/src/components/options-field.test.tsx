import { expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { expectAccessible, renderThemed } from "@/testing/render";
import { OptionsField, optionsOf, optionWords } from "./options-field";

async function field(of: "one" | "several") {
  const onChange = vi.fn();
  const label = "Options";
  await renderThemed(
    <OptionsField
      label={label}
      description="NAME=VALUE"
      of={of}
      shown={undefined}
      onChange={onChange}
    />,
  );
  const typed = async (text: string) => {
    await page.getByRole("textbox", { name: label }).fill(text);
    await userEvent.keyboard("{Enter}");
  };
  return { onChange, typed };
}

it("writes options with one space between them, and reads them", async () => {
  const { onChange, typed } = await field("several");
  await expectAccessible();
  await typed("  cachelib:small=0+1   small_percent=4 ");
  const written = "cachelib:small=0+1 small_percent=4";
  expect(onChange).toHaveBeenCalledWith(written);
  expect(optionWords(written)).toEqual(["cachelib:small=0+1", "small_percent=4"]);
  expect(optionWords(undefined)).toEqual([]);
});

it("reads options of one system by name, whatever their values hold", () => {
  expect(
    optionsOf("admission=cachesack assignment=miss+1:never*0.5*miss a=b=c"),
  ).toEqual({ admission: "cachesack", assignment: "miss+1:never*0.5*miss", a: "b=c" });
  expect(optionsOf(undefined)).toEqual({});
});

it.each([
  ["several", "small=0 streams", /^streams is not an option.*CACHE:NAME=VALUE/],
  ["one", "small=0 streams=", /^streams= is not an option: write NAME=VALUE, /],
  ["one", "lazy:small=0", /^lazy:small=0 is not an option/],
  ["one", "small=0 small=1", /^small is given twice/],
] as const)(
  "says what is wrong and keeps the address as it is (%s: %s)",
  async (of, text, said) => {
    const { onChange, typed } = await field(of);
    await typed(text);
    await expect.element(page.getByText(said)).toBeVisible();
    expect(onChange).not.toHaveBeenCalled();
  },
);

it("leaves the address without options where all are taken out", async () => {
  const { onChange, typed } = await field("one");
  await typed("   ");
  expect(onChange).toHaveBeenCalledWith(undefined);
});
