import { describe, expect, it } from "vitest";
import { parseThroughputSearch } from "./throughput";

describe("the address of throughput", () => {
  it("reads what it can use and names the rest", () => {
    const found = parseThroughputSearch({
      clients: 20_000,
      disks: 8,
      think_ms: 0,
      accesses: 0,
      vary: "colour",
      show: "response",
      metadata: "No Such",
    });
    expect(found).toMatchObject({ disks: 8, think_ms: 0, show: "response" });
    expect(found.clients).toBeUndefined();
    expect(found.accesses).toBeUndefined();
    expect(found.vary).toBeUndefined();
    expect(found.metadata).toBeUndefined();
    for (const name of ["clients", "accesses", "vary", "metadata"]) {
      expect(found.refused).toContain(`${name}=`);
    }
  });
});
