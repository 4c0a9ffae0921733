import type { ComposedRowOut } from "@/api/compositions";
import type { ColorScheme } from "@/charts/palette";

/** Okabe and Ito's set, darkened or lightened for contrast; none is that of a sum. */
const COLORS = [
  { light: "#00805f", dark: "#2fc79c" },
  { light: "#a8477f", dark: "#e199c3" },
  { light: "#1971c2", dark: "#74c0fc" },
  { light: "#7a6a00", dark: "#e3d64b" },
  { light: "#b02525", dark: "#ff9b9b" },
] as const;
const OTHERS = { light: "#5c6470", dark: "#a9b1bd" } as const;

/** A workload with a colour of its own. */
export interface Drawn<Row> {
  readonly row: Row;
  /** Its place among all workloads. */
  readonly place: number;
  readonly light: string;
  readonly dark: string;
}

export const colorOf = (drawn: Drawn<unknown>, colors: ColorScheme): string =>
  drawn[colors];

/** The workloads that are drawn: the busiest, as many as colours can be kept apart. */
export function drawnOf<Row extends Pick<ComposedRowOut, "accesses_per_s">>(
  rows: readonly Row[],
): readonly Drawn<Row>[] {
  return rows
    .map((row, place) => ({ row, place }))
    .toSorted((one, other) => other.row.accesses_per_s - one.row.accesses_per_s)
    .slice(0, COLORS.length)
    .toSorted((one, other) => one.place - other.place)
    .map((each, at) => ({ ...each, ...(COLORS[at] ?? OTHERS) }));
}

/** The parts of a bar: one for each workload drawn, and one for all others. */
export function partsOf(
  rows: readonly Pick<ComposedRowOut, "name" | "accesses_per_s">[],
) {
  const drawn = drawnOf(rows);
  const own = drawn.map(({ row, light, dark }) => ({
    name: row.name,
    title: row.name,
    light,
    dark,
  }));
  return drawn.length === rows.length
    ? own
    : [...own, { name: REST, title: "All others", ...OTHERS }];
}

const REST = "\u0000rest";

/** A value of each workload as parts of a bar. */
export function barOf<Row extends Pick<ComposedRowOut, "name" | "accesses_per_s">>(
  rows: readonly Row[],
  value: (row: Row) => number,
): Readonly<Record<string, number>> {
  const drawn = new Set(drawnOf(rows).map(({ place }) => place));
  const parts: Record<string, number> = {};
  rows.forEach((row, place) => {
    const key = drawn.has(place) ? row.name : REST;
    parts[key] = (parts[key] ?? 0) + value(row);
  });
  return parts;
}
