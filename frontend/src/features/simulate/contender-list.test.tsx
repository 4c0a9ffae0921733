import { useState } from "react";
import { describe, expect, it } from "vitest";
import type { ContenderIn } from "@/api/simulator";
import { expectAccessible, renderThemed } from "@/testing/render";
import { SIMULATOR } from "@/testing/simulator";
import { ContenderList } from "./contender-list";

function Harness(props: {
  readonly initial: readonly ContenderIn[];
  readonly onChange: (contenders: readonly ContenderIn[]) => void;
}) {
  const [contenders, setContenders] = useState(props.initial);
  return (
    <ContenderList
      simulator={SIMULATOR}
      contenders={contenders}
      onChange={(changed) => {
        setContenders(changed);
        props.onChange(changed);
      }}
    />
  );
}

describe("the list of contenders", () => {
  it.each(["light", "dark"] as const)(
    "is accessible, options open (%s)",
    async (colors) => {
      const screen = await renderThemed(
        <Harness
          initial={[{ family: "policy", name: "2q" }]}
          onChange={() => undefined}
        />,
        colors,
      );
      await screen.getByRole("button", { name: "Options of 2Q" }).click();
      await expect.element(screen.getByRole("textbox", { name: "k_in" })).toBeVisible();
      await expectAccessible();
    },
  );

  it("makes its form of the table, and an emptied field is the default again", async () => {
    let latest: readonly ContenderIn[] = [];
    const screen = await renderThemed(
      <Harness
        initial={[{ family: "policy", name: "2q" }]}
        onChange={(changed) => {
          latest = changed;
        }}
      />,
    );
    await screen.getByRole("button", { name: "Options of 2Q" }).click();
    const field = screen.getByRole("textbox", { name: "k_in" });
    await field.fill("0.5");
    expect(latest[0]?.options).toEqual({ k_in: "0.5" });
    await field.fill("");
    expect(latest[0]?.options).toEqual({});
  });

  it("offers the options of the policy chosen for a tier", async () => {
    const screen = await renderThemed(
      <Harness
        initial={[{ family: "scheme", name: "lazy", options: { ram_policy: "2q" } }]}
        onChange={() => undefined}
      />,
    );
    await screen.getByRole("button", { name: /^Options of LAZY/ }).click();
    await expect
      .element(screen.getByRole("textbox", { name: "ram_k_in" }))
      .toBeVisible();
  });

  it("offers the device that holds the data to one cache, and not to a tier", async () => {
    const screen = await renderThemed(
      <Harness
        initial={[
          { family: "policy", name: "clock" },
          { family: "scheme", name: "lazy", options: { ram_policy: "clock" } },
        ]}
        onChange={() => undefined}
      />,
    );
    await screen.getByRole("button", { name: "Options of CLOCK" }).click();
    const spare = screen.getByRole("textbox", { name: "ftl_spare_percent" });
    await expect.element(spare).toBeVisible();
    // Opens in its place; whoever offered it to RAM would have it in the name.
    await screen.getByRole("button", { name: /^Options of LAZY/ }).click();
    await expect.element(screen.getByText("ram_policy", { exact: true })).toBeVisible();
    await expect.element(spare).not.toBeInTheDocument();
  });

  it("adds the policies that are missing, and says when nothing is chosen", async () => {
    let latest: readonly ContenderIn[] = [];
    const screen = await renderThemed(
      <Harness
        initial={[{ family: "policy", name: "lru" }]}
        onChange={(changed) => {
          latest = changed;
        }}
      />,
    );
    await screen.getByRole("button", { name: "Add all policies" }).click();
    expect(latest.map(({ name }) => name)).toEqual([
      "lru",
      "2q",
      "clock",
      "arc",
      "opt",
    ]);
    await screen.getByRole("button", { name: "Clear" }).click();
    await expect.element(screen.getByText(/Nothing chosen yet/)).toBeVisible();
  });
});
