import { expect, it } from "vitest";
import type { DeviceOut } from "@/api/catalog";
import type { WorkloadOut } from "@/api/workloads";
import { type Choices, fillState } from "./defaults";
import { measuredDevices } from "./measured-tiers";

const tier = (name: string, size: number | null, id: string | null) => ({
  name,
  size_bytes: size,
  requests_per_s: 10,
  read_us: id === null ? null : 200,
  device_id: id,
  text: name,
});
const TIERS = [
  tier("shared buffers", 1, null),
  tier("the cache on flash", 1, "measured-flash"),
  tier("Aurora storage", null, "measured-disk"),
];
const workload = (id: string, tiers: readonly object[]) =>
  ({
    id,
    status: "ready",
    example: false,
    summary: {
      distinct_pages: 100,
      curve_pages: 100,
      page_bytes: 8192,
      evidence: { valid_from: 10, valid_to: 100, tiers },
    },
  }) as unknown as WorkloadOut;
const device = (id: string, roles: DeviceOut["roles"]) =>
  ({ id, roles, sold_as: "device", answers: ["io_times"] }) as unknown as DeviceOut;

const choices = (pathname: string): Choices => ({
  workloads: [workload("aurora", TIERS), workload("counters", [])],
  devices: [device("ssd", ["flash"]), device("hdd", ["disk"]), device("dram", ["ram"])],
  priceBooks: [],
  pathname,
});

it("lists the tiers that were timed, each for its place", () => {
  const { summary } = workload("aurora", TIERS);
  const found = measuredDevices(summary, "/compare");
  expect(found.map(({ id, name, roles }) => [id, name, roles])).toEqual([
    ["measured-flash", "The cache on flash, as measured", ["flash"]],
    ["measured-disk", "Aurora storage, as measured", ["disk"]],
  ]);
  // What is bought is not what runs today.
  expect(measuredDevices(summary, "/advise")).toEqual([]);
  expect(measuredDevices(null, "/compare")).toEqual([]);
});

it("uses what was measured where nothing else is stated", () => {
  const filled = (search: object, pathname = "/compare") =>
    fillState({ workload: "aurora", ...search }, choices(pathname));
  expect(filled({})).toMatchObject({
    flash_device: "measured-flash",
    disk_device: "measured-disk",
  });
  expect(filled({ disk_device: "hdd" })).toMatchObject({
    flash_device: "measured-flash",
    disk_device: "hdd",
  });
  expect(filled({}, "/advise")).toMatchObject({ flash_device: "ssd" });
});

it("takes no measured tier along to another workload or page", () => {
  const search = { flash_device: "measured-flash", disk_device: "measured-disk" };
  const bought = { flash_device: "ssd", disk_device: "hdd" };
  expect(
    fillState({ ...search, workload: "counters" }, choices("/compare")),
  ).toMatchObject(bought);
  expect(
    fillState({ ...search, workload: "aurora" }, choices("/advise")),
  ).toMatchObject(bought);
});
