import { describe, expect, it } from "vitest";
import { toggled } from "./scenarios-page";

const SCENARIOS = [
  { id: "c1", question: "compare" },
  { id: "c2", question: "compare" },
  { id: "c3", question: "compare" },
  { id: "a1", question: "advice" },
  { id: "a2", question: "advice" },
  { id: "a3", question: "advice" },
  { id: "a4", question: "advice" },
  { id: "a5", question: "advice" },
  { id: "w1", question: "wear" },
] as const;

const pressing = (...pressed: string[]): readonly string[] =>
  pressed.reduce<readonly string[]>((chosen, id) => toggled(SCENARIOS, chosen, id), []);

describe("the scenarios that are selected", () => {
  it("are two comparisons or four advices at most, those chosen last", () => {
    expect(pressing("c1", "c2", "c3")).toEqual(["c2", "c3"]);
    expect(pressing("a1", "a2", "a3", "a4", "a5")).toEqual(["a2", "a3", "a4", "a5"]);
    expect(pressing("a1", "a2", "a1")).toEqual(["a2"]);
  });

  it("are of one page", () => {
    expect(pressing("c1", "a1")).toEqual(["a1"]);
    expect(pressing("a1", "a2", "c1")).toEqual(["c1"]);
    expect(pressing("a1", "w1")).toEqual(["a1"]);
  });
});
