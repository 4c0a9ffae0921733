import { describe, expect, it } from "vitest";
import { parseDocsSearch } from "./address";

describe("the address of the API's page", () => {
  it("names what it refuses", () => {
    expect(parseDocsSearch({ operation: "9" }).refused).toContain("operation=9");
  });

  it("opens what links of earlier versions name", () => {
    expect(parseDocsSearch({ operation: "evaluate" }).operation).toBe("ask_compare");
    expect(parseDocsSearch({ operation: "get_curve" }).operation).toBe("get_curve");
  });
});
