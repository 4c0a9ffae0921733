import { describe, expect, it } from "vitest";
import type { BillOut, PriceSeriesOut } from "@/api/purchasable";
import { readRange } from "@/components/number-field";
import { renderThemed } from "@/testing/render";
import { cents } from "@/units/quantity";
import { BillFound } from "./bill";
import { billOf, formOf, NO_CARBON, searchOf, USUAL_BILL, withLine } from "./bill-form";
import { priceFinding, priceLines, yearOf } from "./price-series";

const side = (lines: readonly unknown[], parts: object = {}) => ({
  lines,
  usd_per_month: "0.00",
  purchase_usd: "0.00",
  total_usd: "0.00",
  horizon_months: 36,
  finding: "A bill.",
  violations: [],
  unpriced: [],
  warnings: [],
  cautions: [],
  validity: "list prices",
  ways: [
    {
      name: "aws-i4i.4xlarge",
      usd_per_month: "181.92",
      purchase_usd: "0.00",
      total_usd: "6549.12",
    },
  ],
  break_even_months: null,
  against: null,
  carbon: null,
  ...parts,
});

const line = (what: string, parts: object = {}) => ({
  what,
  quantity: 13_000,
  unit: "USD/IOPS/month",
  unit_price: "0.005",
  date: "2024-07-01",
  usd_per_month: "65.00",
  purchase_usd: "0.00",
  note: "",
  ...parts,
});

describe("the bill", () => {
  it("shows lines, sums to the cent, and the limit that is exceeded", async () => {
    const found = side(
      [line("aws-ebs-gp3, IOPS"), line("chassis", { unit_price: null })],
      {
        usd_per_month: "181.92",
        unpriced: ["chassis"],
        violations: [
          {
            name: "instance_iops",
            where: "aws-i4i.4xlarge",
            message: "the burst of 40,000 is not sustained",
            hint: "choose a larger one",
          },
        ],
      },
    );
    const { container } = await renderThemed(
      <BillFound found={found as unknown as BillOut} />,
    );
    const text = container.textContent;
    expect(text).toContain("aws-ebs-gp3, IOPS");
    expect(text).toContain("Sum: 181.92 USD per month, 0.00 USD at purchase");
    expect(text).toContain("a lower bound");
    expect(text).toContain("the burst of 40,000 is not sustained.");
  });

  it("shows carbon as a range, with what it leaves out, and nothing without factors", async () => {
    const carbon = {
      sentence:
        "Over 36 months what is counted causes 365 to 730 kg CO2e. Not counted: making of RAM.",
      lines: [
        {
          what: "electricity",
          kind: "operational",
          quantity: 1460,
          unit: "kWh",
          kg_per_unit: [0.25, 0.5],
          kg: [365, 730],
          note: "200 W a machine",
        },
      ],
      not_counted: [{ what: "making of RAM", reason: "no factor of it is stated" }],
    };
    const shown = await renderThemed(
      <BillFound found={side([], { carbon }) as unknown as BillOut} />,
    );
    const text = shown.container.textContent;
    expect(text).toContain("causes 365 to 730 kg CO2e. Not counted: making of RAM.");
    expect(text).toContain("0.25 to 0.5");
    expect(text).toContain("Making of RAM: no factor of it is stated");
    const plain = await renderThemed(
      <BillFound found={side([]) as unknown as BillOut} />,
    );
    expect(plain.container.textContent).not.toContain("CO2e");
  });

  it.each([
    ["0.2 to 0.4", [0.2, 0.4]],
    ["1,000-2,000", [1000, 2000]],
    ["0..1.5", [0, 1.5]],
    ["3 – 3", [3, 3]],
  ])("reads %s as a range", (text, ends) => {
    expect(readRange(text, { min: 0, max: 1e6 })).toEqual({ ok: true, value: ends });
  });

  it.each([
    ["0.3", "enter two numbers from 0 to 1,000,000, such as 2 to 4"],
    ["-1 to 2", "enter two numbers"],
    ["1 to many", "enter two numbers"],
    ["4 to 2", "enter the low end first"],
  ])("refuses %s with the next step", (text, hint) => {
    const read = readRange(text, { min: 0, max: 1e6 });
    expect(read).toEqual({ ok: false, error: expect.stringContaining(hint) });
  });

  it("asks for the carbon factors that are stated, of both ways", () => {
    expect(billOf(USUAL_BILL)).not.toHaveProperty("carbon");
    const factors = { kg_per_kwh: [0.2, 0.4], kg_per_gb_ram: [0, 1] } as const;
    const asked = billOf({
      ...USUAL_BILL,
      usdPerKwh: 0,
      pue: 1.1,
      rentedWatts: 200,
      carbon: { ...NO_CARBON, ...factors },
    });
    expect(asked.carbon).toEqual(factors);
    expect(asked.power).toEqual({ watts: 200, pue: 1.1 });
    expect(asked.against?.carbon).toEqual(factors);
    // Without a price of electricity its carbon is counted all the same.
    expect(asked.against?.power).toEqual({ watts: 400, pue: 1.1 });
  });

  it("asks for what the fields hold, and leaves out what is nothing", () => {
    const [chassis, dimm, drive] = USUAL_BILL.parts;
    const asked = billOf({
      ...USUAL_BILL,
      parts: [
        { ...chassis, usd: 9000 },
        dimm,
        { ...drive, quantity: 0 },
      ] as typeof USUAL_BILL.parts,
      usdPerKwh: 0,
    });
    expect(asked.against?.part).toEqual([
      { id: "chassis-dell-r760", quantity: 1, usd: 9000 },
      { id: "dimm-ddr5-rdimm-64gb", quantity: 2 },
    ]);
    expect(asked).not.toHaveProperty("volume");
    expect(asked.against).not.toHaveProperty("power");
    expect(billOf({ ...USUAL_BILL, parts: [] })).not.toHaveProperty("against");
    const line = { id: "aws-ebs-gp3", quantity: 2, sizeGib: 100, mbPerS: null };
    const volumes = [{ ...line, iops: 4000 }];
    expect(billOf({ ...USUAL_BILL, volumes }).volume).toEqual([
      { id: "aws-ebs-gp3", quantity: 2, size_gib: 100, iops: 4000 },
    ]);
    expect(cents("1234.5")).toBe("1,234.50");
  });

  it("stands in the address, line by line", () => {
    expect(formOf({})).toEqual(USUAL_BILL);
    const form = {
      server: "aws-r8g.4xlarge",
      machines: 3,
      months: 60,
      volumes: [
        { id: "aws-ebs-gp3", quantity: 1, sizeGib: 512, iops: null, mbPerS: null },
        { id: "aws-ebs-io2", quantity: 2, sizeGib: 64, iops: 9000, mbPerS: null },
      ],
      parts: [],
      watts: 250,
      usdPerKwh: 0.3,
      pue: 1.2,
      rentedWatts: 300,
      carbon: { ...NO_CARBON, kg_per_kwh: [0.2, 0.4], kg_per_machine: [900, 900] },
    } as const;
    expect(formOf(searchOf(form))).toEqual(form);
    expect(searchOf({ months: 12 })).toEqual({ bill_months: 12 });
    // An emptied field leaves the address.
    expect(formOf({ ...searchOf(form), ...searchOf({ carbon: NO_CARBON }) })).toEqual({
      ...form,
      carbon: NO_CARBON,
    });
    expect(withLine(["a", "b", "c"], 1, "x")).toEqual(["a", "x", "c"]);
    expect(withLine(["a", "b", "c"], 1, null)).toEqual(["a", "c"]);
  });
});

