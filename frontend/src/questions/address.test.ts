import fc from "fast-check";
import { is, parse } from "valibot";
import { describe, expect, it } from "vitest";
import { readFlashMetadata, writeFlashMetadata } from "@/components/flash-metadata";
import {
  bounded,
  identifier,
  metadataName,
  oneOf,
  readAddress,
  share,
  text,
  whole,
  withoutStrangers,
} from "./address";
import { parseQuestion, QUESTIONS, type Question } from "./registry";
import { parseTierSearch } from "./tier-cost";

const FIELDS = {
  clients: bounded({ low: 1, high: 10_000, whole: true }),
  ratio: bounded({ low: 0, exclusive: true, high: 2 }),
  pages: whole({ low: 1, high: Number.MAX_SAFE_INTEGER }, "pages"),
  dirty: share,
  vary: oneOf(["disks", "clients"]),
  device: identifier("the id of a device"),
  note: text(5),
} as const;

describe("an address", () => {
  it.each([
    ["clients", 20_000, "a whole number from 1 to 10,000"],
    ["clients", 1.5, "a whole number from 1 to 10,000"],
    ["clients", "7", "a whole number from 1 to 10,000"],
    ["ratio", 0, "a number above 0, up to 2"],
    ["pages", "0", "a whole number of pages, at least 1"],
    ["pages", 2 ** 60, "a whole number of pages, at least 1"],
    ["dirty", "1.1", "a share from 0 to 1"],
    ["vary", "chairs", "disks or clients"],
    ["device", "A b", "the id of a device"],
    ["note", "too long", "a text of at most 5 characters"],
    ["note", { a: 1 }, "a text of at most 5 characters"],
  ])("names %s=%j, and what it needs", (name, value, needs) => {
    const search = readAddress(FIELDS, { [name]: value });
    const said = typeof value === "object" ? JSON.stringify(value) : value;
    expect(search.refused).toBe(`${name}=${said} (needs ${needs})`);
    // Stated as absent, so that the raw value cannot show through.
    expect(search).toHaveProperty(name, undefined);
  });

  it("says nothing of what is absent, and of names that it does not know", () => {
    const search = readAddress(FIELDS, { clients: "", ratio: null, of_another: 1 });
    expect(search).not.toHaveProperty("refused");
    expect(search).not.toHaveProperty("of_another");
  });

  it("never drops a part of it without naming it", () => {
    const names = fc.constantFrom(...Object.keys(FIELDS));
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (raw) => {
        const search: Record<string, unknown> = { ...readAddress(FIELDS, raw) };
        for (const [name, value] of Object.entries(raw)) {
          const absent = value === null || value === "";
          const named = String(search["refused"] ?? "").includes(`${name}=`);
          expect(absent || search[name] !== undefined || named).toBe(true);
        }
      }),
    );
  });

  it("names what no page reads, and leaves what another page reads", () => {
    const raw = { clients: 5, ram_page: 7, have_disk: "disk", note: "" };
    const found = withoutStrangers({ ...raw, refused: "pages=0 (needs more)" });
    expect(found["refused"]).toBe(
      "pages=0 (needs more); ram_page=7 (no page reads this name)",
    );
    expect(found).toHaveProperty("ram_page", undefined);
    expect(found).toMatchObject({ clients: 5, have_disk: "disk" });
    // Once told it is no longer there.
    const { refused, ...rest } = found;
    expect(withoutStrangers(rest)).not.toHaveProperty("refused");
  });

  it("says it once, whoever reads it again", () => {
    const once = readAddress(FIELDS, { clients: 0 });
    const again = readAddress(FIELDS, { clients: 0, refused: once.refused });
    expect(again.refused).toBe(once.refused);
  });
});

describe("a page", () => {
  // A value of each page that is out of its bounds; sizes are read by all of them.
  const wrong: Readonly<Record<Question, Record<string, unknown>>> = {
    advice: {
      goal: "cheap",
      kinds: "instances,racks",
      providers: "A B",
      most_usd: -1,
      most_busy: 1.5,
      borrow: "yes",
      have_ram_gib: 0,
      have_scheme: "fast",
    },
    compare: { new_pages: -3, metadata: "A B", currency: "euros", check: "A/B" },
    scheme_map: { x: "z", x_low: -1, asymmetry: 0, by: "colour" },
    pool_split: { asymmetry: -1, dynamics: "wm9", epoch: 1.5, split: "A/B" },
    dram_or_flash: { usd: -1, price_ratio: 0, form: "short", appends: 1, reads: 2 },
    what_to_cache: { categories: "colour", rate: -1, read_usd: -1, written_usd: "x" },
    wear: { rate: -1, devices: 0, tx_source: "me", tx_events: "x".repeat(2001) },
    throughput: { clients: 20_000, vary: "chairs", show: "all" },
    simulate: {
      held: -1,
      over: "disk",
      estimate_rate: 0,
      estimate_ram: 0,
      sizes: "1".repeat(6001),
    },
  };

  it.each(Object.keys(QUESTIONS) as Question[])(
    "of %s names all it refuses",
    (question) => {
      const own = wrong[question];
      const search = parseQuestion(question, { ...own, ram_pages: 0 });
      for (const name of [...Object.keys(own), "ram_pages"]) {
        expect(search.refused).toContain(`${name}=`);
        expect(search).toHaveProperty(name, undefined);
      }
    },
  );

  it("of hardware names it too", () => {
    const tier = parseTierSearch({ tier_devices: "a,,b", held_gib: -1, whole: true });
    for (const name of ["tier_devices", "held_gib", "whole"]) {
      expect(tier.refused).toContain(`${name}=`);
    }
  });
});

describe("memory that flash needs", () => {
  it("keeps the space behind in its name", () => {
    fc.assert(
      fc.property(
        fc.option(fc.double({ min: 0.001, max: 1e6, noNaN: true })),
        (gib) => {
          const text_ = writeFlashMetadata({ name: "sce", gib: gib ?? undefined });
          const found = readFlashMetadata(text_);
          expect(found.name).toBe("sce");
          expect(parse(metadataName.schema, text_)).toBe(text_);
          if (gib === null) {
            expect(found.gib).toBeUndefined();
          } else {
            expect(found.gib).toBeCloseTo(gib, 4);
          }
        },
      ),
    );
    expect(is(metadataName.schema, "sce:1TB")).toBe(false);
  });

  it("keeps what an entry takes, as stated, in its name", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 1e6, noNaN: true }),
        fc.option(fc.double({ min: 0.001, max: 1e6, noNaN: true })),
        (entryBytes, unit) => {
          const text_ = writeFlashMetadata({
            name: "stated",
            entryBytes,
            unitKib: unit ?? undefined,
          });
          expect(parse(metadataName.schema, text_)).toBe(text_);
          const found = readFlashMetadata(text_);
          expect(found.name).toBe("stated");
          expect(found.gib).toBeUndefined();
          expect(found.entryBytes).toBeCloseTo(entryBytes, 4);
          if (unit === null) {
            expect(found.unitKib).toBeUndefined();
          } else {
            expect(found.unitKib).toBeCloseTo(unit, 4);
          }
        },
      ),
    );
    expect(is(metadataName.schema, "stated:32B/4KB")).toBe(false);
  });
});
