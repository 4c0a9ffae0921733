import { expect, it, vi } from "vitest";
import { expectAccessible, renderThemed } from "@/testing/render";
import { AlreadyImported } from "./already-imported";

const link = <a href="/workloads/w1">Orders</a>;

it("names the workload that is there, leads to it and imports again when asked", async () => {
  const again = vi.fn();
  const screen = await renderThemed(
    <AlreadyImported link={link} ready pending={false} onImportAgain={again} />,
  );
  await expect
    .element(
      screen.getByText(/This file was already imported with these settings: Orders\./),
    )
    .toBeVisible();
  await expect
    .element(screen.getByRole("link", { name: "Orders" }))
    .toHaveAttribute("href", "/workloads/w1");
  await expectAccessible();
  expect(again).not.toHaveBeenCalled();
  await screen.getByRole("button", { name: "Import it again" }).click();
  expect(again).toHaveBeenCalledOnce();
});

it("does not call imported what is still being imported", async () => {
  const screen = await renderThemed(
    <AlreadyImported
      link={link}
      ready={false}
      pending={false}
      onImportAgain={vi.fn()}
    />,
  );
  await expect
    .element(
      screen.getByText(/is already being imported with these settings: Orders\./),
    )
    .toBeVisible();
});
