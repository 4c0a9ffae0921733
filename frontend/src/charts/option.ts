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
