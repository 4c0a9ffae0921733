import { describe, expect, it } from "vitest";
import type { ResponseTimes } from "@/api/response";
import {
  rateMarkers,
  responseSeries,
  responseTable,
  shownScheme,
  timeText,
} from "./response-findings";

const answer = (best: string | null, largest: readonly [number, number | null]) =>
  ({
    best,
    rates: [
      { name: "mean", accesses_per_s: 10, basis: "" },
      { name: "peak", accesses_per_s: 300, basis: "" },
    ],
    rows: [
      { scheme: "none", largest_accesses_per_s: largest[0] },
      { scheme: "lazy", largest_accesses_per_s: largest[1] },
    ],
    points_per_s: [10, 20],
    columns: [
      {
        scheme: "none",
        title: "No flash",
        mean_us: [4000, null],
        p50_us: [0, null],
        p99_us: [9000, null],
        largest_accesses_per_s: 15,
      },
      {
        scheme: "lazy",
        title: "Lazy",
        mean_us: [1000, 2000],
        p50_us: [0, 0],
        p99_us: [5000, 7000],
        largest_accesses_per_s: 30,
      },
    ],
  }) as unknown as ResponseTimes;

describe("response times", () => {
  it("are lower bounds where no latency of what is read is stated", () => {
    const rated = { without_latency: ["disk"] };
    expect(timeText(rated, 20.8)).toBe("≥ 20.8");
    // A RAM hit takes no time, whatever a read takes.
    expect(timeText(rated, 0)).toBe("0");
    expect(timeText({ without_latency: [] }, 20.8)).toBe("20.8");
  });

  it("draw every tail, and the mean of the fastest scheme", () => {
    const series = responseSeries(answer("lazy", [15, 30]), "light");
    expect(series.map(({ name }) => name)).toEqual([
      "No flash, 99 %",
      "Lazy, 99 %",
      "Lazy, mean",
    ]);
    expect(series[1]?.points).toEqual([
      [10, 5],
      [20, 7],
    ]);
    expect(series[2]?.points).toEqual([
      [10, 1],
      [20, 2],
    ]);
  });

  it("draw the median where it is no RAM hit", () => {
    const found = answer("lazy", [15, 30]);
    const slower = {
      ...found,
      columns: found.columns.map((each) => ({ ...each, p50_us: [0, 500] })),
    };
    const median = responseSeries(slower, "light").find(
      ({ name }) => name === "Lazy, median",
    );
    expect(median?.points).toEqual([[20, 0.5]]);
  });

  it("end where a device cannot keep up, and the table says that it is unknown", () => {
    const found = answer("lazy", [15, 30]);
    expect(responseSeries(found, "dark")[0]?.points).toEqual([[10, 9]]);
    const { shown } = responseTable(found);
    expect(shown[1]).toEqual(["20.0", "–", "–", "–", "2,000", "0", "7,000"]);
  });

  it("show the scheme that carries most where none carries the rate", () => {
    expect(shownScheme(answer("none", [15, 30]))).toBe("none");
    expect(shownScheme(answer(null, [15, 30]))).toBe("lazy");
    expect(shownScheme(answer(null, [40, 30]))).toBe("none");
    expect(shownScheme(answer(null, [40, null]))).toBe("lazy");
  });

  it("mark the rates in question that are in view", () => {
    expect(rateMarkers(answer("lazy", [15, 30]))).toEqual([{ name: "mean", x: 10 }]);
  });
});
