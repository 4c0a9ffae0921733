import { describe, expect, it } from "vitest";
import { type CurveDraft, EMPTY_DRAFT, faultsOf, statementOf } from "./statement";

const draft = (part: Partial<CurveDraft>): CurveDraft => ({
  ...EMPTY_DRAFT,
  text: "1,0.5",
  ...part,
});

describe("the statement about a curve", () => {
  it("leaves out whatever is not stated, so that it is asked", () => {
    expect(statementOf(draft({}))).toEqual({ text: "1,0.5", repair: false });
  });

  it("reads counts, rates, sizes and shares with their units", () => {
    expect(
      statementOf(
        draft({
          pageBytes: "8192",
          accesses: "12,000,000",
          dataSize: "800 GiB",
          writes: "dirty",
          share: "30",
          sizeUnit: "MiB",
        }),
      ),
    ).toEqual({
      text: "1,0.5",
      repair: false,
      page_bytes: 8192,
      accesses: 12_000_000,
      data_bytes: 800 * 1024 ** 3,
      dirty_share: 0.3,
      size_unit: "MiB",
    });
    expect(
      statementOf(
        draft({ accessesAs: "rate", accesses: "1.5", writes: "written", share: "5" }),
      ),
    ).toMatchObject({ accesses_per_s: 1.5, write_share: 0.05 });
  });

  it("names what cannot be read and does not send it", () => {
    const wrong = draft({
      accesses: "many",
      dataSize: "800",
      writes: "dirty",
      share: "130",
    });
    expect(faultsOf(wrong)).toEqual({
      accesses: expect.stringContaining('"many" is not a positive number'),
      dataSize: expect.stringContaining("with a unit"),
      share: expect.stringContaining("0 to 100"),
    });
    expect(statementOf(wrong)).toEqual({ text: "1,0.5", repair: false });
    expect(faultsOf(draft({ accesses: "1.5" })).accesses).toContain("whole");
    expect(faultsOf(draft({ dataSize: "5 pages" })).dataSize).toBeDefined();
  });
});
