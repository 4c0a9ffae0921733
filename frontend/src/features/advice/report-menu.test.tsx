import { afterEach, describe, expect, it, vi } from "vitest";
import type { AdviceOut } from "@/api/advice";
import type { PlacementOut } from "@/api/placements";
import { expectAccessible, renderThemed } from "@/testing/render";
import { PlacementReportMenu, ReportMenu } from "./report-menu";

const FOUND = {
  advice_id: "abc123",
  status: "checked",
  asked: { workload: "w", body: { objective: "usd", how_sure: false } },
} as AdviceOut;

/** Names of the files that were offered to the user. */
function watchDownloads(): string[] {
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    names.push(this.download);
  });
  return names;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the menu of reports", () => {
  it("saves the report of the whole answer under the id of the advice", async () => {
    const names = watchDownloads();
    const sent: Request[] = [];
    vi.spyOn(window, "fetch").mockImplementation(async (input) => {
      sent.push(input as Request);
      return new Response("%PDF-1.7", {
        headers: { "content-type": "application/pdf" },
      });
    });
    const screen = await renderThemed(<ReportMenu found={FOUND} />);
    await screen.getByRole("button", { name: "Report" }).click();
    for (const title of ["PDF", "HTML", "Spreadsheet", "CSV of the options", "JSON"]) {
      await expect
        .element(screen.getByRole("menuitem", { name: title, exact: true }))
        .toBeVisible();
    }
    await expectAccessible();
    await screen.getByRole("menuitem", { name: "PDF", exact: true }).click();
    await expect
      .element(screen.getByRole("status"))
      .toMatchTextContent(/^Saved advice-abc123\.pdf$/);
    expect(names).toEqual(["advice-abc123.pdf"]);
    const [request] = sent;
    const url = new URL(request?.url ?? "");
    expect(url.pathname).toBe("/api/v1/workloads/w/advice/report");
    expect(url.searchParams.get("format")).toBe("pdf");
    // What is shown was decided by replays: so is the report.
    expect(url.searchParams.get("checked")).toBe("true");
    // The quick answer leaves out how sure it is; the report does not.
    expect(await request?.json()).toEqual({ objective: "usd", how_sure: true });
  });

  it("saves the systems of several workloads under the id of the placement", async () => {
    const names = watchDownloads();
    const sent: Request[] = [];
    vi.spyOn(window, "fetch").mockImplementation(async (input) => {
      sent.push(input as Request);
      return new Response("PK");
    });
    const asked = { workloads: [{ workload_id: "orders", accesses_per_s: 6 }] };
    const found = { placement_id: "def456" } as PlacementOut;
    const screen = await renderThemed(
      <PlacementReportMenu found={found} asked={asked} />,
    );
    await screen.getByRole("button", { name: "Report" }).click();
    await expect
      .element(screen.getByRole("menuitem", { name: "CSV of the systems" }))
      .toBeVisible();
    await screen.getByRole("menuitem", { name: "Spreadsheet" }).click();
    await expect
      .element(screen.getByRole("status"))
      .toMatchTextContent(/^Saved placement-def456\.xlsx$/);
    expect(names).toEqual(["placement-def456.xlsx"]);
    const [request] = sent;
    const url = new URL(request?.url ?? "");
    expect(url.pathname).toBe("/api/v1/placements/report");
    expect(url.searchParams.get("format")).toBe("xlsx");
    expect(await request?.json()).toEqual(asked);
  });

  it("says why a report could not be written, and tries again", async () => {
    const names = watchDownloads();
    const problem = {
      type: "about:blank",
      title: "Service unavailable",
      status: 503,
      detail: "the database does not answer",
      hint: null,
      errors: [],
    };
    const fetched = vi.spyOn(window, "fetch").mockImplementation(async () =>
      Response.json(problem, {
        status: 503,
        headers: { "content-type": "application/problem+json" },
      }),
    );
    const screen = await renderThemed(<ReportMenu found={FOUND} />);
    await screen.getByRole("button", { name: "Report" }).click();
    await screen.getByRole("menuitem", { name: "Spreadsheet" }).click();
    const alert = screen.getByRole("alert");
    await expect.element(alert).toMatchTextContent(/The database does not answer/);
    expect(names).toEqual([]);
    fetched.mockImplementation(async () => new Response("PK"));
    await screen.getByRole("button", { name: "Try again" }).click();
    await expect
      .element(screen.getByRole("status"))
      .toMatchTextContent(/^Saved advice-abc123\.xlsx$/);
    expect(names).toEqual(["advice-abc123.xlsx"]);
  });
});
