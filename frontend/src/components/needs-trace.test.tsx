import { describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { isDescribed, mayLackWrites } from "@/api/workloads";
import { renderThemed } from "@/testing/render";
import { NeedsTrace, originOf } from "./needs-trace";

const UNKNOWN = { write_accesses: null, dirty_share: null } as const;
const NONE = { described_by: null, composed_of: null, ...UNKNOWN } as const;
const described = { ...NONE, kind: "curve", described_by: "Orders" } as const;
const given = { ...NONE, kind: "curve" } as const;
const trace = { ...NONE, kind: "trace" } as const;
const PARTS = [{ name: "Orders", workload_id: null, accesses_per_s: null }];
const composed = { ...NONE, kind: "curve", composed_of: PARTS } as const;

describe("a workload without accesses", () => {
  it("is told apart by what it was made from", () => {
    expect([described, given, trace, composed].map(originOf)).toEqual([
      "described",
      "curve",
      "trace",
      "composed",
    ]);
    expect([described, given, trace].map(isDescribed)).toEqual([true, false, false]);
  });

  it("may have a dirty share stated only where a curve was given", () => {
    expect([described, given, trace].map(mayLackWrites)).toEqual([false, true, false]);
    // Of a composed one only where the write-backs of a workload are unknown.
    const written = { ...composed, write_accesses: 10 };
    const stated = { ...written, dirty_share: 0.3 };
    expect([composed, written, stated].map(mayLackWrites)).toEqual([true, false, true]);
  });

  it("says of a scaled one whether its recording is there", async () => {
    const scaledFrom = { workload_id: "w", name: "Orders" };
    await renderThemed(
      <NeedsTrace kind="profile" scaledFrom={scaledFrom} title="No replay">
        Replays.
      </NeedsTrace>,
    );
    await expect
      .element(page.getByText(/trace of its recording, Orders, is not there/))
      .toBeVisible();
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
