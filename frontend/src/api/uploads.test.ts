import { describe, expect, it } from "vitest";
import { idOfUploadUrl, rateMeter, refuseFile } from "./uploads";

describe("uploads", () => {
  it("measure the rate over the last seconds only", () => {
    const meter = rateMeter();
    expect(meter(0, 0)).toBeNull();
    expect(meter(1000, 1_000_000)).toBe(1_000_000);
    // Four idle seconds later only the last sample is left in the window.
    expect(meter(5000, 1_000_000)).toBe(0);
  });

  it("find the id in the address the server gave", () => {
    expect(idOfUploadUrl("/api/v1/uploads/ab12")).toBe("ab12");
    expect(idOfUploadUrl("http://127.0.0.1:1/api/v1/uploads/ab12?x=1")).toBe("ab12");
  });

  it("refuse an empty file with its name and a next step", () => {
    const refusal = refuseFile(new File([], "empty.csv"));
    expect(refusal?.problem.detail).toContain("empty.csv");
    expect(refusal?.problem.hint).not.toBeNull();
    expect(refuseFile(new File(["x"], "one.csv"))).toBeNull();
  });
});
