/**
 * The part of ECharts the page uses. Only `chart.tsx` and `download.ts` import this
 * file, and only dynamically, so that it stays in a chunk of its own.
 */
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  AxisPointerComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
} from "echarts/components";
import { connect, type EChartsType, init, use } from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import type { ChartOption } from "./option";

use([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  AriaComponent,
  AxisPointerComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export function createChart(element: HTMLElement, group?: string): EChartsType {
  const chart = init(element, undefined, { renderer: "svg" });
  if (group !== undefined) {
    chart.group = group;
    connect(group);
  }
  return chart;
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Draws the chart once more, apart from the page, and returns it as a data URL. */
export function drawPng(
  option: ChartOption,
  size: PictureSize,
  backgroundColor: string,
): string {
  const element = document.createElement("div");
  const chart = init(element, undefined, { renderer: "canvas", ...size });
  try {
    chart.setOption({ ...option, animation: false });
    return chart.getDataURL({ type: "png", pixelRatio: 2, backgroundColor });
  } finally {
    chart.dispose();
  }
}

export function drawSvg(
  option: ChartOption,
  size: PictureSize,
  backgroundColor: string,
): string {
  const chart = init(null, undefined, { renderer: "svg", ssr: true, ...size });
  try {
    chart.setOption({ ...option, backgroundColor, animation: false });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}
