import { describe, expect, it } from "vitest";
import type { CourseOut, CourseWindow } from "@/api/course";
import { courseMarkers, courseSeries, courseTable } from "./course-findings";

const window = (start_s: number, more: Partial<CourseWindow> = {}): CourseWindow => ({
  start_s,
  length_s: 2,
  accesses: 100,
  ram_hit_share: 0.8,
  flash_hit_share: 0.5,
  answered: 100,
  accesses_per_s: 50,
  mean_us: 1500,
  p99_us: 9000,
  unanswered: 3,
  flash_busy: 0.1,
  disk_busy: 0.9,
  flash_load: 0.1,
  disk_load: 1.9,
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
    is_outrun: false,
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

  it("draws arrivals beside answers, and marks the last of those that outrun the devices", () => {
    const busy = window(0, { accesses: 4000, accesses_per_s: 250, answered: 500 });
    const worked = window(2, { accesses: 0, accesses_per_s: 250, answered: 500 });
    const found = course([busy, worked], { is_outrun: true, last_arrival_s: 1.9 });
    const series = courseSeries(found, "rate", "light");
    expect(series.map(({ name, points }) => [name, points])).toEqual([
      [
        "Answers",
        [
          [1, 250],
          [3, 250],
        ],
      ],
      [
        "Arrivals",
        [
          [1, 2000],
          [3, 0],
        ],
      ],
    ]);
    expect(courseMarkers(found)).toEqual([{ name: "last arrival", x: 1.9 }]);
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
    expect(rows).toEqual([[4, 2, 100, 100, 50, 3, 80, 50, 100, 25, 10, 90, 1.5, 9]]);
  });
});
