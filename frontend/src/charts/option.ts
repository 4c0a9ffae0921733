import type {
  BarSeriesOption,
  CustomSeriesOption,
  LineSeriesOption,
  ScatterSeriesOption,
} from "echarts/charts";
import type {
  AriaComponentOption,
  GridComponentOption,
  LegendComponentOption,
  TitleComponentOption,
  TooltipComponentOption,
} from "echarts/components";
import type { ComposeOption } from "echarts/core";
import { type ColorScheme, chartInk } from "./palette";

export type ChartOption = ComposeOption<
  | BarSeriesOption
  | CustomSeriesOption
  | LineSeriesOption
  | ScatterSeriesOption
  | AriaComponentOption
  | GridComponentOption
  | LegendComponentOption
  | TitleComponentOption
  | TooltipComponentOption
>;

/**
 * A legend above the chart, one line high at any width: where its names do not fit, they
 * are paged through, never set over the name of the axis.
 */
export function topLegend(colors: ColorScheme) {
  const ink = chartInk(colors);
  return {
    type: "scroll" as const,
    top: 0,
    left: 0,
    textStyle: { color: ink.text },
    pageTextStyle: { color: ink.text },
    pageIconColor: ink.text,
    pageIconInactiveColor: ink.line,
  };
}

const FOOTNOTE_HEIGHT = 22;

/** The same drawing with a line of text below it, for pictures that leave the page. */
export function withFootnote(
  option: ChartOption,
  text: string,
  colors: ColorScheme,
): ChartOption {
  const grid = Array.isArray(option.grid) ? option.grid[0] : option.grid;
  const below = typeof grid?.bottom === "number" ? grid.bottom : 0;
  return {
    ...option,
    grid: { ...grid, bottom: below + FOOTNOTE_HEIGHT },
    title: {
      text,
      left: 8,
      bottom: 0,
      textStyle: { color: chartInk(colors).faint, fontSize: 12, fontWeight: "normal" },
    },
  };
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Names typed by users reach tooltips, which are HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character);
}
