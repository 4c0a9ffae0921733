import { expect, it } from "vitest";
import type { WorkloadOut } from "@/api/workloads";
import { measurementsBeside } from "./combine-measurements";
import { countedProduction, EMPTY_PRODUCTION } from "./production-form";

const workload = (id: string, evidence: string | null, more: object = {}) =>
  ({
    id,
    name: id,
    status: "ready",
    summary: {
      evidence: evidence === null ? null : { evidence, parts: [], title: evidence },
      production: null,
      composed_of: null,
      page_bytes: 4096,
      ...more,
    },
  }) as unknown as WorkloadOut;

const PRESENT = workload("present", "one_point");

it("offers measurements of equal pages, and at most one from ages", () => {
  const others = [
    PRESENT,
    workload("ages", "ages"),
    workload("more ages", "ages"),
    workload("ghosts", "points"),
    workload("trace", null),
    workload("large pages", "points", { page_bytes: 8192 }),
    workload("combined", "ages", { evidence: { evidence: "ages", parts: [{}] } }),
    workload("scaled", "points", { production: {} }),
  ];
  const ids = (one: WorkloadOut, chosen: string[] = []) =>
    measurementsBeside(one, others, chosen).map(({ id }) => id);
  expect(ids(PRESENT)).toEqual(["ages", "more ages", "ghosts"]);
  expect(ids(PRESENT, ["ages"])).toEqual(["ages", "ghosts"]);
  expect(ids(workload("own ages", "ages"))).toEqual(["present", "ghosts"]);
});

it("fills the block of production with what the system counted", () => {
  const counted = {
    evidence: workload("a", "points").summary?.evidence ?? null,
    accesses: 7_200_000,
    duration_s: 3600,
    data_known: true,
    footprint_bytes: 2 ** 40,
  };
  expect(countedProduction(counted)).toMatchObject({ dataBytes: 2 ** 40, rate: 2000 });
  expect(countedProduction({ ...counted, data_known: false }).dataBytes).toBeNull();
  // A recording is not production.
  expect(countedProduction({ ...counted, evidence: null })).toEqual(EMPTY_PRODUCTION);
  expect(countedProduction({ ...counted, duration_s: null })).toEqual(EMPTY_PRODUCTION);
});
