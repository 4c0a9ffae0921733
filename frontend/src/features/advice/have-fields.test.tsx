import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, describe, expect, it, vi } from "vitest";
import { STATE } from "@/testing/analysis-state";
import { renderThemed } from "@/testing/render";
import { HaveFields } from "./have-fields";

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
});
