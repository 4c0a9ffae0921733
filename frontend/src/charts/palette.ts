/**
 * Colours and markers, fixed for every chart in both colour schemes.
 *
 * The scheme colours are Okabe and Ito's set, which stays apart under the common
 * forms of colour blindness; every scheme also has a marker shape, so colour never
 * carries a meaning alone. Each colour has 3:1 contrast against its background.
 */

export type ColorScheme = "light" | "dark";

export type MarkerShape =
  | "circle"
  | "rect"
  | "triangle"
  | "diamond"
  | "arrow"
  | "roundRect"
  | "pin";

interface MarkStyle {
  readonly light: string;
  readonly dark: string;
  readonly shape: MarkerShape;
}

const SCHEMES: Readonly<Record<string, MarkStyle>> = {
  none: { light: "#5c6470", dark: "#a9b1bd", shape: "circle" },
  inclusive: { light: "#0072b2", dark: "#4ba3dc", shape: "rect" },
  inclusive_global: { light: "#2b8cbe", dark: "#8fd0f5", shape: "roundRect" },
  exclusive: { light: "#c4500a", dark: "#f08a3c", shape: "triangle" },
  lazy: { light: "#00805f", dark: "#2fc79c", shape: "diamond" },
};

/** For schemes the server registers after this page was built. */
const FURTHER: readonly MarkStyle[] = [
  { light: "#a8477f", dark: "#e199c3", shape: "pin" },
  { light: "#7a6a00", dark: "#e3d64b", shape: "arrow" },
];

export interface Mark {
  readonly color: string;
  readonly shape: MarkerShape;
}

export function schemeMark(scheme: string, colors: ColorScheme): Mark {
  const style = SCHEMES[scheme] ?? FURTHER[scheme.length % FURTHER.length];
  return {
    color: style?.[colors] ?? (colors === "light" ? "#5c6470" : "#a9b1bd"),
    shape: style?.shape ?? "circle",
  };
}

/** Flash work in violets, disk work in golds: two families told apart by hue. */
const COST_TERMS: Readonly<
  Record<
    string,
    { readonly title: string; readonly light: string; readonly dark: string }
  >
> = {
  flash_reads: { title: "Flash reads", light: "#a78bda", dark: "#c9b6f2" },
  flash_fills: { title: "Flash fills", light: "#7a52c4", dark: "#9a78de" },
  flash_write_backs: { title: "Flash write-backs", light: "#4b2a8f", dark: "#7350bd" },
  disk_reads: { title: "Disk reads", light: "#c08a1e", dark: "#e6b450" },
  disk_writes: { title: "Disk writes", light: "#7d560b", dark: "#b3822b" },
};

export const COST_TERM_ORDER: readonly string[] = Object.keys(COST_TERMS);

export function costTermTitle(term: string): string {
  return COST_TERMS[term]?.title ?? term.replaceAll("_", " ");
}

export function costTermColor(term: string, colors: ColorScheme): string {
  return COST_TERMS[term]?.[colors] ?? (colors === "light" ? "#5c6470" : "#a9b1bd");
}

/** The page's own font, for text inside charts. */
export const CHART_FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';

/** Inks of axes, grid and text, matched to the page's background. */
export function chartInk(colors: ColorScheme) {
  return colors === "light"
    ? {
        text: "#343a40",
        faint: "#5c636a",
        line: "#ced4da",
        grid: "#e9ecef",
        paper: "#ffffff",
      }
    : {
        text: "#dee2e6",
        faint: "#a6adb4",
        line: "#4a4f55",
        grid: "#33373c",
        paper: "#1f2226",
      };
}
