import { describe, expect, it } from "vitest";
import { billSearch, parseBillSearch, readParts, readVolumes } from "@/questions/bill";
import { configurationsOf, USUAL_CONFIGURATIONS } from "./configurations-form";

describe("what can be bought", () => {
  it("is asked with what the fields hold, and without what is not stated", () => {
    expect(configurationsOf(USUAL_CONFIGURATIONS)).toEqual({
      horizon_months: 36,
      max_machines: 8,
      reserved_gib: 4,
    });
    const stated = {
      ...USUAL_CONFIGURATIONS,
      chassisUsd: 9000,
      usdPerKwh: 0.12,
      watts: 450,
      mostUsd: 2000,
      mostUs: 5,
    };
    expect(configurationsOf(stated)).toMatchObject({
      part_usd: { chassis: 9000 },
      usd_per_kwh: 0.12,
      watts: 450,
      max_usd_per_month: 2000,
      max_io_us: 5,
    });
  });

  it("opens the bill of what is rented, and of what is bought", () => {
    const rented = billSearch({
      config: {
        machines: 2,
        horizon_months: 24,
        server: "aws-i4i.4xlarge",
        volume: [{ id: "aws-ebs-gp3", quantity: 3, size_gib: 2048, iops: 3000 }],
        reserved_ram: [{ what: "the system", gib: 4 }],
      },
    });
    expect(parseBillSearch({ ...rented }).refused).toBeUndefined();
    expect(rented).toMatchObject({
      bill_machines: 2,
      bill_months: 24,
      bill_server: "aws-i4i.4xlarge",
      bill_parts: "none",
    });
    expect(readVolumes(rented.bill_volumes ?? "")).toEqual([
      { id: "aws-ebs-gp3", quantity: 3, sizeGib: 2048, iops: 3000, mbPerS: null },
    ]);
    const bought = billSearch({
      config: {
        machines: 1,
        horizon_months: 36,
        part: [
          { id: "chassis-dell-r760", usd: "9000.50", quantity: 1 },
          { id: "dimm-ddr5-rdimm-64gb", quantity: 8 },
        ],
        power: { usd_per_kwh: 0.12, watts: 450, pue: 1.5 },
      },
    });
    expect(bought.bill_volumes).toBe("none");
    expect(readParts(bought.bill_parts ?? "")).toEqual([
      { id: "chassis-dell-r760", quantity: 1, usd: 9000.5 },
      { id: "dimm-ddr5-rdimm-64gb", quantity: 8, usd: null },
    ]);
    expect(bought).toMatchObject({ bill_watts: 450, bill_usd_per_kwh: 0.12 });
    const unpowered = billSearch({
      config: { machines: 1, part: [{ id: "chassis-dell-r760", quantity: 1 }] },
    });
    expect(unpowered.bill_usd_per_kwh).toBe(0);
  });
});
