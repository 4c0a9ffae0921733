/** What replays at points of a map say: their marks, their words, and their table. */
import type { CheckedMap, MapCheckIn, PointReplayedOut } from "@/api/replay-checks";
import type { SchemeMapIn, SchemeMapOut } from "@/api/scheme-map";
import type { MapMark } from "@/charts/map-option";
import { type CachesSearch, cachesAsked } from "@/components/caches";
import { type Column, valueColumn } from "@/components/columns";
import type { MapSearch } from "@/questions/scheme-map";
import {
  formatCount,
  formatMicroseconds,
  formatPercent,
  formatShort,
  microseconds,
  ratio,
} from "@/units/quantity";
import { AXIS_TITLES, COLUMN_NAMES, formatCell, formatTick, isSize } from "./axes";

export const USUAL_POINTS = 3;
const PERCENT = 100;
const NOT_REPLAYED = "Not replayed";
/** Shares nearer to 0 are the same time, in another order of sums. */
const SAME = 1e-9;

export type PointsSearch = CachesSearch & Pick<MapSearch, "x_points" | "y_points">;

/** The check of a map, as the address chooses it. */
export const pointsRequest = (
  question: SchemeMapIn,
  search: PointsSearch,
): MapCheckIn => ({
  ...question,
  x_points: search.x_points ?? USUAL_POINTS,
  y_points: search.y_points ?? USUAL_POINTS,
  ...cachesAsked(search),
});

/** Why no point of a map can be replayed, or null. */
export function whyNoPoints(question: SchemeMapIn, replayable: boolean): string | null {
  if (!replayable) {
    return "This workload has no accesses to replay.";
  }
  const stated =
    question.x.axis === "dirty_share" ||
    question.y.axis === "dirty_share" ||
    question.dirty_share != null;
  return stated
    ? "A replay has the dirty pages of the recording, so a map over other dirty shares cannot be replayed. Choose other axes, and leave the dirty share as measured."
    : null;
}

const titleOf = (found: CheckedMap, name: string | null): string | null =>
  name === null ? null : (found.titles[name] ?? name);

const percent = (share: number): string => formatPercent(ratio(Math.abs(share)));

/** The marks of the points on the map. */
export function marksOf(found: CheckedMap, map: SchemeMapOut): MapMark[] {
  return found.points.map((point) => ({
    x: point.x,
    y: point.y,
    best:
      point.best === null
        ? null
        : { of: point.best, title: titleOf(found, point.best) ?? point.best },
    differs: point.agrees === false,
    words: [
      point.best === null
        ? NOT_REPLAYED
        : `${titleOf(found, point.best)} is fastest by replay`,
      placeText(point, map),
      ...[modelText(found, point), cacheText(found, point), point.reason].filter(
        (text) => text !== "",
      ),
    ],
  }));
}

function placeText(point: PointReplayedOut, map: SchemeMapOut): string {
  const size = (axis: "ram_pages" | "flash_pages") =>
    `${AXIS_TITLES[axis]} ${formatTick(axis, point[axis], map.page_bytes)}`;
  const asymmetries = [
    { axis: map.x.name, value: point.x },
    { axis: map.y.name, value: point.y },
  ].filter(({ axis }) => axis === "asymmetry");
  return [
    size("ram_pages"),
    size("flash_pages"),
    ...asymmetries.map(
      ({ axis, value }) =>
        `${AXIS_TITLES[axis].toLowerCase()} ${formatTick(axis, value, map.page_bytes)}`,
    ),
  ].join(", ");
}

/** What the model names, and how far it is behind by replay. */
export function modelText(found: CheckedMap, point: PointReplayedOut): string {
  if (point.modelled === null) {
    return "No scheme fits by the model";
  }
  const named = `The model names ${titleOf(found, point.modelled)}`;
  if (point.agrees === null || point.behind === null) {
    return named;
  }
  if (point.agrees) {
    return `${named}, as the replay does`;
  }
  const close = point.too_close ? "; its lead is within the model's error" : "";
  return `${named}, ${percent(point.behind)} slower than ${titleOf(found, point.flow)} by replay${close}`;
}

