import { describe, expect, it } from "vitest";
import { timedOrAll, whyNotTimed } from "./flash-caches-field";

const BCACHE = { name: "bcache", goes_by_time: false };
const SCE = { name: "sce", goes_by_time: true };

describe("flash caches that are offered", () => {
  it("are all where accesses have times and are those of production", () => {
    const why = whyNotTimed("trace", true);
    expect(timedOrAll([BCACHE, SCE], why)).toEqual([BCACHE, SCE]);
  });

  it.each([
    ["recording", true],
    ["trace", false],
  ] as const)("leave out what goes by time: %s, times %s", (replays, timed) => {
    const why = whyNotTimed(replays, timed);
    expect(why).toContain("work by the clock");
    expect(timedOrAll([BCACHE, SCE], why)).toEqual([BCACHE]);
  });
});
