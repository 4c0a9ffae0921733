import { describe, expect, it } from "vitest";
import type { ThroughputOut } from "@/api/throughput";
import { kneeMarkers, throughputSeries, throughputTable } from "./findings";
import { sentenceOf } from "./throughput-chart";

const none = { cpu: [0, 0], flash: [0, 0], disk: [1, 1] };

const study = (varied: ThroughputOut["varied"], knee: number): ThroughputOut =>
  ({
    varied,
    points: [1, 10],
    present: 10,
    at: 1,
    best: ["lazy", "lazy"],
    schemes: [
      {
        scheme: "lazy",
        title: "Lazy",
        throughput_per_s: [5, null],
        response_us: [2000, 8000],
        throughput_bound_per_s: [6, 9],
        response_bound_us: [1000, 4000],
        max_throughput_per_s: [9, 9],
        bottleneck: ["disk", "disk"],
        limit: ["clients", "disk"],
        knee_clients: [knee, knee],
        knee_disks: 3,
        demand_us: none,
        delay_us: [0, 0],
        utilisation: none,
        queue: none,
      },
    ],
  }) as unknown as ThroughputOut;

describe("throughput", () => {
  it("draws the bound of the best beside every scheme and marks the present point", () => {
    const series = throughputSeries(study("clients", 4), "response", "light");
    expect(series.map(({ name }) => name)).toEqual(["Lazy", "Bound for Lazy", "Lazy"]);
    expect(series[1]?.points).toEqual([
      [1, 1],
      [10, 4],
    ]);
    expect(series[2]?.points).toEqual([[10, 8]]);
  });

  it("leaves out a rate without bound", () => {
    const series = throughputSeries(study("clients", 4), "throughput", "dark");
    expect(series[0]?.points).toEqual([[1, 5]]);
    expect(throughputTable(study("clients", 4), "throughput").shown[1]).toEqual([
      "10",
      "–",
      "9.00",
    ]);
  });

  it("marks the knee of what is varied, where it is in view", () => {
    expect(kneeMarkers(study("clients", 4))).toEqual([{ name: "knee 4", x: 4 }]);
    expect(kneeMarkers(study("clients", 40))).toEqual([]);
    expect(kneeMarkers(study("disks", 40))).toEqual([{ name: "knee 3", x: 3 }]);
    expect(kneeMarkers(study("flash_pages", 4))).toEqual([]);
  });
});

describe("the sentence under the chart", () => {
  const found = {
    finding: "Exclusive reaches 1,820 transactions/s",
    sentence: "The knee is at 98 clients.",
    close_sentence: "Close.",
  };

  it("says which figures are those of the replay, and what the model has in their place", () => {
    expect(
      sentenceOf(found, "Exclusive reaches 1,880 transactions/s, decided by replay"),
    ).toBe(
      "The headline is by the replay; the chart, this sentence and the table are by the model: Exclusive reaches 1,820 transactions/s. The knee is at 98 clients.",
    );
  });

  it("says that it is close where nothing was replayed", () => {
    expect(sentenceOf(found, null)).toBe("The knee is at 98 clients. Close.");
  });
});
