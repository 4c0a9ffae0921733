import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes } from "@/units/quantity";
import { barsOption, type SchemeBar, termsOf } from "./bars-option";
import { csvText, csvWithNotes } from "./csv";
import { curveOption } from "./curve-option";
import { doublingsOption } from "./doublings-option";
import { fileStem } from "./download";
import { drawPng, drawSvg } from "./engine";
import { lineOption } from "./line-option";
import { byteTicks, logTicks, valueTicks } from "./log-axis";
import { escapeHtml, withFootnote } from "./option";
import {
  COST_TERM_ORDER,
  chartInk,
  costTermColor,
  MARKED,
  schemeMark,
} from "./palette";
import { deviceScatterOption, timeOverPrice } from "./scatter-option";
import { stackedBarsOption } from "./stacked-bars-option";

const TERMS = {
  flash_reads: 1,
  flash_fills: 2,
  flash_write_backs: 0,
  disk_reads: 20,
  disk_writes: 4,
};
const bar = (scheme: string, extra: Partial<SchemeBar> = {}): SchemeBar => ({
  scheme,
  title: scheme,
  terms: TERMS,
  total: 27,
  ...extra,
});
const SIZE = { width: 600, height: 300 };

describe("ticks of a logarithmic axis", () => {
  it("labels powers of ten and marks two to nine between them", () => {
    const ticks = logTicks(1, 100);
    expect(ticks.major).toEqual([1, 10, 100]);
    expect(ticks.all).toHaveLength(19);
  });

  it("stays inside its ends, whatever they are", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e12, noNaN: true }),
        fc.double({ min: 1, max: 1e6, noNaN: true }),
        (low, factor) => {
          const ticks = logTicks(low, low * factor);
          for (const tick of ticks.all) {
            expect(tick).toBeGreaterThanOrEqual(low * 0.999_999);
            expect(tick).toBeLessThanOrEqual(low * factor * 1.000_001);
          }
        },
      ),
    );
  });

  it.each([
    [0, 1],
    [-1, 1],
    [2, 1],
    [Number.NaN, 1],
  ])("refuses %d to %d", (low, high) => {
    expect(() => logTicks(low, high)).toThrow(RangeError);
  });
});

describe("ticks of a second axis", () => {
  it("has at most seven labels, and two where no power of ten lies between", () => {
    expect(valueTicks(0.5, 2000).major).toEqual([1, 10, 100, 1000]);
    expect(valueTicks(1e-5, 1e5).major).toHaveLength(5);
    expect(valueTicks(2, 8).major).toEqual([2, 5]);
    expect(valueTicks(60, 900).major).toEqual([100, 200, 500]);
    expect(valueTicks(12, 18).major).toEqual([12, 18]);
    expect(valueTicks(5, 5)).toMatchObject({ min: 0.5, max: 50, major: [1, 10] });
  });
});

describe("ticks of an axis of bytes", () => {
  it("labels powers of two, MiB and GiB among them", () => {
    // 8 KiB to 1 GiB in pages of 8 KiB.
    const ticks = byteTicks(1, 131_072, 8192);
    expect(ticks.major.map((size) => size * 8192)).toEqual(
      [14, 16, 18, 20, 22, 24, 26, 28, 30].map((power) => 2 ** power),
    );
    expect(ticks.all).toHaveLength(18);
  });

  it("holds powers of two only, nine at most, at any range and page size", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 4, max: 1e9, noNaN: true }),
        fc.constantFrom(512, 4096, 8192, 1_048_576, 100, 4097),
        (low, factor, pageBytes) => {
          const { min, max, major, all } = byteTicks(low, low * factor, pageBytes);
          for (const size of [...major, ...all]) {
            expect(Math.log2(size * pageBytes) % 1).toBeCloseTo(0, 9);
            expect(size).toBeGreaterThanOrEqual(min * 0.999_999);
            expect(size).toBeLessThanOrEqual(max * 1.000_001);
          }
          expect(major.length).toBeGreaterThanOrEqual(1);
          expect(major.length).toBeLessThanOrEqual(9);
        },
      ),
    );
  });

  it("labels its ends where no doubling lies between", () => {
    expect(byteTicks(5, 7, 8192).major).toEqual([5, 7]);
  });
});

