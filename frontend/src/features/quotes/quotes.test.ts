import { describe, expect, it } from "vitest";
import { renderHook } from "vitest-browser-react";
import type { FileImportOut } from "@/api/quotes";
import { pairsOf } from "./columns-of";
import { takenText } from "./import-view";
import { mappingFile, readMapping, withEarlier, withLine } from "./kept-mapping";
import { checkText } from "./paper-panel";
import { given, kindOf, ratesOf, taken, useLastOf } from "./quotes-page";

const RAIL = { part_number: "RAIL", is: [{ kind: "part", item: "rails" }] };

describe("a mapping", () => {
  it("is read as it was written, and refuses what is none", () => {
    expect(readMapping(mappingFile([RAIL]))).toEqual([RAIL]);
    expect(readMapping("[]")).toEqual([]);
    for (const text of ["", "{}", '{"line": [{"part_number": "x"}]}', "[1]"]) {
      expect(readMapping(text)).toBeNull();
    }
  });

  it("keeps one entry for the same part number of the same supplier", () => {
    const other = { ...RAIL, is: [{ kind: "part", item: "power" }] };
    expect(withLine([RAIL], other)).toEqual([other]);
    const supplied = { ...RAIL, supplier: "ACME" };
    expect(withLine([RAIL], supplied)).toEqual([RAIL, supplied]);
  });

  it("takes what a browser kept, but for part numbers that the server knows", () => {
    const other = { ...RAIL, is: [{ kind: "part", item: "power" }] };
    const cable = { ...RAIL, part_number: "CABLE" };
    expect(withEarlier([], [RAIL])).toEqual([RAIL]);
    expect(withEarlier([RAIL], [other, cable])).toEqual([RAIL, cable]);
    expect(withEarlier([RAIL], [other])).toEqual([RAIL]);
  });
});

describe("what a file seems to be", () => {
  it.each([
    ['{"blockdevices":[]}', "inventory"],
    ["Handle 0x0011, DMI type 17", "inventory"],
    ['{"BillingCurrency":"USD","Items":[]}', "prices"],
    ['{"formatVersion":"v1.0","offerCode":"AmazonEC2"}', "prices"],
    ["quote_id,currency,quantity,unit,price\n", "quotes"],
    ["<?xml version='1.0'?><cXML/>", "quotes"],
    ["NEW_ITEM-PRICE[1]=5", "quotes"],
    ['[{"@odata.id":"/redfish/v1"}]', "inventory"],
    ["BilledCost,ChargeCategory,ChargePeriodStart\n", "prices"],
    ["PAR1\u0000", "prices"],
    ["sku;date;currency;price;unit\n", "prices"],
    ["quote_id,date,price\n", "quotes"],
    ['{"results":[{"url":"https://n.example/api/dcim/modules/1/"}]}', "inventory"],
    ["Device,Module Bay,Manufacturer,Module Type\ndb1,1,A,B", "inventory"],
    ["PK\u0003\u0004\u0014", "inventory"],
  ])("%s is %s", (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });
});

describe("columns of a table", () => {
  it("are pairs, one on each line", () => {
    expect(pairsOf(" price = Preis (netto)\n\nquantity=Menge=2 ")).toEqual({
      pairs: { price: "Preis (netto)", quantity: "Menge=2" },
      refused: "",
    });
    expect(pairsOf("")).toEqual({ pairs: {}, refused: "" });
  });

  it.each(["price", "price=", "=Preis", "Price=Preis", "price=a\nprice=b"])(
    "refuse %j",
    (text) => {
      expect(pairsOf(text).refused).not.toBe("");
    },
  );
});

