import { expect, it } from "vitest";
import type { SweepOut } from "@/api/sweeps";
import { renderThemed } from "@/testing/render";
import { ReplayNotes } from "./results-panel";

const SWEEP: SweepOut = {
  id: "s",
  workload_id: "w",
  content_id: "c",
  status: "running",
  inputs: { workload_id: "w", contenders: [], ram_pages: [10] },
  contenders: [],
  ram_pages: [10],
  flash_pages: [],
  accesses: 100,
  warm_up: 0,
  warm_up_until_full: false,
  page_bytes: 4096,
  replays: 1,
  rows: [],
  devices: { flash_device_id: null, disk_device_id: null },
  warnings: [],
  core_version: "1",
  created_at: "2026-01-01T00:00:00Z",
  run: null,
};

it("repeats what the reader of the trace noticed, before any row is there", async () => {
  const unknown = {
    name: "no_writes_in_format",
    message: "the trace does not tell writes from reads",
    hint: "use a trace with operations",
    could_change_choice: null,
    effect: "",
  };
  const screen = await renderThemed(
    <ReplayNotes sweep={{ ...SWEEP, warnings: [unknown] }} />,
  );
  await expect
    .element(screen.getByText(/does not tell writes from reads.*with operations/))
    .toBeVisible();
  const bare = await renderThemed(<ReplayNotes sweep={SWEEP} />);
  expect(bare.container.querySelector("main")?.textContent).toBe("");
});
