import type { MapQuestion, SchemeMapIn, SchemeMapOut } from "@/api/scheme-map";
import type { DirtyEndName } from "@/components/dirty-end";
import type { AnalysisState } from "@/questions/point";
import { evaluationInput } from "@/questions/point";
import {
  AXIS_NAMES as AXES,
  type AxisName,
  type MapSearch,
} from "@/questions/scheme-map";
import {
  bytes,
  bytesOfPages,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  pages,
  ratio,
} from "@/units/quantity";

/** Where on the map you are: the sizes of every page, and what is set here. */
export interface Place {
  readonly ram: number;
  readonly flash: number;
  /** Null: measured. */
  readonly dirty: number | null;
  /** Null: the device's. */
  readonly asymmetry: number | null;
}

export interface AxisChoice {
  readonly axis: AxisName;
  readonly low: number;
  readonly high: number;
}

export const POINTS = 64;
export const DEFAULT_X: AxisName = "ram_pages";
export const DEFAULT_Y: AxisName = "flash_pages";
const LEAST_FLASH = 1;

/** The range of an axis that suits a workload. */
export function usualRange(axis: AxisName, distinctPages: number) {
  const pages = Math.max(4, distinctPages);
  switch (axis) {
    case "ram_pages":
      return { low: Math.max(1, Math.round(pages / 1000)), high: pages };
    case "flash_pages":
      return { low: Math.max(1, Math.round(pages / 100)), high: 2 * pages };
    case "flash_per_ram":
      return { low: 0.25, high: 64 };
    case "dirty_share":
      return { low: 0, high: 1 };
    case "asymmetry":
      return { low: 0.25, high: 256 };
  }
}

/** Flash over RAM and flash say the same twice, unless RAM is the third. */
export function fitsBeside(axis: AxisName, other: AxisName): boolean {
  const twice = new Set<AxisName>(["flash_per_ram", "flash_pages"]);
  return axis !== other && !(twice.has(axis) && twice.has(other));
}

/** The axes as the address says them, usual ones where it does not. */
export function chosenAxes(search: MapSearch, distinctPages: number) {
  const x = search.x ?? DEFAULT_X;
  const wanted = search.y ?? DEFAULT_Y;
  const y = fitsBeside(wanted, x)
    ? wanted
    : (AXES.find((name) => fitsBeside(name, x)) ?? DEFAULT_Y);
  return {
    x: chosen(x, search.x_low, search.x_high, distinctPages),
    y: chosen(y, search.y_low, search.y_high, distinctPages),
  };
}

function chosen(
  axis: AxisName,
  low: number | undefined,
  high: number | undefined,
  distinctPages: number,
): AxisChoice {
  const usual = usualRange(axis, distinctPages);
  const range = { axis, low: low ?? usual.low, high: high ?? usual.high };
  const sound = rangeProblem(axis, range.low, range.high) === null;
  return sound ? range : { axis, ...usual };
}

/** Why a range cannot be used, or null. */
export function rangeProblem(axis: AxisName, low: number, high: number): string | null {
  if (axis === "dirty_share" && high > 1) {
    return "Use a share of at most 1";
  }
  if (axis === "ram_pages" && low < 1) {
    return "Use at least one page of RAM";
  }
  if (axis !== "dirty_share" && !(low > 0)) {
    return "Use values above 0";
  }
  return low < high ? null : "The first value must be below the second";
}

const hasAxis = (x: AxisChoice, y: AxisChoice, ...names: AxisName[]) =>
  names.includes(x.axis) || names.includes(y.axis);

/** What map and point share: inputs of the analysis, and the metadata charged. */
function inputs(state: AnalysisState, metadata: string | undefined, given: boolean) {
  const { ram_pages: _, flash_pages: __, ...common } = evaluationInput(state, metadata);
  return { ...common, dirty_share_range: given };
}

/** The request of a map: what its axes leave open is taken from where you are. */
export function mapRequest(
  state: AnalysisState,
  axes: { readonly x: AxisChoice; readonly y: AxisChoice },
  place: Place,
  metadata: string | undefined,
  given = false,
): SchemeMapIn {
  const { x, y } = axes;
  return {
    ...inputs(state, metadata, given),
    x: { ...x, points: POINTS },
    y: { ...y, points: POINTS },
    ram_pages: hasAxis(x, y, "ram_pages") ? null : place.ram,
    flash_pages: hasAxis(x, y, "flash_pages", "flash_per_ram")
      ? null
      : Math.max(LEAST_FLASH, place.flash),
    dirty_share: hasAxis(x, y, "dirty_share") ? null : place.dirty,
    asymmetry: hasAxis(x, y, "asymmetry") ? null : place.asymmetry,
  };
}

