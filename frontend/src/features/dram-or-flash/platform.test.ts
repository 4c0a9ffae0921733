import { describe, expect, test } from "vitest";
import type { BreakEvenOut } from "@/api/dram-or-flash";
import { platformRows } from "./platform-panel";

type Platform = NonNullable<BreakEvenOut["platform"]>;

const platform = {
  drives: 1,
  drive_iops: 300,
  drive_write_iops: 100,
  reads_per_s: 200,
  write_backs_per_s: 60,
  busy_share: 1.267,
  dram_bytes_per_s: 5.16e6,
  storage_pages: 70,
  bandwidth_pages: 0,
  more_drives: 1,
  more_bytes_per_s: 0,
} as Platform;

const drives = (change: Partial<Platform>) =>
  platformRows({ ...platform, ...change })[0];

describe("what the drives carry", () => {
  test("is reads and write-backs, beside what they can serve", () => {
    expect(drives({})).toMatchObject({
      what: "Drive",
      now: "200 page reads and 60 write-backs per second: 127 % of what it can serve",
      more: "1",
    });
  });

  test("is reads alone where it is unknown what is written", () => {
    const found = drives({
      drives: 2,
      reads_per_s: 1,
      write_backs_per_s: null,
      busy_share: 0.1,
      more_drives: 0,
    });
    expect(found).toMatchObject({
      what: "Drives",
      now: "1 page read per second: 10 % of what they can serve",
      more: "nothing",
    });
  });
});
