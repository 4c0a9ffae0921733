import { describe, expect, it } from "vitest";
import { clockOf, timedOrAll, whyNotTimed } from "./flash-caches-field";

const BCACHE = { name: "bcache", goes_by_time: false };
const SCE = { name: "sce", goes_by_time: true };

const recorded = (duration_s: number | null) => ({
  kind: "trace" as const,
  duration_s,
  production: null,
});
const scaled = (factor: number, machines: number) =>
  ({
    ...recorded(5),
    kind: "profile",
    production: { factor, production: { replicas: 2, machines } },
  }) as unknown as Parameters<typeof clockOf>[0];

describe("flash caches that are offered", () => {
  it.each([
    ["a trace with times", clockOf(recorded(9))],
    ["one without, at a rate", clockOf(recorded(null), true)],
    ["a machine that has all that was recorded", clockOf(scaled(3, 6))],
  ])("are all of %s", (_, clock) => {
    expect(timedOrAll([BCACHE, SCE], whyNotTimed(clock))).toEqual([BCACHE, SCE]);
  });

  it.each([
    ["larger machines", clockOf(scaled(3, 5)), "does not scale"],
    ["larger machines, at a rate", clockOf(scaled(3, 5), true), "does not scale"],
    ["no times and no rate", clockOf(recorded(null)), "no times"],
  ])("leave out what goes by time: %s", (_, clock, said) => {
    const why = whyNotTimed(clock);
    expect(why).toContain("work by the clock");
    expect(why).toContain(said);
    expect(timedOrAll([BCACHE, SCE], why)).toEqual([BCACHE]);
  });
});
