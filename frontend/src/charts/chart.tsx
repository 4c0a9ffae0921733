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
}

export function useChartColors(): ColorScheme {
  return useComputedColorScheme("light");
}

/** ECharts in a box of fixed height; the library loads with the first chart drawn. */
export function Chart({ option, height, label, group, onPick }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const latest = useRef(option);
  const [failure, setFailure] = useState<string | null>(null);
  const [ready, setReady] = useState(false);
  latest.current = option;
  const pick = useRef(onPick);
  pick.current = onPick;

  useEffect(() => {
    const element = box.current;
    if (element === null) {
      return;
    }
    let disposed = false;
    const observer = new ResizeObserver(() => chart.current?.resize());
    import("./engine").then(
      (engine) => {
        if (disposed) {
          return;
        }
        chart.current = engine.createChart(element, group);
        chart.current.setOption(latest.current, { notMerge: true });
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
    chart.current?.setOption(option, { notMerge: true });
  }, [option]);

  if (failure !== null) {
    return (
      <p role="alert" style={{ height }}>
        The chart could not be loaded ({failure}). The table holds the same numbers;
        reload the page to try again.
      </p>
    );
  }
  return (
    <div
      ref={box}
      role="img"
      aria-label={label}
      className={classes["chart"]}
      data-ready={ready}
      style={{ height }}
    />
  );
}
