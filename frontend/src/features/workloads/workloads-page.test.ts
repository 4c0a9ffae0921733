import { describe, expect, it } from "vitest";
import { choiceText } from "./workloads-page";

describe("the choice of workloads", () => {
  it("says what it still needs", () => {
    expect(choiceText(0)).toContain("Select two workloads or more");
    expect(choiceText(1)).toBe("1 workload selected; select another one");
    expect(choiceText(2)).toBe("2 workloads selected");
    expect(choiceText(32)).toBe("32 workloads selected");
    expect(choiceText(33)).toContain("at most 32");
  });
});