describe("a legend", () => {
  it("is one line high at any width, so that it never covers the name of the axis", () => {
    const series = Array.from({ length: 8 }, (_, at) => ({
      name: `Policy with a long name ${at}`,
      color: "#000000",
      points: [
        [1, 1],
        [8, 2],
      ] as const,
    }));
    const svg = drawSvg(
      curveOption({
        series,
        pageBytes: bytes(8192),
        valueName: "miss ratio [%]",
        formatValue: String,
        colors: "light",
      }),
      { width: 320, height: 300 },
      "#ffffff",
    );
    const page = new DOMParser().parseFromString(svg, "text/html");
    const height = (words: string) =>
      [...page.querySelectorAll("text")]
        .filter((text) => text.textContent?.startsWith(words))
        .map((text) => {
          const moved = /translate\([-\d.]+ ([-\d.]+)\)/.exec(
            text.getAttribute("transform") ?? "",
          );
          return Number(text.getAttribute("y") ?? 0) + Number(moved?.[1] ?? 0);
        });
    const lines = new Set(height("Policy"));
    expect(height("Policy").length).toBeGreaterThan(0);
    expect(lines.size).toBe(1);
    expect(height("miss ratio")[0]).toBeGreaterThan(Math.max(...lines) + 12);
  });
});

describe("bars of the schemes", () => {
  it("stack every cost term once, in the fixed order", () => {
    expect(termsOf([bar("lazy")])).toEqual(COST_TERM_ORDER);
    expect(termsOf([bar("x", { terms: { flash_reads: 1, erase: 2 } })])).toEqual([
      "flash_reads",
      "erase",
    ]);
  });

  it("have no border, which would cover a thin segment", () => {
    const option = barsOption({ bars: [bar("lazy")], colors: "light" });
    const shapes = drawSvg(option, SIZE, "#ffffff").split("<path");
    for (const term of COST_TERM_ORDER) {
      const fill = `fill="${costTermColor(term, "light")}"`;
      const drawn = shapes.filter((shape) => shape.includes(fill));
      // The legend's swatch and the segment.
      expect(drawn, term).toHaveLength(2);
      expect(drawn.join(""), term).not.toContain("stroke=");
    }
  });

  it("show simulated marks only where a check has run", () => {
    const names = (bars: SchemeBar[]) => {
      const { series } = barsOption({ bars, colors: "light" });
      return (Array.isArray(series) ? series : [series]).map((one) => one?.name);
    };
    expect(names([bar("lazy")])).not.toContain("Simulated");
    expect(names([bar("lazy", { simulated: 26 })])).toContain("Simulated");
  });

  it("outline what stands beside the schemes, and say so in the legend", () => {
    const bars = [bar("lazy", { best: true }), bar("all_in_ram", { outer: true })];
    const option = barsOption({ bars, colors: "light" });
    const svg = drawSvg(option, SIZE, "#ffffff");
    expect(svg).toContain("Outlined: for comparison");
    for (const term of COST_TERM_ORDER.filter((name) => name !== "flash_write_backs")) {
      // Its colour fills the scheme's part, and is the border of the other's.
      const color = costTermColor(term, "light");
      const drawn = svg.split("<path").filter((shape) => shape.includes(color));
      expect(drawn.some((shape) => shape.includes(`stroke="${color}"`))).toBe(true);
      expect(drawn.some((shape) => shape.includes(`fill="${color}"`))).toBe(true);
    }
    const alone = barsOption({ bars: bars.slice(0, 1), colors: "light" });
    expect(drawSvg(alone, SIZE, "#ffffff")).not.toContain("Outlined");
  });

  it("draw as PNG and as SVG with their names in it", () => {
    const option = barsOption({
      bars: [bar("none"), bar("lazy", { simulated: 26, best: true })],
      colors: "dark",
    });
    expect(drawPng(option, SIZE, "#fff")).toMatch(/^data:image\/png;base64,/);
    const svg = drawSvg(option, SIZE, "#fff");
    expect(svg).toContain("<svg");
    expect(svg).toContain("Disk reads");
    expect(svg).toContain("27.0");
  });
});

