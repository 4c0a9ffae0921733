import { formatMicroseconds, microseconds } from "@/units/quantity";
import {
  barLegend,
  horizontalBars,
  hoverRow,
  outlined,
  stackedPart,
  sumLabels,
} from "./horizontal-bars";
import { type ChartOption, escapeHtml } from "./option";
import {
  COST_TERM_ORDER,
  type ColorScheme,
  chartInk,
  costTermColor,
  costTermTitle,
  schemeMark,
} from "./palette";

export interface SchemeBar {
  readonly scheme: string;
  readonly title: string;
  /** µs per access, by cost term. */
  readonly terms: Readonly<Record<string, number>>;
  readonly total: number;
  /** Simulated total, µs per access, where a check has run. */
  readonly simulated?: number | undefined;
  readonly best?: boolean;
  /** A configuration beside the schemes, which is never the best. */
  readonly outer?: boolean;
}

export interface BarsChart {
  readonly bars: readonly SchemeBar[];
  readonly colors: ColorScheme;
  /** What the markers are, where they are no simulation. */
  readonly markerName?: string;
}

const MARKER_NAME = "Simulated";
const OUTER_NAME = "Outlined: for comparison";

/** Terms in their fixed order, then whatever the server added since. */
export function termsOf(bars: readonly SchemeBar[]): string[] {
  const present = new Set(bars.flatMap((bar) => Object.keys(bar.terms)));
  const known = COST_TERM_ORDER.filter((term) => present.has(term));
  const further = [...present].filter((term) => !COST_TERM_ORDER.includes(term)).sort();
  return [...known, ...further];
}

/** Horizontal stacked bars, one per scheme, best first at the top. */
export function barsOption(chart: BarsChart): ChartOption {
  const ink = chartInk(chart.colors);
  const terms = termsOf(chart.bars);
  const markerName = chart.markerName ?? MARKER_NAME;
  const outer = chart.bars.map((bar) => bar.outer === true);
  const simulated = chart.bars.flatMap((bar) =>
    bar.simulated === undefined
      ? []
      : [{ bar, mark: schemeMark(bar.scheme, chart.colors), value: bar.simulated }],
  );
  return {
    ...horizontalBars({
      bars: chart.bars,
      colors: chart.colors,
      axis: "I/O time per access [µs]",
      above: 62,
      right: 64,
      titleWidth: 96,
      hover: (bar) => hover(bar, terms, markerName, chart.colors),
    }),
    legend: {
      ...barLegend(chart.colors),
      data: [
        ...terms.map(costTermTitle),
        ...(simulated.length > 0 ? [markerName] : []),
        ...(outer.includes(true) ? [OUTER_NAME] : []),
      ],
    },
    series: [
      ...terms.map((term) =>
        stackedPart(
          costTermTitle(term),
          costTermColor(term, chart.colors),
          chart.bars.map((bar) => bar.terms[term] ?? 0),
          outer,
        ),
      ),
      // For the legend alone: how the bars beside the schemes look.
      ...(outer.includes(true)
        ? [
            {
              ...stackedPart(OUTER_NAME, ink.faint, []),
              itemStyle: outlined(ink.faint),
            },
          ]
        : []),
      sumLabels(chart.bars, (bar) => bar.total, inMicroseconds, chart.colors),
      ...(simulated.length === 0
        ? []
        : [
            {
              type: "scatter" as const,
              name: markerName,
              z: 5,
              symbolSize: 13,
              itemStyle: { color: ink.text },
              data: simulated.map(({ bar, mark, value }) => ({
                value: [value, bar.title],
                symbol: mark.shape,
                itemStyle: {
                  color: mark.color,
                  borderColor: ink.text,
                  borderWidth: 2,
                },
              })),
            },
          ]),
    ],
  };
}

const inMicroseconds = (value: number): string =>
  formatMicroseconds(microseconds(value));

function hover(
  bar: SchemeBar,
  terms: readonly string[],
  markerName: string,
  colors: ColorScheme,
): string {
  const rows = terms.map((term) =>
    hoverRow(
      costTermTitle(term),
      inMicroseconds(bar.terms[term] ?? 0),
      costTermColor(term, colors),
    ),
  );
  rows.push(hoverRow("Total", inMicroseconds(bar.total)));
  if (bar.simulated !== undefined) {
    rows.push(hoverRow(markerName, inMicroseconds(bar.simulated)));
  }
  return `<div><b>${escapeHtml(bar.title)}</b>, µs per access</div>${rows.join("")}`;
}
