import { describe, expect, it } from "vitest";
import { curveOption } from "@/charts/curve-option";
import { bytes } from "@/units/quantity";
import type { Curve } from "./curve-findings";
import {
  intervalBeyond,
  marginalAxis,
  marginalBasis,
  marginalColumns,
  marginalSentence,
  type Paying,
  type PayingSize,
} from "./marginal";

const curve: Curve = {
  kind: "trace",
  pages: [1, 2, 4, 8, 16],
  misses: [900, 700, 200, 100, 16],
  write_backs: [90, 60, 20, 10, 0],
  accesses: 1000,
  write_accesses: 100,
  tells_writes: true,
  distinct_pages: 16,
  page_bytes: 4096,
  knees: [],
  knee_method: "Kneedle",
};

const limit = (
  lower_name: string,
  break_even_s: number,
  pages: number,
): PayingSize => ({
  lower: lower_name,
  lower_name,
  break_even_s,
  pages,
  bytes: pages * 4096,
  is_trend: false,
  sentence: "",
  law_pages: null,
  law_sentence: "",
});

const paying: Paying = {
  accesses_per_s: 200,
  rate_basis: "production as stated",
  from_pages: [0, 4, 8, 16],
  to_pages: [4, 8, 16, 32],
  interval_s: [0.1, 5, 40, 700],
  existing_interval_s: 0.1,
  sizes: [limit("SSD", 6, 8), limit("Disk", 9000, 32)],
  finding: "",
  estimator: "",
  validity: "",
};

describe("the marginal interval on the curve", () => {
  it("is read between the ends of the segments", () => {
    expect([0, 3.5, 4, 8, 31, 32].map((size) => intervalBeyond(paying, size))).toEqual([
      0.1,
      0.1,
      5,
      40,
      700,
      null,
    ]);
  });

  it("is drawn in steps over the sizes shown, with the line and the crossing", () => {
    const axis = marginalAxis(curve, paying, limit("SSD", 6, 8), "light");
    expect(axis.series.map(({ points }) => points)).toEqual([
      [
        [1, 0.1],
        [4, 5],
        [8, 40],
        [16, 40],
      ],
      [
        [1, 6],
        [16, 6],
      ],
      [[8, 6]],
    ]);
    expect(axis.series[0]?.step).toBe(true);
    expect(axis.series.at(-1)?.name).toBe("RAM pays up to 32 KiB");
  });

  it.each([0, 16, 20])("marks no crossing outside of the sizes shown: %d", (pages) => {
    const axis = marginalAxis(curve, paying, limit("SSD", 6, pages), "light");
    expect(axis.series).toHaveLength(2);
  });

  it("stops where more RAM saves nothing", () => {
    const flat = { ...paying, interval_s: [0.1, 5, null, null] };
    expect(
      marginalAxis(curve, flat, limit("SSD", 6, 8), "light").series[0]?.points,
    ).toEqual([
      [1, 0.1],
      [4, 5],
      [8, 5],
    ]);
  });

  it("has an axis of its own at the right, and values in the tooltip", () => {
    const chart = {
      series: [
        {
          name: "Hit ratio",
          color: "#000000",
          points: [[1, 10] as const, [16, 90] as const],
        },
      ],
      pageBytes: bytes(4096),
      valueName: "hit ratio [%]",
      formatValue: String,
      colors: "light" as const,
    };
    expect(curveOption(chart)).toMatchObject({
      legend: { show: false },
      grid: { right: 24 },
      yAxis: [{ type: "value" }],
    });
    const option = curveOption({
      ...chart,
      second: marginalAxis(curve, paying, limit("SSD", 6, 8), "light"),
    });
    expect(option).toMatchObject({
      legend: {
        show: true,
        data: [
          "Hit ratio",
          "One more page saves an access every",
          "Break-even over SSD",
          "RAM pays up to 32 KiB",
        ],
      },
      yAxis: [
        { type: "value" },
        {
          type: "log",
          position: "right",
          min: 0.1,
          max: 80,
          name: "access saved every [s]",
        },
      ],
      series: [
        {},
        { yAxisIndex: 1, step: "end" },
        { yAxisIndex: 1 },
        { symbol: "diamond" },
      ],
    });
    const { formatter } = option.tooltip as {
      formatter: (items: unknown) => string;
    };
    const text = (size: number) =>
      formatter([{ seriesName: "Hit ratio", value: [size, 50] }]);
    expect(text(4)).toContain("<b>5 s</b>");
    expect(text(5)).toContain("<b>5 s</b>");
    expect(text(8)).toContain("<b>40 s</b>");
    expect(text(8)).toContain("<b>6 s</b>");
    expect(text(8)).not.toContain("RAM pays up to");
  });
});