/** How the fastest flash cache stands beside the fastest scheme; empty without one. */
export function cacheText(found: CheckedMap, point: PointReplayedOut): string {
  const { cache, cache_saves: saves, flow } = point;
  if (cache === null || saves === null) {
    return "";
  }
  const beside = titleOf(found, flow);
  if (Math.abs(saves) <= SAME) {
    return `${titleOf(found, cache)} takes as long as ${beside}`;
  }
  return saves > 0
    ? `${titleOf(found, cache)} saves ${percent(saves)} of the I/O time of ${beside}`
    : `${titleOf(found, cache)} takes ${percent(saves)} longer than ${beside}`;
}

/** Why a point, or a scheme or flash cache at it, has no time; empty where all have. */
export const withoutText = (found: CheckedMap, point: PointReplayedOut): string =>
  [
    ...(point.reason === "" ? [] : [point.reason]),
    ...Object.entries(point.without_time).map(
      ([name, reason]) => `${titleOf(found, name)}: ${reason}`,
    ),
  ].join("; ");

/** How often each is fastest, the most frequent first. */
export function winnersOf(found: CheckedMap) {
  const counts = new Map<string, number>();
  for (const { best } of found.points) {
    if (best !== null) {
      counts.set(best, (counts.get(best) ?? 0) + 1);
    }
  }
  return [...counts]
    .map(([of, count]) => ({ of, title: found.titles[of] ?? of, count }))
    .sort((one, other) => other.count - one.count);
}

const pagesText = (value: number) => formatCount(value);
const timeText = (value: number) => formatMicroseconds(microseconds(value));
const inPercent = (share: number | null) => (share === null ? null : PERCENT * share);
const yesNo = (value: boolean | null) => (value === null ? null : value ? "yes" : "no");

type PointColumn = Column<PointReplayedOut, string>;

/** Columns of the table and of the export. */
export function pointColumns(
  found: CheckedMap,
  map: SchemeMapOut,
  caches: readonly string[],
): PointColumn[] {
  const axes = [
    { axis: map.x.name, at: (point: PointReplayedOut) => point.x },
    { axis: map.y.name, at: (point: PointReplayedOut) => point.y },
  ].filter(({ axis }) => !isSize(axis));
  const charged = found.points.some(
    (point) => point.ram_pages_with_flash !== point.ram_pages,
  );
  const column = valueColumn<PointReplayedOut>;
  return [
    column("RAM [pages]", (point) => point.ram_pages, pagesText),
    ...(charged
      ? [
          column(
            "RAM beside the flash metadata [pages]",
            (point) => point.ram_pages_with_flash,
            pagesText,
          ),
        ]
      : []),
    column("Flash [pages]", (point) => point.flash_pages, pagesText),
    ...axes.map(({ axis, at }) =>
      column(COLUMN_NAMES[axis], at, (value) => formatCell(axis, value)),
    ),
    column("Choice of the model", (point) => titleOf(found, point.modelled)),
    column("Fastest scheme by replay", (point) => titleOf(found, point.flow)),
    column(
      "Choice slower by [%]",
      (point) => inPercent(point.behind),
      (value) => formatShort(value),
    ),
    ...(caches.length === 0
      ? []
      : [
          column("Fastest flash cache", (point) => titleOf(found, point.cache)),
          column(
            "Flash cache saves [%]",
            (point) => inPercent(point.cache_saves),
            (value) => formatShort(value),
          ),
        ]),
    column("Same scheme", (point) => yesNo(point.agrees)),
    column("Lead within the error", (point) => yesNo(point.too_close)),
    column("Choice by replay [µs/access]", (point) => point.modelled_us, timeText),
    column("Fastest scheme [µs/access]", (point) => point.flow_us, timeText),
    ...(caches.length === 0
      ? []
      : [column("Flash cache [µs/access]", (point) => point.cache_us, timeText)]),
    column("Without a time", (point) => withoutText(found, point)),
  ];
}
