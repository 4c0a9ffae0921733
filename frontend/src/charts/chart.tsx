import { useComputedColorScheme } from "@mantine/core";
import type { EChartsType } from "echarts/core";
import { useEffect, useRef, useState } from "react";
import classes from "./chart.module.css";
import type { ChartOption } from "./option";
import type { ColorScheme } from "./palette";

export interface ChartProps {
  readonly option: ChartOption;
  readonly height: number;
  /** What the chart shows, in words: read by screen readers in place of the drawing. */
  readonly label: string;
  /** Charts of one group share their hover cursor. */
  readonly group?: string;
  /** Called with the values on both axes where the drawing is pressed. */
  readonly onPick?: ((x: number, y: number) => void) | undefined;
  readonly marker?: ChartMarker | null | undefined;
}

/** A named place on both axes, shown over the drawing. */
export interface ChartMarker {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

/**
 * Everything but the tooltip is made anew with an option: a new tooltip measures the
 * page, which takes longer than the drawing.
 */
const MADE_ANEW = ["series", "xAxis", "yAxis", "grid", "legend"];

export function useChartColors(): ColorScheme {
  return useComputedColorScheme("light");
}

/** ECharts in a box of fixed height; the library loads with the first chart drawn. */
export function Chart(props: ChartProps) {
  const { option, height, label, group, onPick, marker } = props;
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const latest = useRef(option);
  const [failure, setFailure] = useState<string | null>(null);
  const [ready, setReady] = useState(false);
  latest.current = option;
  const pick = useRef(onPick);
  pick.current = onPick;
  const mark = useRef<HTMLDivElement>(null);
  const marked = useRef(marker);
  marked.current = marker;

  useEffect(() => {
    const element = box.current;
    if (element === null) {
      return;
    }
    let disposed = false;
    const observer = new ResizeObserver(() => {
      chart.current?.resize();
      placeMarker(chart.current, mark.current, marked.current);
    });
    import("./engine").then(
      (engine) => {
        if (disposed) {
          return;
        }
        chart.current = engine.createChart(element, group);
        chart.current.setOption(latest.current, { notMerge: true });
        placeMarker(chart.current, mark.current, marked.current);
        chart.current.getZr().on("click", (event) => {
          const at = [event.offsetX, event.offsetY];
          const drawn = chart.current;
          if (
            pick.current === undefined ||
            !drawn?.containPixel({ gridIndex: 0 }, at)
          ) {
            return;
          }
          const [x, y] = drawn.convertFromPixel({ gridIndex: 0 }, at);
          if (x !== undefined && y !== undefined) {
            pick.current(x, y);
          }
        });
        observer.observe(element);
        setReady(true);
      },
      (error: unknown) => setFailure(String(error)),
    );
    return () => {
      disposed = true;
      observer.disconnect();
      chart.current?.dispose();
      chart.current = null;
    };
  }, [group]);

  useEffect(() => {
    chart.current?.setOption(option, { replaceMerge: MADE_ANEW });
    placeMarker(chart.current, mark.current, marked.current);
  }, [option]);

  useEffect(() => {
    placeMarker(chart.current, mark.current, marker);
  }, [marker]);

  if (failure !== null) {
    return (
      <p role="alert" style={{ height }}>
        The chart could not be loaded ({failure}). The table has the same numbers;
        reload the page to try again.
      </p>
    );
  }
  const image = { role: "img", "aria-label": label, "data-ready": ready } as const;
  const drawing = { ref: box, className: classes["chart"], style: { height } };
  return marker === undefined ? (
    <div {...drawing} {...image} />
  ) : (
    <div {...image} className={classes["marked"]}>
      <div {...drawing} data-ready={ready} />
      <div ref={mark} className={classes["marker"]} aria-hidden="true" hidden>
        <span>{marker?.label}</span>
      </div>
    </div>
  );
}

/** Where the words of a marker would leave the drawing, they stand on its other side. */
const EDGE_SHARE = 0.28;

function placeMarker(
  chart: EChartsType | null,
  element: HTMLDivElement | null,
  marker: ChartMarker | null | undefined,
): void {
  if (element === null) {
    return;
  }
  const at = marker == null ? null : [marker.x, marker.y];
  const [left, top] =
    at === null ? [] : (chart?.convertToPixel({ gridIndex: 0 }, at) ?? []);
  element.hidden = left === undefined || top === undefined;
  if (chart !== null && left !== undefined && top !== undefined) {
    element.style.transform = `translate(${left}px, ${top}px)`;
    const share = left / chart.getWidth();
    element.dataset["side"] =
      share > 1 - EDGE_SHARE ? "left" : share < EDGE_SHARE ? "right" : "top";
  }
}
