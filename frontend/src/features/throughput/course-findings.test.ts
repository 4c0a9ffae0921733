import { describe, expect, it } from "vitest";
import type { CourseOut, CourseWindow } from "@/api/course";
import { courseMarkers, courseSeries, courseTable } from "./course-findings";

const window = (start_s: number, more: Partial<CourseWindow> = {}): CourseWindow => ({
  start_s,
  length_s: 2,
  accesses: 100,
  ram_hit_share: 0.8,
  flash_hit_share: 0.5,
  accesses_per_s: 50,
  mean_us: 1500,
  p99_us: 9000,
  flash_busy: 0.1,
  disk_busy: 0.9,
  flash_used_share: 1,
  dirty_share: 0.25,
  ...more,
});

const course = (
  windows: readonly CourseWindow[],
  more: Partial<CourseOut> = {},
): CourseOut =>
  ({
    windows: [...windows],
    filled_at_s: null,
    restarted_at_s: null,
    restart_s: 0,
    redo_pages: 0,
    redo_s: 0,
    ...more,
  }) as CourseOut;

describe("the course over time", () => {
  it("draws shares in per cent at the middle of each window", () => {
    const series = courseSeries(course([window(0), window(2)]), "shares", "light");
    expect(series.map(({ name }) => name)).toEqual([
      "RAM hits",
      "Flash hits",
      "Flash in use",
      "Dirty on flash",
      "Flash busy",
      "Disks busy",
    ]);
    expect(series[0]?.points).toEqual([
      [1, 80],
      [3, 80],
    ]);
  });

  it("leaves out what flash of no use does not have, and windows without a value", () => {
    const unused = { flash_used_share: null, dirty_share: null };
    const names = courseSeries(course([window(0, unused)]), "shares", "dark").map(
      ({ name }) => name,
    );
    expect(names).not.toContain("Dirty on flash");
    expect(names).not.toContain("Flash in use");
    const last = window(2, { length_s: 0, accesses_per_s: null });
    const [rate] = courseSeries(course([window(0), last]), "rate", "light");
    expect(rate?.points).toEqual([[1, 50]]);
  });

  it("marks when flash is full and the restart, where there are any", () => {
    expect(courseMarkers(course([]))).toEqual([]);
    expect(courseMarkers(course([], { filled_at_s: 3, restarted_at_s: 5 }))).toEqual([
      { name: "flash full", x: 3 },
      { name: "restart", x: 5 },
    ]);
    const redone = { restarted_at_s: 5, restart_s: 0.5, redo_pages: 9, redo_s: 2 };
    expect(courseMarkers(course([], redone))).toEqual([
      { name: "restart", x: 5 },
      { name: "redone", x: 7.5 },
    ]);
  });

  it("exports every quantity with its unit", () => {
    const { header, rows } = courseTable(course([window(4)]));
    expect(header.at(-1)).toBe("99 % [ms]");
    expect(rows).toEqual([[4, 2, 100, 50, 80, 50, 100, 25, 10, 90, 1.5, 9]]);
  });
});
