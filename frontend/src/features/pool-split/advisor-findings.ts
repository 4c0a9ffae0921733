/** Series and tables of the adaptive split over a drifting workload or device. */

import type { PoolAdvisorEpochs } from "@/api/analyses";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, chartInk, schemeMark } from "@/charts/palette";
import { valueColumn } from "@/components/columns";
import type { Dynamics } from "@/questions/pool-split";
import { formatCount, formatPercent, formatShort, ratio } from "@/units/quantity";

export const DYNAMICS_LABELS: Readonly<Record<Dynamics, string>> = {
  steady: "Nothing: the trace as recorded",
  wm1: "WM1: writes grow by 1 % of their initial share per epoch",
  wm2: "WM2: fewer writes in every other epoch",
  rm1: "RM1: a write costs 10 % of R more per epoch",
  rm2: "RM2: a write costs less in every other epoch",
};

export const VIEWS = {
  cost: {
    label: "Cost",
    axis: "cost [page reads per access]",
    about: "Cost per access by epoch [page reads per access]",
  },
  clean: {
    label: "Clean pool",
    axis: "clean pool [pages]",
    about: "Clean pool of the adaptive split at the end of each epoch [pages]",
  },
  writes: {
    label: "Writes",
    axis: "share of writes [%]",
    about: "Share of writes by epoch, counted and modelled [%]",
  },
  asymmetry: {
    label: "R",
    axis: "R [page reads per page write]",
    about: "Cost of a page write by epoch, R [page reads]",
  },
} as const;

export type View = keyof typeof VIEWS;

export const isView = (name: string): name is View => name in VIEWS;

const BUFFERS = {
  adaptive: { title: "Adaptive split", mark: "fd_buffer", dash: "solid" },
  static: { title: "Best static split tried", mark: "fd_static", dash: "dashed" },
  lru: { title: "LRU", mark: "lru", dash: "dashed" },
  cflru: { title: "CFLRU", mark: "cflru", dash: "dotted" },
} as const;

const BUFFER_NAMES = Object.keys(BUFFERS) as (keyof typeof BUFFERS)[];

const points = (values: readonly number[], factor = 1) =>
  values.map((value, epoch) => [epoch, value * factor] as const);

export function viewSeries(
  found: PoolAdvisorEpochs,
  view: View,
  colors: ColorScheme,
): LineSeries[] {
  const own = schemeMark("fd_buffer", colors).color;
  switch (view) {
    case "cost":
      return BUFFER_NAMES.map((name) => ({
        name: BUFFERS[name].title,
        color: schemeMark(BUFFERS[name].mark, colors).color,
        dash: BUFFERS[name].dash,
        points: points(found.costs[name] ?? []),
      }));
    case "clean": {
      const pools = found.production ?? found;
      return [
        { name: "Adaptive split", color: own, points: points(pools.clean_pages) },
        {
          name: "Best static split tried",
          color: schemeMark("fd_static", colors).color,
          dash: "dashed",
          points: points(pools.clean_pages.map(() => pools.static_clean_pages)),
        },
      ];
    }
    case "writes":
      return [
        { name: "Counted", color: own, points: points(found.write_shares, 100) },
        {
          name: "Model",
          color: chartInk(colors).faint,
          dash: "dashed",
          points: points(found.expected_write_shares, 100),
        },
      ];
    case "asymmetry":
      return [{ name: "R", color: own, points: points(found.asymmetries) }];
  }
}

export const epochTable = (found: PoolAdvisorEpochs): ChartTable =>
  chartTable(
    found.asymmetries,
    [
      valueColumn("Epoch", (_, at) => at, formatCount),
      valueColumn("Accesses", (_, at) => found.epoch_lengths[at] ?? null, formatCount),
      valueColumn(
        "Writes",
        (_, at) => found.write_shares[at] ?? null,
        (share) => formatPercent(ratio(share)),
      ),
      valueColumn("R", (asymmetry) => asymmetry),
      valueColumn(
        "Clean pool [pages]",
        (_, at) => (found.production ?? found).clean_pages[at] ?? null,
        formatCount,
      ),
      ...BUFFER_NAMES.map((name) =>
        valueColumn(
          `${BUFFERS[name].title} [page reads/access]`,
          (_: number, at) => found.costs[name]?.[at] ?? null,
          (cost) => formatShort(cost, 4),
        ),
      ),
    ],
    {
      caption:
        "The cost of an epoch excludes writing pages that are still dirty; the totals include it.",
    },
  );