const point = (date: string, price: string | null, forecast = false) => ({
  date,
  usd_per_gb: price,
  forecast,
});

const SERIES = [
  {
    id: "other",
    name: "DRAM, single prices",
    kind: "dram",
    joinable: false,
    points: [point("2024-Q3", null), point("2026-05", "19.2")],
  },
  {
    id: "contract",
    name: "64 GB module",
    kind: "dram",
    joinable: true,
    points: [
      point("2025-Q3", "4"),
      point("2026-Q1", "12"),
      point("2026-Q4", "24", true),
    ],
  },
] as unknown as readonly PriceSeriesOut[];

describe("prices over time", () => {
  it("are joined by a line only where they may be", () => {
    const lines = priceLines(SERIES, "dram", "light");
    expect(lines.map(({ name, line: joined }) => [name, joined])).toEqual([
      ["64 GB module", true],
      ["forecast", false],
      ["single prices, not joinable", false],
    ]);
    expect(lines.map(({ points }) => points.length)).toEqual([2, 1, 1]);
  });

  it("say first against last of what was paid, upwards and downwards", () => {
    expect(priceFinding(SERIES, "dram")).toBe(
      "64 GB module: 3.0 times as much in 2026-Q1 as in 2025-Q3",
    );
    const [, contract] = SERIES;
    const falling = [
      { ...contract, points: [point("2014", "2"), point("2020", "1")] },
    ] as unknown as readonly PriceSeriesOut[];
    expect(priceFinding(falling, "dram")).toBe(
      "64 GB module: in 2020 50 % of the price of 2014",
    );
    expect(priceFinding(SERIES, "hdd")).toBeNull();
  });

  it("stand in the middle of the time that their date names", () => {
    expect(yearOf("2025-Q1")).toBe(2025.125);
    expect(yearOf("2025")).toBe(2025.5);
    expect(yearOf("2026-01-15")).toBeCloseTo(2026.042, 3);
  });
});
