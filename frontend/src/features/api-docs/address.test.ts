import { describe, expect, it } from "vitest";
import { parseDocsSearch } from "./address";

describe("the address of the API's page", () => {
  it("names what it refuses", () => {
    expect(parseDocsSearch({ operation: "9" }).refused).toContain("operation=9");
  });
});
