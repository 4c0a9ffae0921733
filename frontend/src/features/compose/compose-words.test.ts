import { describe, expect, it } from "vitest";
import { scaleErrorSentence } from "@/components/scale-error";
import {
  curvesTitle,
  errorSentence,
  sharingSentence,
  usualName,
} from "./compose-words";

const COMPARED = {
  better: "partitions" as const,
  saved_share: 0.12,
  close: false,
  known_error: 0.05,
  shared_misses_per_s: 1000,
  partition_misses_per_s: 880,
};

describe("what sharing gains or loses", () => {
  it("loses where a part for each misses less", () => {
    expect(sharingSentence(COMPARED)).toBe(
      "Sharing loses: a part for each would have 12 % fewer misses, 880 instead of 1,000 per second.",
    );
  });

  it("gains where a part for each misses more", () => {
    const found = { saved_share: -0.2, partition_misses_per_s: 1200 };
    expect(sharingSentence({ ...COMPARED, ...found, better: "shared" })).toBe(
      "Sharing gains: a part for each would have 20 % more misses, 1,200 instead of 1,000 per second.",
    );
  });

  it("says where the difference is within the error", () => {
    expect(sharingSentence({ ...COMPARED, saved_share: 0.04, close: true })).toContain(
      "within the error of the composition (5 %)",
    );
    expect(sharingSentence(COMPARED)).not.toContain("within");
  });

  it("does neither where both are alike, or nothing misses", () => {
    expect(
      sharingSentence({ ...COMPARED, better: "equal", partition_misses_per_s: 1000 }),
    ).toBe(
      "Sharing neither gains nor loses: a part for each has as many misses, 1,000 per second.",
    );
    expect(sharingSentence({ ...COMPARED, better: null, saved_share: null })).toMatch(
      /^Nothing misses/,
    );
  });
});

describe("the title of the curves", () => {
  const found = {
    ram_pages: 4096,
    page_bytes: 4096,
    shared_miss_ratio: 0.25,
    partition_miss_ratio: 0.2,
  };

  it("is of what is looked at", () => {
    expect(curvesTitle(found, "shared")).toBe(
      "One shared cache of 16 MiB hits 75 % of all accesses",
    );
    expect(curvesTitle(found, "split")).toBe(
      "16 MiB split into a part for each hits 80 % of all accesses",
    );
  });
});

describe("errors in words", () => {
  const known = {
    mean: 0.04,
    worst: 0.3,
    measured_up_to: 8,
    extrapolated: false,
    per: "access",
  };

  it("states that of the composition", () => {
    expect(errorSentence({ known_error: 0.05 })).toContain("at most 5 % off");
  });

  it("states those of scale laws, below 100 % in per cent and from there as a ratio", () => {
    expect(scaleErrorSentence(null)).toBeNull();
    expect(scaleErrorSentence({ workloads: ["a"], known_error: known })).toMatch(
      /^a was scaled .* 4 % off on average and 30 % off at worst\.$/,
    );
    const far = { ...known, worst: 2.5, extrapolated: true };
    expect(scaleErrorSentence({ workloads: ["a", "b"], known_error: far })).toMatch(
      /^a and b were scaled .* a factor of 3\.5 off at worst, extrapolated from measurements up to 8 times\.$/,
    );
    expect(scaleErrorSentence({ workloads: ["a"], known_error: null })).toContain(
      "its law is off was never measured",
    );
    expect(scaleErrorSentence({ workloads: ["a", "b"], known_error: null })).toContain(
      "one of their laws is off was never measured",
    );
  });
});

describe("the usual name", () => {
  it("names a few workloads and counts many", () => {
    expect(usualName(["Orders", "Logs"])).toBe("Orders and Logs in one cache");
    expect(usualName(["a", "b", "c", "d"])).toBe("4 workloads in one cache");
    expect(usualName(["x".repeat(190), "y".repeat(190)])).toBe(
      "2 workloads in one cache",
    );
  });
});
