import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type { AdviceSearch } from "@/questions/advice";
import { STATE } from "@/testing/analysis-state";
import { renderThemed } from "@/testing/render";
import { HaveFields } from "./have-fields";

const CLIENT = new QueryClient();

beforeEach(() => window.sessionStorage.clear());
afterEach(() => vi.restoreAllMocks());

describe("what there is today", () => {
  it("asks for RAM for pages, which candidates have less of", async () => {
    vi.spyOn(window, "fetch").mockImplementation(async () => Response.json([]));
    const screen = await renderThemed(
      <QueryClientProvider client={new QueryClient()}>
        <HaveFields state={STATE} search={{ have_ram_gib: 12 }} patch={() => {}} />
      </QueryClientProvider>,
    );
    const field = screen.getByRole("textbox", { name: "RAM for pages" });
    await expect.element(field).toHaveValue("12");
    await expect
      .element(field)
      .toHaveAccessibleDescription(/Without what the system itself takes/);
  });

  it("asserts nothing before all of it is stated", async () => {
    const patch = vi.fn();
    vi.spyOn(window, "fetch").mockImplementation(async () => Response.json([]));
    const fields = (search: AdviceSearch) => (
      <QueryClientProvider client={new QueryClient()}>
        <HaveFields state={STATE} search={search} patch={patch} />
      </QueryClientProvider>
    );
    const screen = await renderThemed(fields({}));
    await screen.getByRole("button", { name: "State what you have" }).click();
    expect(patch).not.toHaveBeenCalled();
    const ram = screen.getByRole("textbox", { name: "RAM for pages" });
    const disks = screen.getByRole("textbox", { name: "How many of these" });
    await expect.element(ram).toHaveValue("");
    await expect.element(disks).toHaveValue("");
    await expect
      .element(screen.getByRole("combobox", { name: "What holds the data" }))
      .toHaveValue("");
    await ram.fill("256");
    await userEvent.keyboard("{Enter}");
    await disks.fill("48");
    await userEvent.keyboard("{Enter}");
    expect(patch).not.toHaveBeenCalled();
    await expect
      .element(screen.getByText("Not compared yet: state what holds the data."))
      .toBeVisible();
  });

  it("is asked once all of it is stated, and no longer once some is taken out", async () => {
    vi.spyOn(window, "fetch").mockImplementation(async () => Response.json([]));
    window.sessionStorage.setItem(
      "what you have now",
      JSON.stringify({ have_disk: "d1", have_disks: 48 }),
    );
    const patch = vi.fn();
    function Page() {
      const [search, setSearch] = useState<AdviceSearch>({});
      patch.mockImplementation(setSearch);
      return (
        <QueryClientProvider client={CLIENT}>
          <HaveFields state={STATE} search={search} patch={patch} />
        </QueryClientProvider>
      );
    }
    const screen = await renderThemed(<Page />);
    const ram = screen.getByRole("textbox", { name: "RAM for pages" });
    await ram.fill("256");
    await userEvent.keyboard("{Enter}");
    expect(patch).toHaveBeenLastCalledWith(
      expect.objectContaining({ have_ram_gib: 256, have_disk: "d1", have_disks: 48 }),
    );
    await expect.element(ram).toHaveValue("256");
    await ram.fill("");
    await userEvent.keyboard("{Enter}");
    expect(patch).toHaveBeenLastCalledWith(
      expect.objectContaining({ have_ram_gib: undefined, have_disk: undefined }),
    );
  });
});
