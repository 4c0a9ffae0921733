import { describe, expect, it } from "vitest";
import type { DeviceOut } from "@/api/catalog";
import type { WorkloadOut } from "@/api/workloads";
import { type Choices, defaultSizes, fillState, usualSizes } from "./defaults";

const device = (id: string, roles: DeviceOut["roles"], times: number | null = 5) =>
  ({
    id,
    roles,
    sold_as: "device",
    answers: times === null ? [] : ["io_times"],
  }) as unknown as DeviceOut;
const workload = (id: string, status: string, example: boolean) =>
  ({
    id,
    status,
    example,
    summary: status === "ready" ? { distinct_pages: 10_000 } : null,
  }) as unknown as WorkloadOut;

const choices: Choices = {
  workloads: [workload("mine", "ready", false), workload("example", "ready", true)],
  devices: [
    device("untimed", ["flash"], null),
    device("ssd", ["flash"]),
    device("hdd", ["disk"]),
  ],
  priceBooks: [
    { id: "old", date: "2015", default: false },
    { id: "usual", date: "2026-Q1", default: true },
    { id: "new", date: "2026-Q3", default: false },
  ],
};

describe("what an open address is filled with", () => {
  it("is the worked example on devices whose times are known, at the default prices", () => {
    expect(fillState({}, choices)).toEqual({
      workload: "example",
      ram_pages: 100,
      flash_pages: 5000,
      flash_device: "ssd",
      disk_device: "hdd",
      ram_device: "none",
      price_book: "usual",
      months: 36,
      start: "steady",
    });
  });

  it("takes the newest prices where no book is the default", () => {
    const books = choices.priceBooks.map((book) => ({ ...book, default: false }));
    expect(fillState({}, { ...choices, priceBooks: books })?.price_book).toBe("new");
  });

  it("is a cold start where an earlier version stated all but that", () => {
    const { start: _, ...earlier } = fillState({}, choices) ?? {};
    expect(fillState(earlier, choices)?.start).toBe("cold");
    expect(fillState({ ...earlier, start: "steady" }, choices)?.start).toBe("steady");
    expect(fillState({ ...earlier, months: undefined }, choices)?.start).toBe("steady");
  });

  it("never overrides what the address states", () => {
    const state = fillState(
      { ram_pages: 7, price_book: "none", workload: "mine" },
      choices,
    );
    expect(state).toMatchObject({ ram_pages: 7, price_book: "none", workload: "mine" });
  });

  it("is nothing while no workload is ready or a role has no device", () => {
    const waiting = { ...choices, workloads: [workload("w", "running", true)] };
    expect(fillState({}, waiting)).toBeNull();
    expect(fillState({}, { ...choices, devices: [] })).toBeNull();
  });

  it("starts a curve from counters at the sizes that it speaks of, and at nothing beyond", () => {
    const summary = { curve_pages: 400, distinct_pages: 9000, page_bytes: 8192 };
    const evidence = { valid_from: 100, valid_to: 400 };
    expect(usualSizes({ ...summary, evidence })).toEqual({
      ram_pages: 100,
      flash_pages: 300,
    });
    const onePoint = { valid_from: 400, valid_to: 400 };
    expect(usualSizes({ ...summary, evidence: onePoint })).toEqual({
      ram_pages: 400,
      flash_pages: 0,
    });
    expect(usualSizes({ ...summary, evidence: null })).toEqual(defaultSizes(400));
  });
});
