import type { PriceSeriesOut } from "@/api/purchasable";
import type { LineSeries } from "@/charts/line-option";
import type { ColorScheme } from "@/charts/palette";

type Point = PriceSeriesOut["points"][number];

/** Kinds with their titles, in the order of the picker. */
export const PRICE_KINDS: Readonly<Record<string, string>> = {
  dram: "DRAM",
  ssd_enterprise: "Enterprise SSDs",
  ssd: "Client SSDs",
  hdd: "Hard disks",
};

const COLORS: Readonly<Record<ColorScheme, readonly string[]>> = {
  light: ["#1f6feb", "#b35900"],
  dark: ["#6cb0ff", "#ffb066"],
};
const QUARTER = /^(\d{4})-Q([1-4])$/;
const MONTHS_A_YEAR = 12;
const PERCENT = 100;

/** Where on the axis of years a date stands: the middle of the time that it names. */
export function yearOf(date: string): number {
  const quarter = QUARTER.exec(date);
  if (quarter !== null) {
    return Number(quarter[1]) + (Number(quarter[2]) - 0.5) / 4;
  }
  const [year = "0", month] = date.split("-");
  return month === undefined
    ? Number(year) + 0.5
    : Number(year) + (Number(month) - 0.5) / MONTHS_A_YEAR;
}

const paid = ({ usd_per_gb, forecast }: Point): boolean =>
  usd_per_gb !== null && !forecast;

const placed = (points: readonly Point[]) =>
  points
    .filter(({ usd_per_gb }) => usd_per_gb !== null)
    .map(({ date, usd_per_gb }) => [yearOf(date), Number(usd_per_gb)] as const)
    .toSorted(([one], [other]) => one - other);

const FORECAST = "forecast";

/** Lines join only the prices of one product and one market; the rest are markers. */
export function priceLines(
  all: readonly PriceSeriesOut[],
  kind: string,
  colors: ColorScheme,
): LineSeries[] {
  const [joined = "", single = ""] = COLORS[colors];
  return all
    .filter((series) => series.kind === kind)
    .toSorted((one, other) => Number(other.joinable) - Number(one.joinable))
    .flatMap(({ name, joinable, points }): LineSeries[] => [
      {
        name: joinable ? name : "single prices, not joinable",
        color: joinable ? joined : single,
        symbol: joinable ? "circle" : "diamond",
        line: joinable,
        hollow: !joinable,
        points: placed(points.filter(paid)),
      },
      {
        name: FORECAST,
        color: joinable ? joined : single,
        symbol: "triangle",
        line: false,
        hollow: true,
        points: placed(points.filter((each) => each.forecast)),
      },
    ])
    .filter(({ points }) => points.length > 0);
}

/** What the joinable prices of a kind say, first against last; null where none are joinable. */
export function priceFinding(
  all: readonly PriceSeriesOut[],
  kind: string,
): string | null {
  const series = all.find((each) => each.kind === kind && each.joinable);
  const points = series?.points.filter(paid) ?? [];
  const first = points[0];
  const last = points.at(-1);
  if (series === undefined || first === undefined || last === undefined) {
    return null;
  }
  const times = Number(last.usd_per_gb) / Number(first.usd_per_gb);
  return times >= 1
    ? `${series.name}: ${times.toFixed(1)} times as much in ${last.date} as in ${first.date}`
    : `${series.name}: in ${last.date} ${Math.round(times * PERCENT)} % of the price of ${first.date}`;
}
