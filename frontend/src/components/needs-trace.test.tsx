import { describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { isDescribed, mayLackWrites } from "@/api/workloads";
import { renderThemed } from "@/testing/render";
import { NeedsTrace, originOf } from "./needs-trace";

const described = { kind: "curve", described_by: "Orders" } as const;
const given = { kind: "curve", described_by: null } as const;
const trace = { kind: "trace", described_by: null } as const;

describe("a workload without accesses", () => {
  it("is told apart by what it was made from", () => {
    expect([described, given, trace].map(originOf)).toEqual([
      "described",
      "curve",
      "trace",
    ]);
    expect([described, given, trace].map(isDescribed)).toEqual([true, false, false]);
  });

  it("may have a dirty share stated only where a curve was given", () => {
    expect([described, given, trace].map(mayLackWrites)).toEqual([false, true, false]);
  });

  it("names the command that writes a trace of a description", async () => {
    const shown = await renderThemed(
      <NeedsTrace kind={originOf(described)} title="No replay">
        Replays.
      </NeedsTrace>,
    );
    await expect.element(page.getByText("tierwright trace generate")).toBeVisible();
    await shown.unmount();
    await renderThemed(
      <NeedsTrace kind={originOf(given)} title="No replay">
        Replays.
      </NeedsTrace>,
    );
    expect(page.getByText("tierwright trace generate").elements()).toHaveLength(0);
    await expect.element(page.getByText("tierwright simulate")).toBeVisible();
  });
});
