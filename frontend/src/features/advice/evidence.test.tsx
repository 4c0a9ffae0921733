import { afterEach, describe, expect, it, vi } from "vitest";
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import { renderRouted } from "@/testing/render";
import { EvidencePanel } from "./evidence";

const FOUND = { workload_id: "w", horizon_months: 36 } as unknown as AdviceOut;
const OPTION = {
  name: "3 x azure-e64ds_v5",
  kind: "instances",
  scheme: "none",
  admission: null,
  peak_busy: 0.1,
  io_time_us_per_access: 0.0942,
  replayed_io_time_us_per_access: null,
  flash_life_years: null,
  response_p99_us: 132,
  response_reason: "",
  ranges: {},
  point: {
    ram_pages: 131_072,
    flash_pages: 0,
    flash_device: null,
    disk_device: "disk-of-aws-i4i.16xlarge",
    flash_devices: 0,
    disks: 1,
    machines: 1,
    curve_machines: 1,
    accesses_per_s: 40_000,
    peak_accesses_per_s: 60_000,
    scheme: "none",
    io_time_us_per_access: 0.0942,
  },
} as unknown as AdviceOptionOut;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the evidence of a recommendation", () => {
  const shown = async (option: AdviceOptionOut) => {
    const fetched = vi
      .spyOn(window, "fetch")
      .mockImplementation(async () => Response.json({ items: [], total: 0 }));
    const page = await renderRouted(
      <>
        <p>the answer</p>
        <EvidencePanel found={FOUND} option={option} />
      </>,
    );
    await expect.element(page.getByText("the answer")).toBeVisible();
    await expect.poll(() => fetched.mock.calls.length).toBeGreaterThanOrEqual(2);
    return page;
  };

  it("links to the pages that know its devices", async () => {
    const page = await shown(OPTION);
    await expect.element(page.getByRole("link").first()).toBeVisible();
    await expect.element(page.getByRole("region", { name: "Evidence" })).toBeVisible();
  });

  it.each([
    ["volumes", /volumes are as fast as what is rented with them/],
    ["instances", /lacks a figure that the other pages need/],
  ])(
    "says of %s why no page can be opened, and links the curves",
    async (kind, why) => {
      const page = await shown({ ...OPTION, kind, point: null } as AdviceOptionOut);
      await expect.element(page.getByText(why)).toBeVisible();
      const links = page.getByRole("region", { name: "Evidence" }).getByRole("link");
      await expect.element(links).toHaveTextContent("the workload’s curves");
      await expect.element(links).toHaveAttribute("href", "/workloads/w");
    },
  );
});
