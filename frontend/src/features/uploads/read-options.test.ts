import { describe, expect, it } from "vitest";
import { problemOfBody } from "@/api/problem";
import {
  candidatesIn,
  columnsIn,
  EMPTY_MAPPING,
  mappingColumns,
  mappingFaults,
  nameOfFile,
  parseDeviceSize,
  readOptions,
  tableFormatIn,
} from "./read-options";

const draft = {
  name: "x",
  format: "",
  pageBytes: "",
  skipBadRecords: "",
  deviceSize: "",
  membersApart: false,
  membersMerged: false,
  mapping: EMPTY_MAPPING,
};

describe("what is sent to the reader", () => {
  it("leaves everything to detection when nothing was chosen", () => {
    expect(readOptions(draft)).toEqual({});
  });

  it("sends the mapping only with the generic format", () => {
    const mapping = { ...EMPTY_MAPPING, address: "lba" };
    expect(readOptions({ ...draft, format: "msr", mapping })).toEqual({
      format: "msr",
    });
    expect(
      readOptions({ ...draft, format: "csv", pageBytes: "8192", mapping }),
    ).toEqual({
      format: "csv",
      page_bytes: 8192,
      columns: { offset: "lba" },
    });
  });

  it("tolerates bad records only when a number above 0 was given", () => {
    expect(readOptions({ ...draft, skipBadRecords: "0" })).toEqual({});
    expect(readOptions({ ...draft, deviceSize: "1 TiB" })).toEqual({
      device_bytes: 2 ** 40,
    });
    expect(readOptions({ ...draft, deviceSize: "a lot" })).toEqual({});
    expect(readOptions({ ...draft, membersApart: true })).toEqual({
      members_apart: true,
    });
    expect(readOptions({ ...draft, membersMerged: true })).toEqual({
      members_merged: true,
    });
    expect(readOptions({ ...draft, skipBadRecords: "12" })).toEqual({
      skip_bad_records: 12,
    });
  });

  it("drops units whose column is not mapped", () => {
    const mapping = {
      ...EMPTY_MAPPING,
      addressing: "page" as const,
      address: "block",
      offsetUnit: "sectors",
      sizeUnit: "bytes",
      timeUnit: "us",
      readValues: "R",
    };
    expect(mappingColumns(mapping)).toEqual({ page: "block" });
  });
});

describe("what a mapping still needs", () => {
  it("asks for address, units and length of byte addresses", () => {
    expect(mappingFaults(EMPTY_MAPPING).map((fault) => fault.field)).toEqual([
      "address",
      "offsetUnit",
      "size",
    ]);
  });

  it("is content with a page column alone, and wants a unit with a time", () => {
    const mapping = { ...EMPTY_MAPPING, addressing: "page" as const, address: "2" };
    expect(mappingFaults(mapping)).toEqual([]);
    expect(mappingFaults({ ...mapping, time: "ts" })[0]?.field).toBe("timeUnit");
  });

  it("wants both lists of values or none", () => {
    const mapping = {
      ...EMPTY_MAPPING,
      addressing: "key" as const,
      address: "k",
      op: "type",
      readValues: "get",
    };
    expect(mappingFaults(mapping)[0]?.field).toBe("writeValues");
  });
});

describe("helpers", () => {
  it("finds the columns a refusal lists", () => {
    const refusal = (errors: unknown) => problemOfBody({ errors }, 422);
    const names = ["ts", "lba, first", "ts"];
    expect(columnsIn(refusal([{ where: "body.columns", value: names }]))).toEqual([
      "ts",
      "lba, first",
    ]);
    expect(columnsIn(refusal([{ where: "body.columns", value: "ts" }]))).toEqual([]);
    expect(columnsIn(refusal([{ where: "body.format", value: names }]))).toEqual([]);
    expect(columnsIn(refusal([]))).toEqual([]);
  });

  it("finds the formats a refusal asks to choose from", () => {
    const refusal = problemOfBody(
      {
        errors: [
          { where: "body.format", value: "disksim", message: "five columns" },
          { where: "body.columns", value: ["a"], message: "can map" },
          { where: "body.format", value: "flashsim", message: "five columns too" },
        ],
      },
      422,
    );
    expect(candidatesIn(refusal)).toEqual([
      { format: "disksim", reason: "five columns" },
      { format: "flashsim", reason: "five columns too" },
    ]);
    expect(candidatesIn(problemOfBody({ errors: [] }, 422))).toEqual([]);
  });

  it("tells which kind of table wants a mapping, and asks nothing then", () => {
    const refusal = problemOfBody(
      { errors: [{ where: "body.format", value: "parquet", message: "mapping" }] },
      422,
    );
    expect(tableFormatIn(refusal)).toBe("parquet");
    expect(candidatesIn(refusal)).toEqual([]);
    expect(tableFormatIn(problemOfBody({}, 422))).toBe("csv");
  });

  it("makes a name of a file name", () => {
    expect(nameOfFile("tpcb-cut.csv.zst")).toBe("tpcb-cut");
    expect(nameOfFile("web.oracleGeneral.zst")).toBe("web");
    expect(nameOfFile(null)).toBe("Trace");
  });
});

describe("the size of a device", () => {
  it.each([
    ["1 TiB", 2 ** 40],
    ["960 GB", 960e9],
    ["512", 512],
    ["1,000,000", 1e6],
  ])("%s", (text, value) => {
    expect(parseDeviceSize(text)).toEqual({ ok: true, value });
  });

  it.each(["", "511", "x", "1000 pages", "-1 GiB", "2000 PiB"])("is not %j", (text) => {
    expect(parseDeviceSize(text)).toMatchObject({ ok: false });
  });
});
