import { describe, expect, it } from "vitest";
import type { StudyRow, TransactionStudyOut } from "@/api/transaction-studies";
import { parseTransactionsSearch, sizesOf, systemsOf } from "@/questions/transactions";
import {
  eventsText,
  flashText,
  isAwaited,
  rowsAt,
  shownSize,
  studyAddress,
  studyPrices,
  studyQuestion,
  studyTable,
  timeBars,
  timeLines,
  whyNoAddress,
} from "./question";

const row = (system: string, ram_pages: number, reads: number, writes: number) =>
  ({
    system,
    title: system,
    ram_pages,
    read_time_us: reads * 1e6,
    write_time_us: writes * 1e6,
    erase_time_us: 0,
    time_us: (reads + writes) * 1e6,
    disk_time_us: 0,
    recovery: null,
    write_amplification: null,
  }) as StudyRow;

const FOUND = {
  rows: [row("aries", 10, 1, 4), row("aat", 10, 2, 1), row("aries", 20, 1, 1)],
  shown_pages: 10,
};

describe("the address", () => {
  it("asks all systems over the worked example unless it says otherwise", () => {
    const asked = studyQuestion(parseTransactionsSearch({}));
    expect(asked).toEqual({
      upload_id: null,
      systems: systemsOf(undefined),
      ram_pages: [],
      page_bytes: 8192,
      checkpoint_pages: 128,
      durable: true,
      crash: "end",
    });
    expect(asked.systems).toHaveLength(7);
  });

  it("holds what is replayed, and the times apart from it", () => {
    const search = parseTransactionsSearch({
      events: "3f9c",
      which: "aat,aries",
      sizes: "256,64",
      spare: 0.28,
      durable: "no",
      crash: "no",
      write_us: 300,
    });
    expect(search.refused).toBeUndefined();
    expect(studyQuestion(search)).toMatchObject({
      upload_id: "3f9c",
      systems: ["aries", "aat"],
      ram_pages: [64, 256],
      spare: 0.28,
      durable: false,
      crash: "none",
    });
    expect(studyQuestion(search)).not.toHaveProperty("write_us");
    expect(studyPrices(search)).toEqual({ write_us: 300 });
  });

  it("names what it refuses", () => {
    const search = parseTransactionsSearch({ which: "lru", sizes: "0", spare: 0 });
    expect(search.refused).toContain("which=lru");
    expect(search.refused).toContain("sizes=0");
    expect(search.refused).toContain("spare=0");
  });

  it.each([
    ["64, 16,64", [16, 64]],
    ["7", [7]],
    ["", undefined],
    ["1,x", undefined],
    ["1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", undefined],
    ["4294967295", undefined],
  ])("reads the sizes %s", (written, sizes) => {
    expect(sizesOf(written)).toEqual(sizes);
  });
});

describe("what is shown", () => {
  it("is the buffer of the address if it was replayed, else the middle one", () => {
    expect(shownSize(FOUND, 20)).toBe(20);
    expect(shownSize(FOUND, 30)).toBe(10);
    expect(shownSize(FOUND, undefined)).toBe(10);
  });

  it("has the fastest system first, and marks it", () => {
    const bars = timeBars(rowsAt(FOUND as TransactionStudyOut, 10));
    expect(bars.map(({ title, best }) => [title, best])).toEqual([
      ["aat", true],
      ["aries", false],
    ]);
    expect(bars[0]?.parts).toEqual({ read: 2, write: 1, erase: 0 });
  });

  it("has a line for each system over the sizes", () => {
    const lines = timeLines(FOUND.rows, "light");
    expect(lines.map(({ name, points }) => [name, points])).toEqual([
      [
        "aries",
        [
          [10, 5],
          [20, 2],
        ],
      ],
      ["aat", [[10, 3]]],
    ]);
  });

  it("shows one buffer in the table and exports all", () => {
    const table = studyTable(FOUND.rows, 20);
    expect(table.rows).toHaveLength(3);
    expect(table.shown).toHaveLength(1);
    expect(table.shown[0]).toHaveLength(table.header.length);
  });

  it("says what the file holds", () => {
    const survey = {
      events: 9,
      transactions: 2,
      committed: 1,
      aborted: 1,
      reads: 1,
      updates: 4,
      pages: 3,
    };
    const found = { survey, is_example: false, filename: "mine.txt" };
    expect(eventsText(found as TransactionStudyOut)).toBe(
      "mine.txt: 2 transactions, of which 1 committed and 1 aborted; 1 read and 4 updates of 3 pages",
    );
    expect(
      eventsText({ ...found, survey: null, is_example: true } as TransactionStudyOut),
    ).toBe("A recording of pgbench");
  });
});

describe("the flash that was written", () => {
  const inputs = studyQuestion(parseTransactionsSearch({}));

  it("is a raw chip unless the answer has spare space", () => {
    expect(flashText({ blocks: 12, inputs })).toBe("12 blocks of a raw chip");
    expect(flashText({ blocks: 1, inputs: { ...inputs, spare: null } })).toBe(
      "1 block of a raw chip",
    );
    expect(flashText({ blocks: 12, inputs: { ...inputs, spare: 0.28 } })).toBe(
      "12 blocks of a flash device with a translation layer",
    );
  });
});

describe("rows of a study", () => {
  it.each([
    ["queued", true],
    ["running", true],
    ["succeeded", true],
    ["failed", false],
    ["cancelled", false],
  ] as const)("of a run that is %s: awaited %s", (status, awaited) => {
    expect(isAwaited({ error: null, run: { status } })).toBe(awaited);
    expect(isAwaited({ error: new Error("refused"), run: { status } })).toBe(false);
  });

  it("are awaited before there is a run", () => {
    expect(isAwaited({ error: null, run: undefined })).toBe(true);
  });
});

describe("a kept study", () => {
  const kept = (written: Record<string, unknown>, changes = {}) => ({
    inputs: {
      ...studyQuestion(parseTransactionsSearch(written)),
      log_bytes_per_update: 100,
      pages_per_block: 64,
      blocks: null,
      spare: null,
      database_pages: null,
      ...changes,
    },
    is_example: written["events"] === undefined,
  });

  it.each([
    {},
    { events: "3f9c", which: "aries,aat", sizes: "64,256", durable: "no" },
    { events: "3f9c", spare: 0.28, blocks: 4096, crash: "no", log_bytes: 200 },
  ])("has the address that asks for it: %o", (written) => {
    const study = kept(written, written.log_bytes ? { log_bytes_per_update: 200 } : {});
    const search = studyAddress(study);
    expect(search).not.toBeNull();
    const asked = studyQuestion(parseTransactionsSearch({ ...search }));
    const given = Object.entries(study.inputs).filter(
      ([name, value]) => value !== null || name === "upload_id",
    );
    expect(asked).toEqual(Object.fromEntries(given));
  });

  it("has none where its file is gone, or the page has no field for it", () => {
    const gone = { ...kept({}), is_example: false };
    expect(studyAddress(gone)).toBeNull();
    expect(whyNoAddress(gone)).toMatch("was deleted");
    const crashed = kept({}, { crash: 1000 });
    expect(studyAddress(crashed)).toBeNull();
    expect(whyNoAddress(crashed)).toMatch("no fields");
  });
});
