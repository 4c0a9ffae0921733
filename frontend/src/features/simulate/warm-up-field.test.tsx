import { expect, it, vi } from "vitest";
import { renderThemed } from "@/testing/render";
import { WarmUpField } from "./warm-up-field";

it("offers none, accesses, a share, or until full", async () => {
  const onChange = vi.fn();
  const screen = await renderThemed(
    <WarmUpField value={0} accesses={1000} onChange={onChange} />,
  );
  await expect.element(screen.getByText(/Every access counts/)).toBeVisible();
  await screen.getByText("Until full").click();
  expect(onChange).toHaveBeenLastCalledWith("full");
  await screen.getByText("Accesses", { exact: true }).click();
  expect(onChange).toHaveBeenLastCalledWith(500);
  await screen.getByText("Share", { exact: true }).click();
  expect(onChange).toHaveBeenLastCalledWith(0.5);
});

it("says what until full means", async () => {
  const screen = await renderThemed(
    <WarmUpField value="full" accesses={1000} onChange={vi.fn()} />,
  );
  await expect.element(screen.getByText(/the one that fills its flash/)).toBeVisible();
});
