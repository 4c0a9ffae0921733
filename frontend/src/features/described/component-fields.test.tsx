import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { DescriptionKindOut } from "@/api/described";
import { expectAccessible, renderThemed } from "@/testing/render";
import { ComponentFields } from "./component-fields";
import { type ComponentDraft, FIRST_DRAFT, faultsOf, newComponent } from "./draft";

const KINDS: readonly DescriptionKindOut[] = [
  { name: "zipf", title: "Zipf", description: "By rank.", needs: ["exponent"] },
  { name: "hot_cold", title: "Hot and cold", description: "Two.", needs: [] },
  { name: "scan", title: "Scan", description: "In order.", needs: [] },
];

function Form({ onRemove }: { readonly onRemove?: () => void }) {
  const [one, setOne] = useState<ComponentDraft>(newComponent(1));
  const faults = faultsOf({ ...FIRST_DRAFT, preset: "", components: [one] });
  return (
    <ComponentFields
      number={1}
      component={one}
      kinds={KINDS}
      faults={faults.components[1] ?? {}}
      onChange={(part) => setOne({ ...one, ...part })}
      onRemove={onRemove}
    />
  );
}

describe("a component of a mix", () => {
  it("asks for what its kind needs, and for nothing else", async () => {
    await renderThemed(<Form />);
    await expect.element(page.getByLabelText("Zipf exponent")).toHaveValue("0.9");
    await expect.element(page.getByText("By rank.")).toBeVisible();
    expect(page.getByLabelText("Hot data [%]").elements()).toHaveLength(0);
    await page.getByRole("combobox", { name: "Access pattern" }).click();
    await page.getByRole("option", { name: "Hot and cold" }).click();
    await expect
      .element(page.getByLabelText("Hot data [%]", { exact: true }))
      .toHaveValue("20");
    expect(page.getByLabelText("Zipf exponent").elements()).toHaveLength(0);
    await expectAccessible();
  });

  it("says beside the field what cannot be read, and takes it back", async () => {
    await renderThemed(<Form />);
    const exponent = page.getByLabelText("Zipf exponent");
    await exponent.fill("nine");
    await expect.element(page.getByText("enter a number from 0 to 5")).toBeVisible();
    await expect.element(exponent).toHaveAttribute("aria-invalid", "true");
    await exponent.fill("1.1");
    expect(page.getByText("enter a number from 0 to 5").elements()).toHaveLength(0);
  });

  it("is removed by keyboard, and never when it is the only one", async () => {
    const onRemove = vi.fn();
    const only = await renderThemed(<Form />);
    expect(page.getByRole("button", { name: /Remove/ }).elements()).toHaveLength(0);
    await only.unmount();
    await renderThemed(<Form onRemove={onRemove} />);
    await userEvent.tab();
    await expect
      .element(page.getByRole("button", { name: "Remove component 1" }))
      .toHaveFocus();
    await userEvent.keyboard("{Enter}");
    expect(onRemove).toHaveBeenCalledOnce();
  });
});
