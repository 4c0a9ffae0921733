import { describe, expect, it } from "vitest";
import { parseComposeSearch } from "./compose";
import { readMembers, writeMembers } from "./members";

describe("the workloads of an address", () => {
  it("are written as they are read", () => {
    const members = [
      { id: "orders", rate: null },
      { id: "orders", rate: 5000 },
      { id: "web-logs.2", rate: 0.25 },
    ];
    expect(writeMembers(members)).toBe("orders,orders:5000,web-logs.2:0.25");
    expect(readMembers("orders,orders:5000,web-logs.2:0.25")).toEqual(members);
    expect(writeMembers([])).toBeUndefined();
    // A rate of any size that the field takes.
    for (const rate of [1e-6, 1e15]) {
      const text = writeMembers([{ id: "a", rate }]) ?? "";
      expect(readMembers(text)).toEqual([{ id: "a", rate }]);
    }
  });

  it("are refused whole where one cannot be read", () => {
    for (const text of ["", "A", "a,", "a:", "a:0", "a:-1", "a:1e16", "a:b", "a b"]) {
      expect(readMembers(text)).toBeNull();
    }
    expect(readMembers(Array(33).fill("a").join(","))).toBeNull();
    expect(readMembers(Array(32).fill("a").join(","))).toHaveLength(32);
  });

  it("are named where the address cannot be used", () => {
    expect(parseComposeSearch({ of: "a,b:5", split: true, cache_pages: 7 })).toEqual({
      of: "a,b:5",
      split: true,
      cache_pages: 7,
    });
    const found = parseComposeSearch({ of: "a:0", split: "no", cache_pages: 0 });
    expect(found.of).toBeUndefined();
    for (const part of ["of=a:0", "split=no", "cache_pages=0"]) {
      expect(found.refused).toContain(part);
    }
  });
});
