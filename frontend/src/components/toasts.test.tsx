import { expect, it, vi } from "vitest";
import { expectAccessible, renderThemed } from "@/testing/render";
import { showToast, Toasts } from "./toasts";

it("is read out, can be undone and closed", async () => {
  const screen = await renderThemed(<Toasts />);
  const undo = vi.fn();
  showToast("Deleted: TPC-B", { label: "Undo", run: undo });
  const text = screen.getByText("Deleted: TPC-B");
  await expect.element(text).toBeVisible();
  expect(text.element().closest("[aria-live='polite']")).not.toBeNull();
  expect(text.element().closest("[role='alert']")).toBeNull();
  await expectAccessible();
  await screen.getByRole("button", { name: "Undo" }).click();
  expect(undo).toHaveBeenCalledOnce();
  await expect.element(text).not.toBeInTheDocument();

  showToast("Copied");
  await screen.getByRole("button", { name: "Close" }).click();
  await expect.element(screen.getByText("Copied")).not.toBeInTheDocument();
});
