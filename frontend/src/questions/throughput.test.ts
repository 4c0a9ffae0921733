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
      course_options: "x".repeat(501),
    });
    expect(found).toMatchObject({ disks: 8, think_ms: 0, show: "response" });
    expect(found.clients).toBeUndefined();
    expect(found.accesses).toBeUndefined();
    expect(found.vary).toBeUndefined();
    expect(found.metadata).toBeUndefined();
    expect(found.course_options).toBeUndefined();
    for (const name of ["clients", "accesses", "vary", "metadata", "course_options"]) {
      expect(found.refused).toContain(`${name}=`);
    }
  });

  it("keeps the options of a course as they are written", () => {
    const course_options = "admission=cachesack assignment=miss+1:never*0.5*miss";
    expect(parseThroughputSearch({ course_options })).toEqual({ course_options });
  });
});
