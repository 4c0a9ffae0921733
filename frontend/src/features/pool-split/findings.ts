/** Series, tables and words of a pool split. */
import type { PoolSplitCosts, PoolSplitGains } from "@/api/analyses";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, chartInk, schemeMark } from "@/charts/palette";
import { valueColumn } from "@/components/columns";
import {
  counted,
  formatCount,
  formatNumber,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";

export const ESTIMATOR_TITLES: Readonly<Record<PoolSplitCosts["estimator"], string>> = {
  flow: "Estimate, flow (recommended)",
  disjoint: "Estimate, disjoint pools",
  eq4: "Estimate, as printed (Eq 4)",
};

const ESTIMATE = { light: "#5f3dc4", dark: "#b197fc" } as const;
const BEST = { light: "#006b4f", dark: "#4fd6ad" } as const;

const share = (clean: number, pages: number) => (100 * clean) / pages;

/** Estimate as a line, replays as markers, undivided buffers as level lines. */
export function costSeries(
  costs: PoolSplitCosts,
  colors: ColorScheme,
  showAll: boolean,
): LineSeries[] {
  const { curve, pages } = costs;
  const line = (name: PoolSplitCosts["estimator"], dash: LineSeries["dash"]) => ({
    name: ESTIMATOR_TITLES[name],
    color: name === "flow" ? ESTIMATE[colors] : chartInk(colors).faint,
    dash: dash ?? "solid",
    points: curve.clean_pages.map(
      (clean, index) => [share(clean, pages), curve[name][index] ?? 0] as const,
    ),
  });
  return [
    line("flow", "solid"),
    ...(showAll ? [line("disjoint", "dashed"), line("eq4", "dotted")] : []),
    {
      name: "Simulated split",
      color: schemeMark("fd_static", colors).color,
      symbol: schemeMark("fd_static", colors).shape,
      line: false,
      points: costs.replays.map((row) => [share(row.clean_pages, pages), row.cost]),
    },
    {
      name: "Best simulated split",
      color: BEST[colors],
      symbol: "diamond",
      symbolSize: 17,
      line: false,
      points: [[share(costs.best_clean_pages, pages), costs.best_cost]],
    },
    ...costs.baselines.map((baseline) => ({
      name: `${baseline.title}, simulated, no split`,
      color: schemeMark(baseline.name, colors).color,
      dash: baseline.name === "lru" ? ("dashed" as const) : ("dotted" as const),
      points: [
        [0, baseline.cost],
        [100, baseline.cost],
      ] as const,
    })),
  ];
}

export interface CostRange {
  readonly low: number;
  readonly high: number;
  /** Whether costs at the ends lie above it. */
  readonly cuts: boolean;
}

const MARGIN = 0.05;
const SHOWN_SHARE = 0.85;

/** The costs worth looking at: where a pool has almost no page they explode. */
export function costRange(costs: PoolSplitCosts): CostRange {
  const replayed = costs.replays.map((row) => row.cost).sort((a, b) => a - b);
  const level = costs.baselines.map((baseline) => baseline.cost);
  const most = Math.max(...replayed, ...costs.curve.flow, ...level);
  const usual = replayed[Math.floor((replayed.length - 1) * SHOWN_SHARE)] ?? most;
  const top = Math.max(usual, ...level);
  const least = Math.min(...replayed, ...costs.curve.flow, ...level);
  const margin = MARGIN * (top - least) + 1e-9;
  return {
    low: least - margin,
    high: top + 2 * margin,
    cuts: most > top + 2 * margin,
  };
}

export function costTable(costs: PoolSplitCosts): ChartTable {
  const { curve, pages } = costs;
  const simulated = new Map(costs.replays.map((row) => [row.clean_pages, row]));
  const rows = curve.clean_pages.map((clean, index) => ({
    clean,
    flow: curve.flow[index] ?? null,
    disjoint: curve.disjoint[index] ?? null,
    eq4: curve.eq4[index] ?? null,
    replay: simulated.get(clean),
  }));
  const unit = pageUnit(costs.production != null);
  return chartTable(
    rows,
    [
      valueColumn(`Clean [${unit}]`, ({ clean }) => clean, formatCount),
      valueColumn(`Dirty [${unit}]`, ({ clean }) => pages - clean, formatCount),
      valueColumn(
        "Clean share",
        ({ clean }) => clean / pages,
        (value) => formatPercent(ratio(value)),
      ),
      valueColumn("Estimate flow [page reads]", ({ flow }) => flow, cost),
      valueColumn("Estimate disjoint [page reads]", ({ disjoint }) => disjoint, cost),
      valueColumn("Estimate Eq 4 [page reads]", ({ eq4 }) => eq4, cost),
      valueColumn("Simulated [page reads]", ({ replay }) => replay?.cost ?? null, cost),
      valueColumn("Reads", ({ replay }) => replay?.reads ?? null, formatCount),
      valueColumn("Writes", ({ replay }) => replay?.writes ?? null, formatCount),
      valueColumn(
        "Dirty at the end",
        ({ replay }) => replay?.dirty_left ?? null,
        formatCount,
      ),
    ],
    {
      shown: ({ replay }) => replay !== undefined,
      caption: `Replayed splits: ${formatCount(costs.replays.length)}; costs are per access. The CSV export lists all ${counted(curve.clean_pages.length, "estimated split")}. A simulated cost includes one more write for each page still dirty at the end.`,
    },
  );
}

/** Of which system splits are counted in pages: the one that was replayed. */
const pageUnit = (isProduction: boolean): string =>
  isProduction ? "pages of the recording" : "pages";

const cost = (value: number) => formatNumber(value, 4);

export const percent = (value: number | null): string =>
  value === null ? "–" : `${formatShort(100 * value)} %`;

/** Where splitting pays, in words: R for which it saves at least one per cent. */
export function gainFinding(gains: PoolSplitGains): string {
  const rows = gains.gains.map(({ asymmetry, gain_over }) => ({
    asymmetry,
    least: leastGain(gain_over),
  }));
  const best = rows.reduce((one, other) => (other.least > one.least ? other : one));
  if (best.least <= 0) {
    return "No split beats both LRU and CFLRU at any asymmetry";
  }
  const pays = rangesOf(rows);
  if (pays.length === 0) {
    return "A split saves less than 1 % over the better of LRU and CFLRU at every asymmetry";
  }
  const first = rows[0]?.asymmetry;
  const last = rows.at(-1)?.asymmetry;
  const text = pays.map(([from, to]) =>
    from === first && to === last
      ? "at every R shown"
      : from === first
        ? `for R up to ${formatShort(to)}`
        : to === last
          ? `for R from ${formatShort(from)} up`
          : `for R from ${formatShort(from)} to ${formatShort(to)}`,
  );
  return `A split saves 1 % or more over both LRU and CFLRU ${text.join(" and ")}; the largest saving is ${percent(best.least)}, at R = ${formatShort(best.asymmetry)}`;
}

/** Runs of neighbouring R at which the saving is worthwhile. */
function rangesOf(rows: readonly { asymmetry: number; least: number }[]) {
  const ranges: [number, number][] = [];
  let open = false;
  for (const { asymmetry, least } of rows) {
    const last = ranges.at(-1);
    if (least < WORTHWHILE) {
      open = false;
    } else if (open && last !== undefined) {
      last[1] = asymmetry;
    } else {
      ranges.push([asymmetry, asymmetry]);
      open = true;
    }
  }
  return ranges;
}

const WORTHWHILE = 0.01;

/** Saving over the better of the undivided buffers. */
export const leastGain = (over: Readonly<Record<string, number | null>>): number =>
  Math.min(...Object.values(over).map((value) => value ?? Number.NEGATIVE_INFINITY));

export function gainSeries(gains: PoolSplitGains, colors: ColorScheme): LineSeries[] {
  const line = (name: "lru" | "cflru", title: string, dash: LineSeries["dash"]) => ({
    name: `Saved over ${title}`,
    color: schemeMark(name, colors).color,
    dash: dash ?? "solid",
    points: gains.gains.map(
      (row) => [row.asymmetry, 100 * (row.gain_over[name] ?? 0)] as const,
    ),
  });
  const last = gains.gains.at(-1)?.asymmetry ?? 1;
  return [
    line("lru", "LRU", "solid"),
    line("cflru", "CFLRU", "dashed"),
    {
      name: "Catalogue devices (over LRU)",
      color: chartInk(colors).faint,
      symbol: "circle",
      symbolSize: 7,
      hollow: true,
      line: false,
      points: gains.devices
        .filter((device) => device.asymmetry >= 1 && device.asymmetry <= last)
        .map(
          (device) => [device.asymmetry, 100 * (device.gain_over["lru"] ?? 0)] as const,
        ),
    },
  ];
}

export const gainTable = (gains: PoolSplitGains, isProduction: boolean): ChartTable =>
  chartTable(
    gains.gains,
    [
      valueColumn("Asymmetry R", (row) => row.asymmetry),
      valueColumn(
        `Best clean [${pageUnit(isProduction)}]`,
        (row) => row.best_clean_pages,
        formatCount,
      ),
      valueColumn("Best split [page reads]", (row) => row.best_cost, cost),
      valueColumn("LRU [page reads]", (row) => row.baselines["lru"] ?? null, cost),
      valueColumn("CFLRU [page reads]", (row) => row.baselines["cflru"] ?? null, cost),
      valueColumn("Saved over LRU", (row) => row.gain_over["lru"] ?? null, percent),
      valueColumn("Saved over CFLRU", (row) => row.gain_over["cflru"] ?? null, percent),
    ],
    { shown: (_, index) => index % SHOWN_EVERY === 0 },
  );

/** Of the R drawn, the table shows this part. */
const SHOWN_EVERY = 4;