describe("curves", () => {
  const option = curveOption({
    series: [
      {
        name: "Hit ratio",
        color: "#000000",
        points: [
          [1, 10],
          [1000, 90],
        ],
      },
    ],
    pageBytes: bytes(8192),
    valueName: "hit ratio [%]",
    valueMax: 100,
    formatValue: (value) => `${value} %`,
    markers: [{ name: "knee", pages: 100 }],
    colors: "light",
  });

  it("label sizes in pages and in bytes, and name the knee", () => {
    const svg = drawSvg(option, SIZE, "#ffffff");
    expect(svg).toContain("256 KiB");
    expect(svg).toContain(">32<");
    expect(svg).not.toContain("7.81 MiB");
    expect(svg).toContain("knee");
  });

  it("tell every series at the hovered size", () => {
    const tooltip = option.tooltip as {
      formatter: (items: unknown) => string;
    };
    const html = tooltip.formatter([
      { seriesName: "Hit <b>", color: "#111", value: [1000, 90] },
      { seriesName: "Other", color: "#222", value: [1000, 40] },
    ]);
    expect(html).toContain("1,000 pages");
    expect(html).toContain("Hit &lt;b&gt;");
    expect(html).toContain("90 %");
    expect(html).toContain("40 %");
  });
});

describe("devices", () => {
  it("draw on two logarithmic axes, with the chosen ones named", () => {
    const option = deviceScatterOption(
      [
        {
          name: "Hard disk",
          color: "#c4500a",
          shape: "triangle",
          points: [
            {
              id: "a",
              name: "Chosen disk",
              x: 0.03,
              y: 9000,
              priceDate: null,
              selected: true,
              assumed: false,
            },
          ],
        },
      ],
      "light",
      timeOverPrice("EUR"),
    );
    const svg = drawSvg(option, SIZE, "#ffffff");
    expect(svg).toContain("Chosen disk");
    expect(svg).toContain("price [EUR per GB]");
  });

  it("have labels that do not cover each other", () => {
    const point = (id: string, label: string, x: number, labelBelow = false) => ({
      id,
      name: id,
      x,
      y: 2.87,
      priceDate: null,
      selected: false,
      assumed: false,
      label,
      labelBelow,
    });
    const option = deviceScatterOption(
      [
        {
          name: "Lazy",
          color: "#00855a",
          shape: "diamond",
          points: [point("a", "recommended", 385), point("b", "today", 386, true)],
        },
        {
          name: "other",
          color: "#111111",
          shape: "circle",
          points: [point("c", "far away", 9000)],
        },
      ],
      "light",
      timeOverPrice("USD"),
    );
    const svg = new DOMParser().parseFromString(
      drawSvg(option, SIZE, "#ffffff"),
      "image/svg+xml",
    );
    const heightOf = (words: string): number => {
      const text = [...svg.querySelectorAll("text")].find(
        ({ textContent }) => textContent === words,
      );
      const [, y = "nothing"] =
        /translate\([^ ,]+[ ,]+([^)]+)\)/.exec(text?.getAttribute("transform") ?? "") ??
        [];
      return Number(y);
    };
    expect(heightOf("today") - heightOf("recommended")).toBeGreaterThan(10);
    // Near its ends a label does not lie over the labels of the axes.
    const anchor = (words: string) =>
      [...svg.querySelectorAll("text")]
        .find(({ textContent }) => textContent === words)
        ?.getAttribute("text-anchor");
    expect(anchor("recommended")).toBe("start");
    expect(anchor("far away")).toBe("end");
  });

  it("are hollow, and say so, where the time rests on an assumption", () => {
    const mark = (assumed: boolean) => ({
      id: "a",
      name: "Disk",
      x: 0.03,
      y: 9000,
      priceDate: null,
      selected: false,
      assumed,
    });
    const option = deviceScatterOption(
      [
        {
          name: "Hard disk",
          color: "#c4500a",
          shape: "triangle",
          points: [mark(true), mark(false)],
        },
      ],
      "light",
      timeOverPrice("USD"),
    );
    const [series] = option.series as {
      data: { itemStyle: { color?: string; borderColor: string } }[];
    }[];
    const [hollow, full] = series?.data ?? [];
    expect(hollow?.itemStyle.borderColor).toBe("#c4500a");
    expect(hollow?.itemStyle.color).toBeDefined();
    expect(full?.itemStyle.color).toBeUndefined();
    const { formatter } = option.tooltip as { formatter: (item: object) => string };
    expect(formatter({ data: { point: mark(true) } })).toContain("seek assumed");
    expect(formatter({ data: { point: mark(false) } })).not.toContain("assumed");
  });
});

