/** A named place on the axis across. */
export interface PlaceMarker {
  readonly name: string;
  readonly x: number;
  /** Its name stands at the foot of its line, where something else is drawn at the top. */
  readonly isLow?: boolean;
}

/** What the axis across shows, so that it is known which places lie close. */
export interface Span {
  readonly min: number;
  readonly max: number;
  readonly log: boolean;
}

/** Part of the axis: where lines are nearer, names on the same side of both would overlap on a phone. */
const NEAR_SHARE = 0.16;

/** Where names stand whose lines have another one close by on each side: away from the outer two. */
const BETWEEN = [
  "insideStartTop",
  "insideStartBottom",
  "insideMiddleTop",
  "insideMiddleBottom",
] as const;

/** Dotted lines at named places. Names of lines that are close stand apart. */
export function markLine(markers: readonly PlaceMarker[], span: Span, color: string) {
  if (markers.length === 0) {
    return {};
  }
  const sorted = markers.toSorted((one, other) => one.x - other.x);
  const at = sorted.map(({ x }) => shareOf(x, span));
  const near = (index: number) =>
    Math.abs((at[index] ?? Number.NaN) - (at[index + 1] ?? Number.NaN)) < NEAR_SHARE;
  let between = 0;
  const position = (index: number) => {
    if (!near(index - 1)) {
      between = 0;
      return "insideEndTop" as const; // at the left of its line
    }
    if (!near(index)) {
      return "insideEndBottom" as const; // at the right
    }
    between += 1;
    return BETWEEN[(between - 1) % BETWEEN.length] ?? BETWEEN[0];
  };
  return {
    markLine: {
      symbol: "none",
      silent: true,
      animation: false,
      lineStyle: { color, type: "dotted" as const, width: 1.5 },
      data: sorted.map((marker, index) => ({
        xAxis: marker.x,
        label: {
          formatter: marker.name,
          color,
          position:
            marker.isLow === true ? ("insideStartTop" as const) : position(index),
          rotate: 90,
        },
      })),
    },
  };
}

function shareOf(x: number, { min, max, log }: Span): number {
  const scale = (value: number) => (log ? Math.log(value) : value);
  return (scale(x) - scale(min)) / (scale(max) - scale(min));
}
