import { describe, expect, it } from "vitest";
import type { WorkloadPresetOut } from "@/api/described";
import {
  choosePreset,
  type DescribedDraft,
  descriptionOf,
  FIRST_DRAFT,
  faultsOf,
  hasFaults,
  mixOf,
  newComponent,
} from "./draft";

const draft = (part: Partial<DescribedDraft>): DescribedDraft => ({
  ...FIRST_DRAFT,
  ...part,
});

const PRESET: WorkloadPresetOut = {
  id: "web",
  title: "Web",
  summary: "A web site.",
  source: "A trace.",
  licence: "Ours.",
  fitted_by: "a script",
  miss_error: 0.02,
  write_back_error: null,
  workload: {
    page_bytes: 4096,
    data_bytes: 2 ** 30,
    accesses_per_s: 1000,
    write_share: 0.0323,
    components: [
      {
        kind: "zipf",
        weight: 0.6,
        exponent: 0.87,
        data_share: 0.041,
        write_share: null,
        hot_data_share: null,
        hot_access_share: null,
      },
      {
        kind: "hot_cold",
        weight: 0.4,
        exponent: null,
        data_share: null,
        write_share: 0.1,
        hot_data_share: 0.25,
        hot_access_share: 0.9,
      },
    ],
  },
  fit: [],
};

describe("the description", () => {
  it("of a preset states data and load alone", () => {
    expect(descriptionOf(draft({ dataSize: "800 GiB", rate: "5,000" }))).toEqual({
      preset: "oltp",
      page_bytes: 8192,
      data_bytes: 800 * 1024 ** 3,
      accesses_per_s: 5000,
    });
  });

  it("of a mix states each component with the fields of its kind", () => {
    const found = descriptionOf(
      draft({
        preset: "",
        writes: "30",
        components: [
          newComponent(1, { weight: "8", data: "30", exponent: "1.1" }),
          newComponent(2, { kind: "scan", writes: "0", exponent: "not a number" }),
          newComponent(3, { kind: "hot_cold", hotData: "10", hotAccesses: "90" }),
        ],
      }),
    );
    expect(found?.write_share).toBe(0.3);
    expect(found?.components).toEqual([
      { kind: "zipf", weight: 8, data_share: 0.3, exponent: 1.1 },
      { kind: "scan", weight: 1, write_share: 0 },
      { kind: "hot_cold", weight: 1, hot_data_share: 0.1, hot_access_share: 0.9 },
    ]);
  });

  it("is not made of what cannot be read, and each field says so", () => {
    const wrong = draft({
      preset: "",
      dataSize: "800",
      rate: "many",
      writes: "130",
      components: [
        newComponent(1, { exponent: "9", weight: "0" }),
        newComponent(2, { kind: "hot_cold", hotData: "100", data: "0" }),
        newComponent(3, { kind: "uniform" }),
      ],
    });
    expect(descriptionOf(wrong)).toBeNull();
    const faults = faultsOf(wrong);
    expect(faults.fields).toEqual({
      dataSize: expect.stringContaining('"800" is not a size with a unit'),
      rate: expect.stringContaining('"many" is not a positive number'),
      writes: expect.stringContaining("0 to 100"),
    });
    expect(Object.keys(faults.components)).toEqual(["1", "2"]);
    expect(Object.keys(faults.components[1] ?? {})).toEqual(["weight", "exponent"]);
    expect(Object.keys(faults.components[2] ?? {})).toEqual(["data", "hotData"]);
  });

  it("of a preset does not mind what the hidden mix holds", () => {
    const hidden = draft({ writes: "", components: [newComponent(1, { weight: "" })] });
    expect(hasFaults(faultsOf(hidden))).toBe(false);
    expect(hasFaults(faultsOf({ ...hidden, preset: "" }))).toBe(true);
  });
});

describe("a preset", () => {
  it("brings its page size and keeps data and load", () => {
    const chosen = draft({ dataSize: "3 TiB", ...choosePreset(PRESET) });
    expect(descriptionOf(chosen)).toMatchObject({
      preset: "web",
      page_bytes: 4096,
      data_bytes: 3 * 1024 ** 4,
    });
  });

  it("becomes a mix of one's own with the same numbers", () => {
    const own = descriptionOf(draft(mixOf(PRESET)));
    expect(own?.preset).toBeUndefined();
    expect(own?.write_share).toBeCloseTo(0.0323, 6);
    expect(own?.components).toEqual([
      { kind: "zipf", weight: 0.6, exponent: 0.87, data_share: expect.closeTo(0.041) },
      {
        kind: "hot_cold",
        weight: 0.4,
        write_share: 0.1,
        hot_data_share: 0.25,
        hot_access_share: 0.9,
      },
    ]);
  });
});