describe("a file", () => {
  it("is carried as its text, or as its bytes where they are no text", async () => {
    const bytes = Uint8Array.from([0x50, 0x4b, 3, 4, 0xff, 0, 0x80]);
    expect(await given(new File([bytes], "rack.zip"))).toEqual({
      kind: "inventory",
      name: "rack",
      text: "UEsDBP8AgA==",
      encoding: "base64",
    });
    expect(await given(new File(["NEW_ITEM-PRICE[1]=5"], "cart.txt"))).toMatchObject({
      text: "NEW_ITEM-PRICE[1]=5",
      encoding: "text",
    });
  });
});

describe("exchange rates", () => {
  it("are read with the day of the decision, or refused as a whole", () => {
    expect(ratesOf("EUR=0.88, gbp = 0.75", "2026-10-01")).toMatchObject([
      { currency: "EUR", per_usd: "0.88", date: "2026-10-01" },
      { currency: "GBP", per_usd: "0.75" },
    ]);
    for (const text of ["", "EUR", "EUR=0.88, x", "EUR=0,88"]) {
      expect(ratesOf(text, "2026-10-01")).toBeNull();
    }
  });
});

describe("sentences", () => {
  const found = { read: 3, taken: 3, currency: "EUR" } as FileImportOut;
  it("of the rows follow the counts", () => {
    expect(takenText(found)).toBe("3 rows were taken of 3, priced in EUR.");
    expect(takenText({ ...found, taken: 2, currency: null })).toBe(
      "2 rows were taken of 3; 1 row was left out.",
    );
  });

  it("of the check follow its result", () => {
    expect(checkText(undefined, 0)).toContain("Checking");
    expect(checkText(true, 0)).toContain("passes");
    expect(checkText(false, 1)).toBe("A committee would send it back for 1 thing.");
  });
});

describe("a file that no request can carry", () => {
  const BODY_BYTES = 2 ** 20;
  const zip = (bytes: number) => {
    const all = new Uint8Array(bytes).fill(0xff);
    all.set([0x50, 0x4b, 3, 4]);
    return new File([all], "rack.zip");
  };

  it.each([
    ["an archive that Base64 makes too large", zip(800_000)],
    ["text that is too large as it is", new File(["x".repeat(1_000_000)], "a.csv")],
    ["text that its quotes make too large", new File(['"'.repeat(600_000)], "a.csv")],
  ])("is refused: %s", async (_, file) => {
    const { files, refused } = await taken([file, new File(["x"], "small.csv")]);
    expect(files.map(({ name }) => name)).toEqual(["small"]);
    expect(refused).toMatch(/^(rack.zip|a.csv) .*Read it with tierwright import\.$/);
  });

  it.each([
    zip(700_000),
    new File(["x".repeat(900_000)], "a.csv"),
    new File(['"'.repeat(450_000)], "a.csv"),
  ])("is none of those whose request is within the limit", async (file) => {
    const { files, refused } = await taken([file]);
    expect(refused).toBe("");
    const body = new Blob([JSON.stringify({ ...files[0], mapping: [] })]);
    expect(body.size).toBeLessThan(BODY_BYTES);
  });

  it("leaves out an empty file without a word", async () => {
    expect(await taken([new File([], "a.csv")])).toEqual({ files: [], refused: "" });
  });
});

describe("the last ranking", () => {
  it("stays while the next is computed, unless that is of another workload", async () => {
    const first: { of: string; answer?: string } = { of: "orders" };
    const { result, rerender } = await renderHook(
      (now = first) => useLastOf(now.of, now.answer),
      { initialProps: first },
    );
    expect(result.current).toBeUndefined();
    await rerender({ of: "orders", answer: "first" });
    expect(result.current).toBe("first");
    await rerender({ of: "orders" });
    expect(result.current).toBe("first");
    await rerender({ of: "logs" });
    expect(result.current).toBeUndefined();
    await rerender({ of: "orders" });
    expect(result.current).toBeUndefined();
    await rerender({ of: "logs", answer: "second" });
    expect(result.current).toBe("second");
    await rerender({ of: "logs" });
    expect(result.current).toBe("second");
  });
});
