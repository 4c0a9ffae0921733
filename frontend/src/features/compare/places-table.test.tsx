import { expect, test } from "vitest";
import { page } from "vitest/browser";
import type { CheckedDirectories, PlaceReplayedOut } from "@/api/replay-checks";
import { expectAccessible, renderThemed } from "@/testing/render";
import { PlacesTable } from "./places-table";

const place = (of: string, more: Partial<PlaceReplayedOut>): PlaceReplayedOut => ({
  of,
  title: of,
  kind: "flash_cache",
  ram_tax_bytes: 128_000,
  ram_pages: 900,
  flash_pages: 4000,
  ram_hits: 0.9,
  flash_hits: 0.01,
  time_us: 370,
  behind: 0,
  reason: "",
  ...more,
});

async function shown(...places: readonly PlaceReplayedOut[]) {
  const found = { places } as unknown as CheckedDirectories;
  const { container } = await renderThemed(<PlacesTable found={found} name="TPC-B" />);
  return container;
}

const cells = (name: string): (string | null)[] =>
  [...(page.getByRole("rowheader", { name }).element().closest("tr")?.cells ?? [])].map(
    (cell) => cell.textContent,
  );

test("what takes RAM, hits and time is shown, and how far it is behind", async () => {
  const container = await shown(
    place("FaCE", {}),
    place("in RAM", { kind: "directory", behind: 0.05, time_us: 388.5 }),
  );
  expect(cells("FaCE")).toEqual([
    "FaCE",
    "flash cache",
    "125 KiB",
    "900",
    "4,000",
    "90 %",
    "1 %",
    "370",
    "–",
  ]);
  expect(cells("in RAM")[1]).toBe("directory");
  expect(cells("in RAM").at(-1)).toBe("5");
  expect(container.textContent).not.toContain("no figure is published");
  expect(container.textContent).not.toContain("Without a time");
  await expectAccessible();
});

test("what has no time says why, and RAM that nobody publishes is no 0", async () => {
  const reason = "its metadata take 16 MiB, all of the RAM";
  const container = await shown(
    place("LARC", { ram_tax_bytes: null }),
    place("SCE", { time_us: null, behind: null, ram_hits: null, ram_pages: 0, reason }),
  );
  expect(cells("SCE").at(-1)).toBe(reason);
  expect(cells("LARC")[2]).toBe("–");
  expect(container.textContent).toContain("no figure is published");
});

test("where nothing was replayed, there is no table", async () => {
  const container = await shown();
  expect(container.querySelector("table")).toBeNull();
});
