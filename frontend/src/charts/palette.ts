/**
 * Colours and markers, fixed for every chart in both colour schemes.
 *
 * The scheme colours are Okabe and Ito's set, which stays apart under the common
 * forms of colour blindness; every scheme also has a marker shape, so colour never
 * carries a meaning alone. Each colour has 3:1 contrast against its background.
 */

import { COST_TERMS, SCHEME_MARKS } from "@/api/gen/bounds.gen";

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

/** Declared with each scheme in the models. */
const SCHEMES: Readonly<Record<string, MarkStyle>> = SCHEME_MARKS;

/** Replacement policies, cost-aware buffers, flash caches, garbage collection: the same rules. */
const CONTENDERS: Readonly<Record<string, MarkStyle>> = {
  lru: { light: "#364fc7", dark: "#91a7ff", shape: "circle" },
  fifo: { light: "#5c6470", dark: "#a9b1bd", shape: "rect" },
  clock: { light: "#a8477f", dark: "#e199c3", shape: "triangle" },
  gclock: { light: "#862e9c", dark: "#d69bf0", shape: "roundRect" },
  lru_2: { light: "#1971c2", dark: "#74c0fc", shape: "diamond" },
  "2q": { light: "#c4500a", dark: "#f08a3c", shape: "rect" },
  arc: { light: "#00805f", dark: "#2fc79c", shape: "circle" },
  lirs: { light: "#7a6a00", dark: "#e3d64b", shape: "diamond" },
  sieve: { light: "#b02525", dark: "#ff9b9b", shape: "triangle" },
  s3_fifo: { light: "#0b7285", dark: "#66d9e8", shape: "arrow" },
  w_tinylfu: { light: "#2b7a2f", dark: "#8ce99a", shape: "pin" },
  opt: { light: "#212529", dark: "#f1f3f5", shape: "circle" },
  cflru: { light: "#9c36b5", dark: "#e599f7", shape: "roundRect" },
  cfdc: { light: "#a34a00", dark: "#ffb066", shape: "pin" },
  fd_static: { light: "#087f5b", dark: "#63e6be", shape: "rect" },
  fd_buffer: { light: "#5f3dc4", dark: "#b197fc", shape: "diamond" },
  face: { light: "#a61e4d", dark: "#faa2c1", shape: "pin" },
  greedy: { light: "#1864ab", dark: "#a5d8ff", shape: "circle" },
  random: { light: "#6b4f2a", dark: "#d9bf94", shape: "triangle" },
  choices: { light: "#c2255c", dark: "#ffa8c5", shape: "diamond" },
  "cost-benefit": { light: "#2b8a3e", dark: "#a9e34b", shape: "pin" },
  lazy_cleaning: { light: "#846300", dark: "#ffd43b", shape: "arrow" },
  flashcache: { light: "#1864ab", dark: "#4dabf7", shape: "rect" },
  enhanceio: { light: "#5f3dc4", dark: "#b197fc", shape: "triangle" },
  tac: { light: "#c92a2a", dark: "#ff8787", shape: "circle" },
  exadata: { light: "#9a3412", dark: "#fdba74", shape: "roundRect" },
  cac: { light: "#2b7a2f", dark: "#8ce99a", shape: "diamond" },
  bcache: { light: "#0b7285", dark: "#66d9e8", shape: "pin" },
  sce: { light: "#862e9c", dark: "#e599f7", shape: "arrow" },
  larc: { light: "#a34a00", dark: "#ffb066", shape: "rect" },
  cachesack: { light: "#364fc7", dark: "#9db2ff", shape: "diamond" },
  ram_filter: { light: "#087f5b", dark: "#63e6be", shape: "circle" },
  page_lru: { light: "#525a66", dark: "#b4bcc8", shape: "circle" },
  aries: { light: "#b84a08", dark: "#f29348", shape: "rect" },
  committed_first: { light: "#6f6100", dark: "#e8dc5c", shape: "diamond" },
  aat: { light: "#9c3f75", dark: "#e5a3c9", shape: "triangle" },
  transaction_page: { light: "#3147b5", dark: "#9bafff", shape: "roundRect" },
  log_write: { light: "#0a6677", dark: "#74deeb", shape: "arrow" },
  transaction_log: { light: "#007356", dark: "#3fcda5", shape: "pin" },
  dm_writecache: { light: "#495057", dark: "#ced4da", shape: "diamond" },
  open_cas: { light: "#0c5a9e", dark: "#91c9f7", shape: "pin" },
  dm_cache: { light: "#7c3a00", dark: "#f4c08a", shape: "arrow" },
  l2arc: { light: "#a01a58", dark: "#f5a3c7", shape: "rect" },
  cachelib: { light: "#3b5b00", dark: "#c5e17a", shape: "triangle" },
  kangaroo: { light: "#8a2b2b", dark: "#f2b5a5", shape: "roundRect" },
};

/** For schemes of a server that is newer than this page. */
const FURTHER: readonly MarkStyle[] = [
  { light: "#a8477f", dark: "#e199c3", shape: "pin" },
  { light: "#7a6a00", dark: "#e3d64b", shape: "arrow" },
];

export interface Mark {
  readonly color: string;
  readonly shape: MarkerShape;
}

export function schemeMark(scheme: string, colors: ColorScheme): Mark {
  const style =
    SCHEMES[scheme] ?? CONTENDERS[scheme] ?? FURTHER[scheme.length % FURTHER.length];
  return {
    color: style?.[colors] ?? (colors === "light" ? "#5c6470" : "#a9b1bd"),
    shape: style?.shape ?? "circle",
  };
}

/** Names with a colour of their own, for the test of contrasts. */
export const MARKED: readonly string[] = [
  ...Object.keys(SCHEMES),
  ...Object.keys(CONTENDERS),
];

/**
 * By place in the server's table of cost terms: flash work in violets, disk work in golds,
 * two families told apart by hue; then terms that are declared later.
 */
export const TERM_COLORS: readonly Readonly<Record<ColorScheme, string>>[] = [
  { light: "#a78bda", dark: "#c9b6f2" },
  { light: "#7a52c4", dark: "#9a78de" },
  { light: "#4b2a8f", dark: "#7350bd" },
  { light: "#c08a1e", dark: "#e6b450" },
  { light: "#7d560b", dark: "#b3822b" },
  { light: "#0b7285", dark: "#66d9e8" },
  { light: "#a61e4d", dark: "#faa2c1" },
];

export const COST_TERM_ORDER: readonly string[] = COST_TERMS.map(({ name }) => name);

/** A name of a newer server, as words. */
const words = (name: string): string =>
  `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

export const costTermTitle = (term: string): string =>
  COST_TERMS.find(({ name }) => name === term)?.title ?? words(term);

export function costTermColor(term: string, colors: ColorScheme): string {
  const place = COST_TERM_ORDER.indexOf(term);
  return TERM_COLORS[place]?.[colors] ?? (colors === "light" ? "#5c6470" : "#a9b1bd");
}

/** The page's own font, for text inside charts; single quotes, as exported SVG puts it between double ones. */
export const CHART_FONT =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";

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