describe("an export of converted money", () => {
  const RATE = {
    currency: "EUR",
    per_usd: "0.88067",
    date: "2026-09-30",
    source: "European Central Bank, reference rate; noon",
  };

  it("says the rate, its day and its source in every row of the table", () => {
    expect(csvWithNotes(["cost [EUR]"], [[1], [2]], RATE, null).split("\r\n")).toEqual([
      "cost [EUR],currency,per_usd,rate_date,rate_source",
      '1,EUR,0.88067,2026-09-30,"European Central Bank, reference rate; noon"',
      '2,EUR,0.88067,2026-09-30,"European Central Bank, reference rate; noon"',
    ]);
    expect(csvWithNotes(["cost [USD]"], [[1]], null, null)).toBe("cost [USD]\r\n1");
  });

  it("says them below the picture, which leaves room for it", () => {
    const plain = barsOption({ bars: [bar("lazy")], colors: "light" });
    const noted = withFootnote(plain, "1 USD = 0.88067 EUR on 2026-09-30.", "light");
    expect(drawSvg(noted, SIZE, "#ffffff")).toContain("0.88067 EUR on 2026-09-30");
    const bottom = (option: typeof plain) => (option.grid as { bottom: number }).bottom;
    expect(bottom(noted)).toBeGreaterThanOrEqual(bottom(plain) + 16);
  });
});

describe("CSV", () => {
  it("disarms text that a spreadsheet would run, and keeps numbers", () => {
    expect(
      csvText(
        ["name", "value"],
        [
          ["=HYPERLINK(1)", -4],
          ["@x", null],
          ['say "a, b"', Number.NaN],
        ],
      ),
    ).toBe(`name,value\r\n'=HYPERLINK(1),-4\r\n'@x,\r\n"say ""a, b""",`);
  });

  it("never lets a cell begin with a formula sign", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const line = csvText(["h"], [[text]]).slice("h\r\n".length);
        expect(/^"?[=+\-@\t\r]/.test(line)).toBe(false);
      }),
    );
  });

  it.each([
    ["a;=HYPERLINK(1)", "a;'=HYPERLINK(1)"],
    ['a; "=1+1', '"a; ""\'=1+1"'],
    ["a\t@x;-1", "a\t'@x;'-1"],
    ["\n=1", `"'\n'=1"`],
    ["＝1", "'＝1"],
    ["a=1;b-2", "a=1;b-2"],
  ])("lets no formula begin behind what splits lines elsewhere: %j", (text, cell) => {
    expect(csvText(["h"], [[text]])).toBe(`h\r\n${cell}`);
  });
});

describe("names and colours", () => {
  it("make plain file names of any title", () => {
    expect(fileStem("TPC-B, cut / hit ratio")).toBe("tpc-b-cut-hit-ratio");
    expect(fileStem("日本")).toBe("tierwright");
  });

  it("escape what could be markup", () => {
    expect(escapeHtml(`<img src="x" onerror='y'>&`)).toBe(
      "&lt;img src=&quot;x&quot; onerror=&#39;y&#39;&gt;&amp;",
    );
  });

  it("give each scheme one colour and shape, apart from all others", () => {
    const schemes = ["none", "inclusive", "inclusive_global", "exclusive", "lazy"];
    for (const colors of ["light", "dark"] as const) {
      const marks = schemes.map((scheme) => schemeMark(scheme, colors));
      expect(new Set(marks.map((mark) => mark.color)).size).toBe(schemes.length);
      expect(new Set(marks.map((mark) => mark.shape)).size).toBe(schemes.length);
    }
  });

  it("keep every mark at 3:1 against its background", () => {
    const schemes = [
      "none",
      "inclusive",
      "inclusive_global",
      "exclusive",
      "lazy",
      "new",
    ];
    for (const colors of ["light", "dark"] as const) {
      const paper = chartInk(colors).paper;
      for (const scheme of schemes) {
        expect(
          contrast(schemeMark(scheme, colors).color, paper),
        ).toBeGreaterThanOrEqual(3);
      }
    }
    expect(costTermColor("unheard_of", "light")).toMatch(/^#/);
  });
});

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort(
    (a, b) => a - b,
  );
  return (light + 0.05) / (dark + 0.05);
}

