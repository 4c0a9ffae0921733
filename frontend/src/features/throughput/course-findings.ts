/** Series, markers and table of a course over time. */
import type { CourseOut, CourseWindow } from "@/api/course";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { LineSeries } from "@/charts/line-option";
import type { ColorScheme } from "@/charts/palette";
import { valueColumn } from "@/components/columns";
import { formatCount, formatNumber, formatShort } from "@/units/quantity";

export const COURSE_MEASURES = ["shares", "rate", "response"] as const;
export type CourseMeasure = (typeof COURSE_MEASURES)[number];

interface Line {
  readonly name: string;
  readonly color: Readonly<Record<ColorScheme, string>>;
  readonly dash?: "dashed" | "dotted";
  readonly value: (window: CourseWindow) => number | null;
}

const percent = (share: number | null) => (share === null ? null : 100 * share);
const ms = (time_us: number | null) => (time_us === null ? null : time_us / 1000);

export const COURSE_AXES: Readonly<Record<CourseMeasure, string>> = {
  shares: "share [%]",
  rate: "accesses [1/s]",
  response: "response time [ms]",
};

/** Blue for RAM, violet for flash, gold for disks, red for what is dirty; dashes tell lines of one hue apart. */
const RAM = { light: "#1971c2", dark: "#74c0fc" } as const;
const FLASH = { light: "#5f3dc4", dark: "#b197fc" } as const;
const DISK = { light: "#7a6a00", dark: "#e3d64b" } as const;
const DIRTY = { light: "#b02525", dark: "#ff9b9b" } as const;

const LINES: Readonly<Record<CourseMeasure, readonly Line[]>> = {
  shares: [
    { name: "RAM hits", color: RAM, value: (window) => percent(window.ram_hit_share) },
    {
      name: "Flash hits",
      color: FLASH,
      value: (window) => percent(window.flash_hit_share),
    },
    {
      name: "Flash in use",
      color: FLASH,
      dash: "dotted",
      value: (window) => percent(window.flash_used_share),
    },
    {
      name: "Dirty on flash",
      color: DIRTY,
      dash: "dotted",
      value: (window) => percent(window.dirty_share),
    },
    {
      name: "Flash busy",
      color: FLASH,
      dash: "dashed",
      value: (window) => percent(window.flash_busy),
    },
    {
      name: "Disks busy",
      color: DISK,
      dash: "dashed",
      value: (window) => percent(window.disk_busy),
    },
  ],
  rate: [
    { name: "Answers", color: RAM, value: ({ accesses_per_s }) => accesses_per_s },
    {
      name: "Arrivals",
      color: DISK,
      dash: "dashed",
      value: ({ accesses, length_s }) => (length_s > 0 ? accesses / length_s : null),
    },
  ],
  response: [
    { name: "Mean", color: RAM, value: (window) => ms(window.mean_us) },
    {
      name: "99 %",
      color: DIRTY,
      dash: "dashed",
      value: (window) => ms(window.p99_us),
    },
  ],
};

/** The middle of a window. [s] */
const middle = (window: CourseWindow) => window.start_s + window.length_s / 2;

/** A line a quantity; windows without a value of it have no point. */
export function courseSeries(
  found: CourseOut,
  measure: CourseMeasure,
  colors: ColorScheme,
): LineSeries[] {
  return LINES[measure]
    .map(
      ({ name, color, dash, value }): LineSeries => ({
        name,
        color: color[colors],
        ...(dash === undefined ? {} : { dash }),
        points: found.windows.flatMap((window) => {
          const y = value(window);
          return y === null ? [] : [[middle(window), y] as const];
        }),
      }),
    )
    .filter(({ points }) => points.length > 0);
}

/**
 * When flash was full, when the machine came back, when it had redone what a checkpoint lacked, and when the last access
 * arrived whose queue was then worked off.
 */
export const courseMarkers = (found: CourseOut) => {
  const { filled_at_s, restarted_at_s, restart_s, redo_pages, redo_s } = found;
  return [
    ...(filled_at_s === null ? [] : [{ name: "flash full", x: filled_at_s }]),
    ...(restarted_at_s === null ? [] : [{ name: "restart", x: restarted_at_s }]),
    ...(restarted_at_s === null || !redo_pages || redo_s === null
      ? []
      : [{ name: "redone", x: restarted_at_s + restart_s + redo_s }]),
    ...(found.is_outrun ? [{ name: "last arrival", x: found.last_arrival_s }] : []),
  ];
};

/** Every quantity of every window. */
export const courseTable = (found: CourseOut): ChartTable =>
  chartTable(found.windows, [
    valueColumn("From [s]", ({ start_s }) => start_s, formatNumber),
    valueColumn("Length [s]", ({ length_s }) => length_s, formatNumber),
    valueColumn("Accesses", ({ accesses }) => accesses, formatCount),
    valueColumn("Answered", ({ answered }) => answered, formatCount),
    valueColumn("Answered [1/s]", ({ accesses_per_s }) => accesses_per_s, formatShort),
    valueColumn("Unanswered", ({ unanswered }) => unanswered, formatCount),
    ...LINES.shares.map(({ name, value }) =>
      valueColumn(`${name} [%]`, (window: CourseWindow) => value(window), formatNumber),
    ),
    valueColumn("Mean [ms]", ({ mean_us }) => ms(mean_us), formatNumber),
    valueColumn("99 % [ms]", ({ p99_us }) => ms(p99_us), formatNumber),
  ]);
