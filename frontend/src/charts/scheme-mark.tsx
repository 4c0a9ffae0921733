import { useChartColors } from "./chart";
import { type MarkerShape, schemeMark } from "./palette";

const PATHS: Readonly<Record<MarkerShape, string>> = {
  circle: "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12z",
  rect: "M3 3h10v10H3z",
  roundRect: "M6 3h4a3 3 0 0 1 3 3v4a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3z",
  triangle: "M8 2l6.5 12h-13z",
  diamond: "M8 1l7 7-7 7-7-7z",
  arrow: "M8 2l6 12-6-3-6 3z",
  pin: "M8 15C4 10 3 8 3 6a5 5 0 0 1 10 0c0 2-1 4-5 9z",
};

/** The colour and shape a page-flow scheme has on every chart. */
export function SchemeMark({ scheme }: { readonly scheme: string }) {
  const mark = schemeMark(scheme, useChartColors());
  return (
    <svg
      width={13}
      height={13}
      viewBox="0 0 16 16"
      aria-hidden="true"
      style={{ flex: "none", verticalAlign: "-1px" }}
    >
      <path d={PATHS[mark.shape]} fill={mark.color} />
    </svg>
  );
}

export type Dash = "solid" | "dashed" | "dotted";

const DASHES: Readonly<Record<Dash, string | undefined>> = {
  solid: undefined,
  dashed: "5 3",
  dotted: "1.5 3",
};

/** The line and the marker of a series, for legends beside a chart. */
export function SeriesMark(props: { readonly scheme: string; readonly dash?: Dash }) {
  const mark = schemeMark(props.scheme, useChartColors());
  return (
    <svg
      width={26}
      height={13}
      viewBox="0 0 32 16"
      aria-hidden="true"
      style={{ flex: "none", verticalAlign: "-1px" }}
    >
      <path
        d="M0 8h32"
        stroke={mark.color}
        strokeWidth={2.4}
        strokeDasharray={DASHES[props.dash ?? "solid"]}
        fill="none"
      />
      <path d={PATHS[mark.shape]} fill={mark.color} transform="translate(8 0)" />
    </svg>
  );
}