describe("marks", () => {
  it.each(MARKED)("%s stands out from both papers", (name) => {
    for (const colors of ["light", "dark"] as const) {
      const { color } = schemeMark(name, colors);
      expect(contrast(color, chartInk(colors).paper)).toBeGreaterThanOrEqual(3);
    }
  });

  it("no two names share colour and shape", () => {
    const marks = MARKED.map((name) => JSON.stringify(schemeMark(name, "light")));
    expect(new Set(marks).size).toBe(marks.length);
  });
});

describe("lines over any quantity", () => {
  const series = [
    {
      name: "a <b>",
      color: "#123456",
      points: [
        [1, 2],
        [10, 3],
      ] as const,
    },
    {
      name: "c",
      color: "#654321",
      symbol: "rect" as const,
      line: false,
      points: [[2, 5]] as const,
    },
  ];
  const axis = { name: "x [1]", format: (value: number) => `${value} x` };

  it.each([true, false])("draws on a logarithmic axis or not (%s)", (log) => {
    const svg = drawSvg(
      lineOption({
        series,
        x: { ...axis, log },
        y: { name: "y [1]", fromData: true, format: String },
        markers: [{ name: "here", x: 2 }],
        colors: "light",
      }),
      SIZE,
      "#ffffff",
    );
    expect(svg).toContain("x [1]");
    expect(svg).toContain("here");
  });

  it("shows every series at a place, names escaped, each once", () => {
    const option = lineOption({ series, x: axis, y: axis, colors: "dark" });
    const { formatter } = option.tooltip as { formatter: (items: unknown) => string };
    const text = formatter([
      { seriesName: "a <b>", value: [1, 2] },
      { seriesName: "c", value: [2, 5] },
      { seriesName: "c", value: [2, 6] },
    ]);
    expect(text).toContain("1 x");
    expect(text).toContain("a &lt;b&gt;");
    expect(text).toContain("5 x");
    expect(text).not.toContain("6 x");
    expect(formatter([])).toBe("");
  });
});

