import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawSvg } from "@/charts/engine";
import {
  bandOf,
  cellEdges,
  MARGIN_BANDS,
  runsOf,
  type SchemeMapChart,
  schemeMapOption,
} from "@/charts/map-option";
import type { AnalysisState } from "@/questions/point";
import { AXIS_NAMES, parseMapSearch } from "@/questions/scheme-map";
import {
  chosenAxes,
  fitsBeside,
  formatCell,
  formatTick,
  mapRequest,
  movedTo,
  nearestIndex,
  pointRequest,
  rangeProblem,
  usualRange,
} from "./axes";

const STATE: AnalysisState = {
  workload: "example",
  ram_pages: 300,
  flash_pages: 900,
  flash_device: "ssd",
  disk_device: "disk",
  ram_device: "none",
  price_book: "none",
  months: 36,
  start: "steady",
};
const PLACE = { ram: 300, flash: 900, dirty: 0.4, asymmetry: null };

describe("the address of a map", () => {
  it("names what cannot be used", () => {
    const read = parseMapSearch({
      x: "mood",
      y: "asymmetry",
      x_low: -1,
      dirty_share: 2,
      asymmetry: 0,
      metadata: "../x",
      by: "price",
    });
    const { refused, ...kept } = read;
    expect(kept).toEqual({ y: "asymmetry", by: "price" });
    for (const name of ["x", "x_low", "dirty_share", "asymmetry", "metadata"]) {
      expect(refused).toContain(`${name}=`);
    }
  });

  it("reads the metadata of earlier addresses", () => {
    expect(parseMapSearch({ flash_metadata: "face" }).metadata).toBe("face");
    expect(parseMapSearch({ metadata: "sce" }).metadata).toBe("sce");
  });

  it("always gives two axes that determine the sizes once", () => {
    const name = fc.option(fc.constantFrom(...AXIS_NAMES), { nil: undefined });
    const end = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        name,
        name,
        end,
        end,
        fc.integer({ min: 1, max: 1e7 }),
        (...given) => {
          const [x, y, x_low, x_high, pages] = given;
          const axes = chosenAxes({ x, y, x_low, x_high }, pages);
          expect(fitsBeside(axes.x.axis, axes.y.axis)).toBe(true);
          for (const { axis, low, high } of [axes.x, axes.y]) {
            expect(rangeProblem(axis, low, high)).toBeNull();
          }
          const asked = mapRequest(STATE, axes, PLACE, undefined);
          const names = [axes.x.axis, axes.y.axis];
          const said = (key: "ram_pages" | "flash_pages" | "dirty_share") =>
            asked[key] !== null && asked[key] !== undefined;
          expect(said("ram_pages")).toBe(!names.includes("ram_pages"));
          expect(said("dirty_share")).toBe(!names.includes("dirty_share"));
          expect(said("flash_pages")).toBe(
            !names.includes("flash_pages") && !names.includes("flash_per_ram"),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("values of an axis", () => {
  it("are sizes in bytes on the chart, and in pages in a column of pages", () => {
    expect(formatTick("ram_pages", 864, 8192)).toBe("6.75 MiB");
    expect(formatTick("flash_pages", 131_072, 8192)).toBe("1 GiB");
    expect(formatTick("dirty_share", 0.25, 8192)).toBe("25 %");
    expect(formatTick("asymmetry", 6.3333, 8192)).toBe("6.33");
    expect(formatCell("ram_pages", 86_437.6)).toBe("86,438");
    expect(formatCell("dirty_share", 0.25)).toBe("25");
  });
});

describe("moving over a map", () => {
  it("keeps a ratio to the RAM that goes with it, and sizes whole", () => {
    const to = movedTo(PLACE, [
      { axis: "ram_pages", value: 100.4 },
      { axis: "flash_per_ram", value: 2.5 },
    ]);
    expect(to).toEqual({ ram: 100, flash: 250, dirty: 0.4, asymmetry: null });
    expect(movedTo(PLACE, [{ axis: "dirty_share", value: 0.7 }]).dirty).toBe(0.7);
    expect(pointRequest(STATE, to, "face").flash_metadata).toBe("face");
  });

  it("finds the nearest grid point on the axis's own scale", () => {
    expect(nearestIndex([1, 10, 100], 30, true)).toBe(1);
    expect(nearestIndex([1, 10, 100], 33, true)).toBe(2);
    expect(nearestIndex([0, 0.5, 1], 0.7, false)).toBe(1);
  });
});

const chart = (best: readonly (readonly number[])[]): SchemeMapChart => ({
  x: { name: "RAM [pages]", values: [1, 10, 100], log: true, format: String },
  y: { name: "dirty [%]", values: [0, 1], log: false, format: String },
  schemes: [
    { scheme: "none", title: "No flash" },
    { scheme: "lazy", title: "Lazy" },
  ],
  best,
  margin: [
    [0.3, 0.3, 0.002],
    [0.3, null, 0.06],
  ],
  tooClose: [
    [false, false, true],
    [false, false, false],
  ],
  lines: [
    {
      schemes: ["none", "lazy"],
      points: [
        [10, 0],
        [30, 1],
      ],
    },
  ],
  here: { x: 10, y: 0.5, label: "you are here" },
  colors: "light",
});

describe("the drawing of a map", () => {
  it("cuts cells half way between grid points, and at the ends of the axis", () => {
    const edges = cellEdges(chart([]).x);
    expect(edges[0]).toBe(1);
    expect(edges[1]).toBeCloseTo(Math.sqrt(10));
    expect(edges.at(-1)).toBe(100);
  });

  it("joins neighbours that look alike and covers every cell once", () => {
    const best = [
      [0, 0, 1],
      [1, 1, 1],
    ];
    const runs = runsOf(chart(best));
    expect(runs.map((run) => run[4])).toEqual([0, 1, 1, 1]);
    const covered = runs.reduce(
      (sum, [x0, x1, y0, y1]) => sum + Math.log(x1 / x0) * (y1 - y0),
      0,
    );
    expect(covered).toBeCloseTo(Math.log(100));
  });

  it("puts every margin into one band", () => {
    expect(bandOf(0)).toBe(MARGIN_BANDS.length - 1);
    expect(bandOf(0.2)).toBe(0);
    expect(bandOf(0.0999)).toBe(1);
    expect(bandOf(null)).toBe(0);
  });

  it("has its ticks at powers of two where sizes are read in bytes", () => {
    const sizes = {
      ...chart([[0, 0, 1]]),
      x: {
        name: "RAM size",
        values: [100, 1000, 100_000],
        log: true,
        format: (value: number) => formatTick("ram_pages", value, 8192),
        pageBytes: 8192,
      },
    };
    const svg = drawSvg(schemeMapOption(sizes), { width: 600, height: 400 }, "#fff");
    expect(svg).toContain("16 MiB");
    expect(svg).not.toContain("7.81 MiB");
  });

  it("draws cells, lines, the mark and, for pictures, a legend", () => {
    const best = [
      [0, 0, 1],
      [-1, 1, 1],
    ];
    for (const colors of ["light", "dark"] as const) {
      const option = schemeMapOption({ ...chart(best), colors, legend: true });
      const svg = drawSvg(option, { width: 600, height: 400 }, "#fff");
      expect(svg).toContain("you are here");
      expect(svg).toContain("Lazy");
      expect(svg).toContain("<pattern");
    }
  });
});

it("every axis has a usual range that can be used", () => {
  for (const axis of AXIS_NAMES) {
    for (const distinct of [1, 10, 1_000_000]) {
      const { low, high } = usualRange(axis, distinct);
      expect(rangeProblem(axis, low, high)).toBeNull();
    }
  }
});
