import { expect, it, vi } from "vitest";
import { expectAccessible, renderThemed } from "@/testing/render";
import { OF_SEVERAL, StartSwitch, steadyFor } from "./start-switch";

it("is a choice for one workload alone", () => {
  expect(steadyFor(false, undefined)).toBeNull();
  expect(steadyFor(false, "a")).toBeNull();
  expect(steadyFor(false, "a,b:300")).toBe(OF_SEVERAL);
  expect(steadyFor(true, undefined)).toMatch(/given curve/);
});

it("changes the start, or says why it does not", async () => {
  const patch = vi.fn();
  const open = await renderThemed(
    <StartSwitch start="cold" fixed={null} patch={patch} />,
  );
  await expect.element(open.getByRole("radio", { name: "Cold start" })).toBeChecked();
  await open.getByText("Steady state").click();
  expect(patch).toHaveBeenCalledWith({ start: "steady" });
  await open.unmount();
  // An address that asks for what is not computed does not look as if it were.
  const fixed = await renderThemed(
    <StartSwitch start="cold" fixed={OF_SEVERAL} patch={patch} />,
  );
  await expect
    .element(fixed.getByRole("radio", { name: "Steady state" }))
    .toBeChecked();
  await expect.element(fixed.getByRole("radio", { name: "Cold start" })).toBeDisabled();
  await expect.element(fixed.getByTitle(OF_SEVERAL)).toBeVisible();
  await expectAccessible();
});