export function pointRequest(
  state: AnalysisState,
  place: Place,
  metadata: string | undefined,
  given = false,
): MapQuestion {
  return {
    ...inputs(state, metadata, given),
    ram_pages: place.ram,
    flash_pages: Math.max(LEAST_FLASH, place.flash),
    dirty_share: place.dirty,
    asymmetry: place.asymmetry,
  };
}

/** The map with the numbers of the end that is to be drawn; its sentence covers both. */
export const mapAtEnd = (map: SchemeMapOut, end: DirtyEndName): SchemeMapOut =>
  end === "least" && map.least !== null
    ? {
        ...map,
        best: map.least.best,
        io_time_us_per_access: map.least.io_time_us_per_access,
        margin: map.least.margin,
        too_close: map.least.too_close,
        too_close_share: map.least.too_close_share,
        crossovers: map.least.crossovers,
        shares: map.least.shares,
        money: {
          ...map.money,
          best_by_price_times_time: null,
          reason:
            "price times time is computed for the maximum possible number of dirty pages",
        },
      }
    : map;

/** Where you are on an axis; null while the measured value is not known yet. */
export function valueOn(
  axis: AxisName,
  place: Place,
  measured: { readonly dirty: number | null; readonly asymmetry: number | null },
): number | null {
  switch (axis) {
    case "ram_pages":
      return place.ram;
    case "flash_pages":
      return place.flash;
    case "flash_per_ram":
      return place.flash / place.ram;
    case "dirty_share":
      return place.dirty ?? measured.dirty;
    case "asymmetry":
      return place.asymmetry ?? measured.asymmetry;
  }
}

/** Moves to values on axes; a ratio keeps to the RAM that goes with it. */
export function movedTo(
  place: Place,
  moves: readonly { readonly axis: AxisName; readonly value: number }[],
): Place {
  const to = new Map(moves.map(({ axis, value }) => [axis, value]));
  const ram = Math.max(1, Math.round(to.get("ram_pages") ?? place.ram));
  const perRam = to.get("flash_per_ram");
  const flash =
    perRam === undefined ? (to.get("flash_pages") ?? place.flash) : perRam * ram;
  return {
    ram,
    flash: Math.max(LEAST_FLASH, Math.round(flash)),
    dirty: to.get("dirty_share") ?? place.dirty,
    asymmetry: to.get("asymmetry") ?? place.asymmetry,
  };
}

/** Index of the grid point that is nearest, on the axis's own scale. */
export function nearestIndex(values: readonly number[], value: number, log: boolean) {
  const scale = (each: number) =>
    log ? Math.log(Math.max(each, Number.MIN_VALUE)) : each;
  let best = 0;
  values.forEach((each, index) => {
    const distance = Math.abs(scale(each) - scale(value));
    if (distance < Math.abs(scale(values[best] ?? each) - scale(value))) {
      best = index;
    }
  });
  return best;
}

export const isLog = (axis: AxisName): boolean => axis !== "dirty_share";

/** An axis of sizes, which are asked in pages and read in bytes. */
export const isSize = (axis: AxisName): boolean =>
  axis === "ram_pages" || axis === "flash_pages";

/** A value of an axis as a reader knows it. */
export function formatTick(axis: AxisName, value: number, pageBytes: number): string {
  if (axis === "dirty_share") {
    return formatPercent(ratio(value));
  }
  return isSize(axis)
    ? formatBytes(bytesOfPages(pages(value), bytes(pageBytes)))
    : formatShort(value);
}

/** A value in a column whose head names the unit. */
export const formatCell = (axis: AxisName, value: number): string => {
  if (axis === "dirty_share") {
    return formatShort(value * 100);
  }
  return isSize(axis) ? formatCount(Math.round(value)) : formatShort(value);
};

export const AXIS_TITLES: Readonly<Record<AxisName, string>> = {
  flash_per_ram: "Flash over RAM",
  ram_pages: "RAM",
  flash_pages: "Flash",
  dirty_share: "Dirty share",
  asymmetry: "Asymmetry",
};

/** For the chart, whose ticks have units. */
export const AXIS_NAMES: Readonly<Record<AxisName, string>> = {
  flash_per_ram: "flash size over RAM size",
  ram_pages: "RAM size",
  flash_pages: "flash size",
  dirty_share: "dirty share of evicted pages",
  asymmetry: "flash write time over flash read time",
};

/** With the unit, for the columns of a table. */
export const COLUMN_NAMES: Readonly<Record<AxisName, string>> = {
  ...AXIS_NAMES,
  ram_pages: "RAM [pages]",
  flash_pages: "flash [pages]",
  dirty_share: "dirty share of evicted pages [%]",
};
