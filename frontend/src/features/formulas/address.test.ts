import { describe, expect, it } from "vitest";
import { parseFormulaSearch } from "./address";

describe("the address of formulas", () => {
  it("names what it refuses", () => {
    expect(parseFormulaSearch({ formula: 5, inputs: [1] }).refused).toContain(
      "inputs=[1] (needs an object of inputs by name)",
    );
  });
});
