import { describe, expect, it } from "vitest";
import { holds, PAGES, PLACES } from "./navigation";
import { QUESTIONS } from "./registry";

const placesOf = (path: string): string[] =>
  PLACES.filter((place) => holds(place, path)).map(({ label }) => label);

describe("the menu", () => {
  it("has five places, the question first", () => {
    expect(PLACES.map(({ label }) => label)).toEqual([
      "Advise",
      "Workloads",
      "Hardware",
      "Explore",
      "Library",
    ]);
  });

  it("leads to every page that answers a question, once", () => {
    const pages = PAGES.map(({ to }) => to);
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages).toEqual(
      expect.arrayContaining(Object.values(QUESTIONS).map(({ to }) => to)),
    );
  });

  it.each([
    ["/advise", "Advise"],
    ["/workloads/example/", "Workloads"],
    ["/workloads/compose", "Workloads"],
    ["/uploads/u1", "Workloads"],
    ["/describe", "Workloads"],
    ["/hardware", "Hardware"],
    ["/dram-or-flash", "Explore"],
    ["/scenarios/s1/beside/s2", "Library"],
    ["/docs", "Library"],
  ])("marks one place at %s: %s", (path, place) => {
    expect(placesOf(path)).toEqual([place]);
  });

  it.each(["/", "/comparecosts", "/nowhere"])("marks none at %s", (path) => {
    expect(placesOf(path)).toEqual([]);
  });

  it("marks one place on every page but the start", () => {
    for (const { to } of PAGES) {
      expect(placesOf(to)).toHaveLength(to === "/" ? 0 : 1);
    }
  });
});
