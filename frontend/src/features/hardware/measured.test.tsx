import { describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import type { AccessCostsOut } from "@/api/access-cost";
import type { DeviceOut } from "@/api/catalog";
import { renderThemed } from "@/testing/render";
import { accessGroups, accessTable, notDrawn, subjectOf } from "./access-cost";
import { LatencyChart } from "./latency-chart";
import {
  curveFinding,
  curveOf,
  hasCurve,
  latencySeries,
  latencyTable,
} from "./latency-curve";

type Measured = DeviceOut["measurements"][number];

const run = (
  operation: "read" | "write",
  depth: number,
  iops: number,
  mean: number,
  more: Partial<Measured> = {},
): Measured => ({
  operation,
  page_bytes: 8192,
  queue_depth: depth,
  iops,
  latency_us: { mean, p99: 3 * mean },
  source: "fio",
  date: null,
  note: "steady state reached",
  ...more,
});

const device = (measurements: readonly Measured[], parts: Partial<DeviceOut> = {}) =>
  ({
    id: "d",
    name: "Drive",
    origin: "own",
    page_bytes: 8192,
    notes: "by hand",
    measurements: [...measurements],
    ...parts,
  }) as unknown as DeviceOut;

const RISING = [
  run("read", 32, 200_000, 160),
  run("read", 1, 10_000, 100),
  run("write", 1, 40_000, 25),
];

describe("latency over throughput", () => {
  it("takes the runs of a page by depth, and no other block", () => {
    const other = run("read", 8, 1, 1, { page_bytes: 4096 });
    const found = device([...RISING, other, run("read", 2, 5, 5, { latency_us: {} })]);
    expect(curveOf(found, "read", "p99")).toEqual([
      { depth: 1, iops: 10_000, latencyUs: 300 },
      { depth: 32, iops: 200_000, latencyUs: 480 },
    ]);
    expect(curveOf(found, "read", "p95")).toEqual([]);
    const [reads, writes] = latencySeries(found, "mean", "light");
    expect(reads?.points).toEqual([
      [10_000, 100],
      [200_000, 160],
    ]);
    expect(reads?.labels).toEqual(["1", "32"]);
    expect(writes?.points.length).toBe(1);
    expect(latencyTable(found).rows.length).toBe(5);
  });

  it("is there only where one operation has two depths", () => {
    expect(hasCurve(device(RISING))).toBe(true);
    expect(hasCurve(device(RISING.slice(1)))).toBe(false);
    const bare = RISING.map((each) => ({ ...each, latency_us: {} }));
    expect(hasCurve(device(bare))).toBe(false);
  });

  it("says how far the rate rises, and where deeper queues gain nothing", () => {
    expect(curveFinding(device(RISING), "mean")).toBe(
      "Random reads rise from 10,000/s in 100 µs to 200,000/s in 160 µs at queue depth 32",
    );
    const saturated = device([...RISING, run("read", 256, 190_000, 1350)]);
    expect(curveFinding(saturated, "mean")).toContain(
      "at queue depth 32; deeper queues only wait longer",
    );
    const falling = device([run("read", 1, 900, 100), run("read", 4, 800, 5000)]);
    expect(curveFinding(falling, "mean")).toBe(
      "Random reads are fastest at queue depth 1, 900/s in 100 µs",
    );
    expect(curveFinding(device(RISING.slice(1)), "mean")).toBe(
      "Drive was measured at one queue depth only",
    );
  });

  it("draws the latency that is chosen", async () => {
    const { container } = await renderThemed(<LatencyChart device={device(RISING)} />);
    expect(container.textContent).toContain("200,000/s in 160");
    await page.getByRole("combobox", { name: "Latency" }).click();
    await page.getByRole("option", { name: "99 % within", exact: true }).click();
    await expect.poll(() => container.textContent).toContain("200,000/s in 480");
  });
});

const COSTS = {
  rows: [
    {
      device_id: "a",
      device_name: "A",
      kind: "nvme",
      accesses_per_s: 100_000,
      usd_per_month: "10",
      usd_per_billion_accesses: "0.038",
      reason: "",
    },
    {
      device_id: "b",
      device_name: "B",
      kind: "hdd",
      accesses_per_s: 100,
      usd_per_month: null,
      usd_per_billion_accesses: null,
      reason: "no price",
    },
  ],
} as unknown as AccessCostsOut;

describe("the cost of an access", () => {
  it("draws what has a cost and lists the rest with its reason", () => {
    const groups = accessGroups(COSTS.rows, ["a"], "light");
    expect(groups.map(({ points }) => points)).toEqual([
      [
        {
          id: "a",
          name: "A",
          x: 100_000,
          y: 0.038,
          priceDate: null,
          assumed: false,
          selected: true,
        },
      ],
    ]);
    const table = accessTable(COSTS);
    expect(table.rows[1]).toEqual(["B", "Hard disk", 100, null, null, "no price"]);
    expect(table.shown[1]?.at(-1)).toBe("no price");
    expect(table.shown[0]?.at(-1)).toBe("–");
  });

  it("counts what is not drawn", () => {
    expect(notDrawn(3, 3)).toContain("Every device is drawn");
    expect(notDrawn(3, 2)).toContain("1 device without");
    expect(notDrawn(3, 1)).toContain("2 devices without");
  });

  it("is about the device that is ticked, else a measured one of one's own", () => {
    const own = device(RISING);
    const shipped = device([], { id: "s", origin: "shipped" });
    expect(subjectOf([shipped, own], ["s"])).toBe("s");
    expect(subjectOf([shipped, own], [])).toBe("d");
    expect(subjectOf([shipped, device([])], [])).toBeUndefined();
  });
});