describe("what has no place on a logarithmic axis", () => {
  const log = { name: "time [ms]", log: true, format: String };
  const axisOf = (points: readonly (readonly [number, number])[]) => {
    const option = lineOption({
      series: points.length === 0 ? [] : [{ name: "a", color: "#000", points }],
      x: { ...log, min: 0 },
      y: log,
      colors: "light",
    });
    expect(drawSvg(option, SIZE, "#ffffff")).toContain("time [ms]");
    return [option.xAxis, option.yAxis].map((axis) => (axis as { type: string }).type);
  };

  it("makes the axis of a line linear: times of nothing, and no line at all", () => {
    expect(
      axisOf([
        [1, 2],
        [10, 300],
      ]),
    ).toEqual(["value", "log"]);
    expect(
      axisOf([
        [1, 0],
        [10, 300],
      ]),
    ).toEqual(["value", "value"]);
    expect(axisOf([[1, 0]])).toEqual(["value", "value"]);
    expect(axisOf([])).toEqual(["value", "value"]);
  });

  it("is drawn at the edge among points, which say what they are", () => {
    const point = (id: string, x: number, y: number) => ({
      id,
      name: id,
      x,
      y,
      priceDate: null,
      selected: false,
      assumed: false,
    });
    const drawn = (points: readonly ReturnType<typeof point>[]) => {
      const option = deviceScatterOption(
        [{ name: "group", color: "#000", shape: "circle", points }],
        "light",
        timeOverPrice("USD"),
      );
      const [series] = option.series as { data: { value: [number, number] }[] }[];
      const y = option.yAxis as { min: number };
      return {
        option,
        low: y.min,
        at: (series?.data ?? []).map(({ value }) => value),
      };
    };
    const { low, at } = drawn([point("a", 10, 30), point("b", 20, 0)]);
    expect(at).toEqual([
      [10, 30],
      [20, 10],
    ]);
    expect(low).toBeLessThan(10);
    // Where all are nothing they stand at 0 of linear axes, which state no other value.
    const nothing = drawn([point("a", 0, 0), point("b", 0, 0)]);
    expect(nothing.at).toEqual([
      [0, 0],
      [0, 0],
    ]);
    for (const axis of [nothing.option.xAxis, nothing.option.yAxis]) {
      expect(axis).toMatchObject({ type: "value", min: 0 });
    }
    const texts = (svg: string) =>
      [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    const said = texts(drawSvg(nothing.option, SIZE, "#ffffff"));
    expect(said.filter((text) => /[0-9]/.test(text ?? ""))).toEqual(["0 µs", "0"]);
    // One axis of nothing leaves the other as it is.
    const mixed = drawn([point("a", 10, 0), point("b", 20, 0)]);
    expect(mixed.at).toEqual([
      [10, 0],
      [20, 0],
    ]);
    expect(mixed.option.xAxis).toMatchObject({ type: "log" });
    expect(mixed.option.yAxis).toMatchObject({ type: "value", min: 0 });
  });
});

describe("stacked bars", () => {
  const parts = [
    { name: "device", title: "Device", light: "#0a6a0a", dark: "#0b0b0b" },
    { name: "power", title: "Power", light: "#aa00aa", dark: "#0c0c0c" },
  ];
  const drawn = (device: number, power: number) => {
    const option = stackedBarsOption({
      bars: [{ title: "DRAM over SSD", parts: { device, power } }],
      parts,
      axis: "interval [s]",
      format: (value) => `${value} s`,
      colors: "light",
    });
    const { formatter } = (
      option as { tooltip: { formatter: (items: unknown) => string } }
    ).tooltip;
    return {
      axis: (option.xAxis as { min?: number }).min,
      svg: drawSvg(option, SIZE, "#ffffff"),
      hover: formatter([{ dataIndex: 0 }]),
    };
  };

  it("begin at 0 where no part is negative, with the sum at their end", () => {
    const { axis, svg } = drawn(9, 2);
    expect(axis).toBe(0);
    expect(svg).toContain(">11 s<");
  });

  it("draw a negative part left of 0, and write the sum with it taken off", () => {
    const { axis, svg, hover } = drawn(9, -2);
    expect(axis).toBeUndefined();
    expect(svg).toContain(">7 s<");
    expect(svg).not.toContain(">9 s<");
    // The part itself, besides its swatch in the legend.
    expect(svg.split("<path").filter((one) => one.includes("#aa00aa"))).toHaveLength(2);
    expect(hover).toContain("−2 s");
    expect(hover).toContain("7 s");
  });
});

describe("doublings", () => {
  const chart = {
    labels: ["1", "2", "4"],
    ranges: ["1", "2 to below 4", "4 to <b>8</b>"],
    bars: [
      { name: "Reads", color: "#364fc7", shares: [0.2, 0, 0.3] },
      { name: "Writes", color: "#c4500a", shares: [0.1, 0.4, 0] },
    ],
    axisName: "accesses",
    valueName: "re-accesses [%]",
    cumulativeName: "Up to here",
    colors: "light" as const,
  };

  it("stacks the bars and draws the share up to each", () => {
    const option = doublingsOption(chart);
    const series = option.series as { name: string; data: number[]; stack?: string }[];
    expect(series.map(({ name }) => name)).toEqual(["Reads", "Writes", "Up to here"]);
    expect(series[1]?.data).toEqual([10, 40, 0]);
    expect(series[2]?.data.map((value) => Math.round(value))).toEqual([30, 70, 100]);
    expect(new Set(series.map(({ stack }) => stack))).toEqual(
      new Set(["share", undefined]),
    );
  });

  it("names the range in the tooltip, as text", () => {
    const { tooltip } = doublingsOption(chart) as {
      tooltip: { formatter: (items: unknown) => string };
    };
    const html = tooltip.formatter([{ dataIndex: 2 }]);
    expect(html).toContain("4 to &lt;b&gt;8");
    expect(html).toContain("100 %");
    expect(tooltip.formatter([])).toBe("");
  });
});

describe("a logarithmic value axis", () => {
  it("has its ticks at powers of ten", () => {
    const option = lineOption({
      series: [
        {
          name: "a",
          color: "#000",
          points: [
            [1, 2],
            [10, 3000],
          ],
        },
      ],
      x: { name: "rank", log: true, format: String },
      y: { name: "accesses", log: true, min: 0.5, format: String },
      colors: "light",
    });
    const axis = option.yAxis as {
      type: string;
      min: number;
      axisLabel: { customValues: number[] };
    };
    expect(axis.type).toBe("log");
    expect(axis.min).toBe(0.5);
    expect(axis.axisLabel.customValues).toEqual([1, 10, 100, 1000]);
  });
});
