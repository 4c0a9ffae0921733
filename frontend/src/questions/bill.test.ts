import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BILL_BOUNDS,
  MOST_LINES,
  parseBillSearch,
  readEnds,
  readParts,
  readVolumes,
  writeEnds,
  writeParts,
  writeVolumes,
} from "./bill";

const id = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,30}$/);
const quantity = fc.integer({ min: 0, max: BILL_BOUNDS.quantity.high });
const amount = (high: number) => fc.double({ min: 0, max: high, noNaN: true });
const stated = (high: number) => fc.option(amount(high));

describe("lines of a bill in an address", () => {
  it("come back as they were written", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            id,
            quantity,
            sizeGib: fc.double({ min: 1, max: 1e9, noNaN: true }),
            iops: stated(1e9),
            mbPerS: stated(1e9),
          }),
          { maxLength: MOST_LINES },
        ),
        (lines) => {
          const text = writeVolumes(lines);
          expect(readVolumes(text)).toEqual(lines.map((one) => ({ ...one })));
          expect(parseBillSearch({ bill_volumes: text })).toMatchObject({
            bill_volumes: text,
          });
        },
      ),
    );
    fc.assert(
      fc.property(
        fc.array(fc.record({ id, quantity, usd: stated(1e9) }), {
          maxLength: MOST_LINES,
        }),
        (lines) => {
          expect(readParts(writeParts(lines))).toEqual(lines);
        },
      ),
    );
  });

  it("has ranges that come back as they were written", () => {
    fc.assert(
      fc.property(amount(1e6), amount(1e6), (one, other) => {
        const ends = [Math.min(one, other), Math.max(one, other)] as const;
        const text = writeEnds(ends);
        expect(readEnds(text, BILL_BOUNDS.carbon.kg_per_kwh)).toEqual(ends);
        expect(parseBillSearch({ bill_kg_per_kwh: text })).toMatchObject({
          bill_kg_per_kwh: text,
        });
      }),
    );
  });

  it("are short, and none is a word", () => {
    const volume = { id: "aws-ebs-gp3", quantity: 2, sizeGib: 1024 };
    expect(writeVolumes([{ ...volume, iops: null, mbPerS: 125 }])).toBe(
      "aws-ebs-gp3:2:1024::125",
    );
    expect(writeVolumes([{ ...volume, iops: 3000, mbPerS: null }])).toBe(
      "aws-ebs-gp3:2:1024:3000",
    );
    expect(writeParts([])).toBe("none");
    expect(readParts("none")).toEqual([]);
  });

  it.each([
    ["bill_volumes", "aws-ebs-gp3"],
    ["bill_volumes", "aws-ebs-gp3:1:0"],
    ["bill_volumes", "aws-ebs-gp3:1:10:-5"],
    ["bill_volumes", "aws-ebs-gp3:1:10:5:5:5"],
    ["bill_volumes", Array.from({ length: 13 }, () => "a:1:1").join(",")],
    ["bill_parts", "dimm:1.5"],
    ["bill_parts", "dimm:x"],
    ["bill_parts", "DIMM:1"],
    ["bill_parts", 7],
    ["bill_machines", 0],
    ["bill_months", 1.5],
    ["bill_watts", -1],
    ["bill_pue", 0.5],
    ["bill_kg_per_kwh", 0.3],
    ["bill_kg_per_kwh", "0.4..0.2"],
    ["bill_kg_per_kwh", "0.2.."],
    ["bill_kg_per_gb_ram", "..2"],
    ["bill_kg_per_machine", "-1..2"],
    ["bill_kg_per_machine", "1..1000001"],
  ])("%s of %s is left out and named", (name, value) => {
    const found = parseBillSearch({ [name]: value });
    expect(found[name as keyof typeof found]).toBeUndefined();
    expect(found.refused).toContain(`${name}=`);
  });
});