describe("the sentence on the RAM that pays", () => {
  const says = (of: PayingSize, change: Partial<Paying> = {}, on = curve) =>
    marginalSentence(on, { ...paying, ...change }, of);

  it("names the size, and what the page beyond it saves", () => {
    expect(says(limit("SSD", 6, 8))).toBe(
      "RAM pays up to 32 KiB where misses are read from SSD: beyond it, one more page saves an access only once in 40 s, less often than the break-even interval of 6 s.",
    );
    expect(says({ ...limit("SSD", 6, 8), is_trend: true })).toMatch(
      /That size is a trend: too few accesses of the recording/,
    );
  });

  it("says where every page that saves an access pays", () => {
    const flat = { interval_s: [0.1, 5, 40, null] };
    expect(says(limit("SSD", 60, 16), flat)).toBe(
      "RAM pays up to 64 KiB where misses are read from SSD: every page up to there saves an access at least once in 60 s, the break-even interval, and a page beyond it saves none.",
    );
  });

  it("says where no RAM pays", () => {
    expect(says(limit("SSD", 0.05, 0))).toBe(
      "No RAM pays where misses are read from SSD: even the first page saves an access only once in 0.1 s, and must save one at least once in 0.05 s to pay.",
    );
    expect(says(limit("SSD", 0.05, 0), { interval_s: [null, null, null, null] })).toBe(
      "No RAM pays where misses are read from SSD: it saves no access.",
    );
  });

  it("says where RAM pays beyond what is shown", () => {
    expect(says(limit("Disk", 9000, 32))).toBe(
      "RAM pays beyond what the recording shows where misses are read from Disk: the last page shown, at 64 KiB, still saves an access once in 40 s, within the break-even interval of 2.5 hours.",
    );
    const given = { ...curve, kind: "curve" as const };
    expect(says(limit("Disk", 9000, 16), {}, given)).toMatch(
      /^RAM pays beyond what the curve shows/,
    );
    // The same size ends the recording, which holds every page then.
    expect(says(limit("Disk", 9000, 16))).toMatch(/^RAM pays up to 64 KiB/);
  });

  it("adds what the error of a scale law makes of it", () => {
    const law_sentence = "The misses of the scale law may be up to 12 % off.";
    expect(says({ ...limit("SSD", 6, 8), law_sentence })).toMatch(
      /^RAM pays up to 32 KiB .* 12 % off\.$/,
    );
  });

  it("states the rate and whose it is", () => {
    expect(marginalBasis(paying)).toMatch(
      /at 200 accesses per second \(production as stated\)\.$/,
    );
  });
});

describe("the columns of the table", () => {
  it("hold the interval at each size and whether RAM up to it pays", () => {
    const { header, row, shown } = marginalColumns(paying);
    expect(header).toEqual([
      "Access saved every [s]",
      "Pays over SSD",
      "Pays over Disk",
    ]);
    expect([8, 16, 32].map(row)).toEqual([
      [40, "yes", "yes"],
      [700, "no", "yes"],
      [null, "no", "yes"],
    ]);
    expect(shown(16)).toEqual(["11.7 minutes", "no", "yes"]);
    expect(shown(32)[0]).toBe("–");
  });
});
