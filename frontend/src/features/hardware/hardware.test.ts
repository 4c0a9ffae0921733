import { describe, expect, it } from "vitest";
import { bookLabel, type DeviceOut, type PriceBookOut } from "@/api/catalog";
import { assumedText, chartFinding, pricedDevice } from "./device-chart";
import { missingReason, sortDevices } from "./device-facts";
import { deviceFaults, deviceOfForm, emptyFigure, formOfDevice } from "./device-form";
import {
  bookFaults,
  bookOfForm,
  formOfBook,
  rateRow,
  startingRate,
  statedAmount,
  statedUnit,
} from "./price-book-form";

const READS = {
  value: 500_000,
  unit: "1/s",
  source: "sheet",
  date: "2020-Q1",
  note: "",
  assumed: false,
};

const device = (change: Partial<DeviceOut>): DeviceOut => ({
  id: "d",
  name: "Drive",
  kind: "nvme",
  origin: "shipped",
  year: 2020,
  sold_as: "device",
  product: "drive-2tb",
  capacity_bytes: null,
  page_bytes: 4096,
  queue_depth: null,
  figures: {
    read_iops: { ...READS, low: null, high: null },
  },
  read_service_us: 2,
  write_service_us: null,
  service_basis: "1/IOPS",
  service_page_bytes: 4096,
  measurements: [],
  service_times: {},
  waiting_times: {},
  usd_per_gb: "0.25",
  usd_per_gb_month: null,
  price_date: "2020",
  roles: ["flash"],
  answers: [],
  missing: ["write_iops: needed for write times"],
  assumed: [],
  notes: "",
  updated_at: null,
  etag: null,
  ...change,
});

const book: PriceBookOut = {
  id: "b",
  name: "Book",
  origin: "own",
  date: "2026-11",
  region: "",
  currency: "USD",
  exchange_rates: [],
  imported: false,
  notes: "",
  default: false,
  retired: "",
  absent: [],
  rents: [],
  prices: [
    {
      device_id: null,
      kind: "nvme",
      usd: "0.40",
      stated: null,
      unit: "USD/GiB",
      usd_per_gb: "0.3725",
      usd_per_gb_month: null,
      low: null,
      high: null,
      source: "quote",
      date: null,
      note: "",
    },
  ],
  updated_at: null,
  etag: null,
};

describe("a device's form", () => {
  it("gives back the device it was made of", () => {
    const input = deviceOfForm(formOfDevice(device({})));
    expect(input).toEqual({
      name: "Drive",
      kind: "nvme",
      year: 2020,
      sold_as: "device",
      product: "drive-2tb",
      notes: "",
      figures: { read_iops: READS },
    });
    expect(deviceFaults(formOfDevice(device({})))).toEqual({});
  });

  it("names the field of every fault and keeps what was typed", () => {
    const form = formOfDevice(device({}));
    form.name = " ";
    form.year = "soon";
    form.figures.push({
      ...emptyFigure("x"),
      name: "read_iops",
      value: "many",
      date: "1.2.",
    });
    expect(Object.keys(deviceFaults(form)).sort()).toEqual([
      "figures.1.date",
      "figures.1.name",
      "figures.1.unit",
      "figures.1.value",
      "name",
      "year",
    ]);
    expect(form.figures[1]?.value).toBe("many");
  });
});

describe("a price book's form", () => {
  it("keeps the unit a price was quoted in", () => {
    const input = bookOfForm(formOfBook(book));
    expect(input.prices[0]).toMatchObject({ kind: "nvme", per_gib: "0.40" });
    expect(input.prices[0]).not.toHaveProperty("per_gb");
    expect(bookFaults(formOfBook(book))).toEqual({});
  });

  it("keeps a book in euros in euros, at its own rates", () => {
    const rates = [
      { currency: "EUR", per_usd: "0.8", date: "2026-09-01", source: "our bank" },
      { currency: "GBP", per_usd: "0.7", date: "2026-09-02", source: "our bank" },
    ].map((rate) => ({ ...rate, caution: null }));
    const euros: PriceBookOut = {
      ...book,
      currency: "EUR",
      exchange_rates: rates,
      prices: book.prices.map((price) => ({ ...price, usd: "0.50", stated: "0.40" })),
    };
    const form = formOfBook(euros);
    expect(bookFaults(form)).toEqual({});
    const input = bookOfForm(form);
    expect(input).toMatchObject({
      currency: "EUR",
      exchange_rates: rates.map(({ caution: _, ...rate }) => rate),
    });
    expect(input.prices[0]).toMatchObject({ kind: "nvme", per_gib: "0.40" });
    expect(
      Object.keys(input.prices[0] ?? {}).some((key) => key.startsWith("usd")),
    ).toBe(false);
    // What the server makes of it opens as the same form again.
    const kept = input.exchange_rates?.map((rate) => ({
      ...rate,
      per_usd: String(rate.per_usd),
      caution: null,
    }));
    expect(formOfBook({ ...euros, exchange_rates: kept ?? [] })).toEqual(form);
    const stated = euros.prices[0] as PriceBookOut["prices"][number];
    expect([statedAmount(stated), statedUnit(stated, euros.currency)]).toEqual([
      "0.40",
      "EUR/GiB",
    ]);
  });

  it("keeps the rents of a book, in its currency", () => {
    const rent = {
      instance: "aws-i4i.4xlarge",
      volume: null,
      figure: "usd_per_hour" as const,
      usd: "1",
      stated: null,
      unit: "USD/hour",
      source: "our contract",
      date: "2026-10-01",
      region: "eu-central-1",
      note: "",
    };
    const input = bookOfForm(formOfBook({ ...book, rents: [rent] }));
    expect(input.rents).toEqual([
      {
        instance: "aws-i4i.4xlarge",
        usd_per_hour: "1",
        source: "our contract",
        date: "2026-10-01",
        region: "eu-central-1",
        note: "",
      },
    ]);
    const euros = { ...book, currency: "EUR", rents: [{ ...rent, stated: "0.88" }] };
    expect(bookOfForm(formOfBook(euros)).rents?.[0]).toMatchObject({
      per_hour: "0.88",
    });
    expect(bookOfForm(formOfBook(euros)).rents?.[0]).not.toHaveProperty("usd_per_hour");
    expect(bookOfForm(formOfBook(book))).not.toHaveProperty("rents");
  });

  it("keeps the range of a price until the price is another", () => {
    const [first] = book.prices as [PriceBookOut["prices"][number]];
    const ranged = { ...book, prices: [{ ...first, low: "0.30", high: "0.55" }] };
    const form = formOfBook(ranged);
    expect(bookOfForm(form).prices[0]).toMatchObject({ low: "0.30", high: "0.55" });
    form.prices = form.prices.map((row) => ({ ...row, amount: "0.90" }));
    expect(bookOfForm(form).prices[0]).not.toHaveProperty("low");
    expect(bookOfForm(formOfBook(book)).prices[0]).not.toHaveProperty("low");
  });

  it("keeps a book in dollars in dollars, without a rate", () => {
    const input = bookOfForm(formOfBook(book));
    expect(input).toMatchObject({ currency: "USD", exchange_rates: [] });
    const stated = book.prices[0] as PriceBookOut["prices"][number];
    expect([statedAmount(stated), statedUnit(stated, book.currency)]).toEqual([
      "0.40",
      "USD/GiB",
    ]);
  });

  it("starts from a rate that a book can hold, and keeps those of a book", () => {
    const known = {
      per_usd: "0.8806693086745926904447380009",
      date: "2026-09",
      source: "b",
    };
    expect(startingRate("1", "EUR", known).perUsd).toBe("0.8806693");
    expect(startingRate("1", "EUR").perUsd).toBe("");
    expect(rateRow("1", "EUR", { ...known, per_usd: "0.880669308674" }).perUsd).toBe(
      "0.880669308674",
    );
  });

  it("wants the rate of its currency, and each rate whole and once", () => {
    const form = formOfBook({ ...book, currency: "EUR" });
    expect(bookFaults(form)).toEqual({ currency: "add the exchange rate of EUR" });
    form.rates = [rateRow("1", "EUR"), rateRow("2", "USD")];
    expect(Object.keys(bookFaults(form)).sort()).toEqual([
      "rates.0.date",
      "rates.0.perUsd",
      "rates.0.source",
      "rates.1.currency",
      "rates.1.date",
      "rates.1.perUsd",
      "rates.1.source",
    ]);
    const known = { per_usd: "0.8", date: "2026-09", source: "our bank" };
    form.rates = [rateRow("1", "EUR", known), rateRow("2", "EUR", known)];
    expect(bookFaults(form)).toEqual({ "rates.1.currency": "EUR already has a rate" });
    form.rates = [rateRow("1", "EUR", { ...known, per_usd: "0" })];
    expect(Object.keys(bookFaults(form))).toEqual(["rates.0.perUsd"]);
  });

  it("wants a date, a target, an amount and a source", () => {
    expect(Object.keys(bookFaults(formOfBook(null))).sort()).toEqual([
      "date",
      "name",
      "prices.0.amount",
      "prices.0.source",
      "prices.0.target",
    ]);
  });
});

describe("the name of a book in a list", () => {
  it("has the date, unless it says the year", () => {
    expect(bookLabel({ ...book, date: "2026-11" })).toBe("Book (2026-11)");
    expect(bookLabel({ ...book, name: "Prices of May 2026", date: "2026-05" })).toBe(
      "Prices of May 2026",
    );
    expect(bookLabel({ ...book, name: "May 2025", retired: "withdrawn" })).toBe(
      "May 2025 (2026-11, retired)",
    );
  });
});

describe("the chart of devices", () => {
  it("takes the book's price, or the device's own when no book is chosen", () => {
    expect(pricedDevice(device({}), book)?.usdPerGb).toBe(0.3725);
    expect(pricedDevice(device({}), undefined)?.usdPerGb).toBe(0.25);
    expect(pricedDevice(device({ kind: "hdd" }), book)).toBeNull();
    expect(pricedDevice(device({ read_service_us: null }), book)).toBeNull();
  });

  it("says how many hollow marks there are, and nothing where there is none", () => {
    const priced = (changes: Partial<DeviceOut>[]) =>
      changes.flatMap((change) => pricedDevice(device(change), undefined) ?? []);
    expect(assumedText(priced([{}]))).toBe("");
    expect(assumedText(priced([{}, { assumed: ["seek_read_ms"] }]))).toBe(
      "Hollow mark: one device whose seek time is an assumption. ",
    );
    expect(assumedText(priced([{ assumed: ["dwpd"] }]))).toBe("");
    expect(
      assumedText(
        priced([{ assumed: ["half_rotation_ms"] }, { assumed: ["seek_read_ms"] }]),
      ),
    ).toContain("2 devices whose");
  });

  it("compares two ticked devices in a sentence", () => {
    const priced = [
      device({ id: "fast", name: "Fast", usd_per_gb: "1" }),
      device({ id: "slow", name: "Slow", usd_per_gb: "0.25", read_service_us: 200 }),
    ].flatMap((one) => pricedDevice(one, undefined) ?? []);
    expect(chartFinding(priced, ["fast", "slow"])).toBe(
      "A random read keeps Slow busy 100 times as long as Fast; a GB costs 4 times as much on Fast",
    );
    // The faster one may be the cheaper, and neither may be faster.
    const cheap = priced.map((one) =>
      one.device.id === "fast" ? { ...one, usdPerGb: 0.05 } : one,
    );
    expect(chartFinding(cheap, ["fast", "slow"])).toContain(
      "a GB costs 5 times as much on Slow",
    );
    const equal = priced.map((one) => ({ ...one, readServiceUs: 2, usdPerGb: 1 }));
    expect(chartFinding(equal, ["fast", "slow"])).toBe(
      "A random read keeps Fast and Slow busy equally long; a GB costs the same on both",
    );
    expect(chartFinding(priced, [])).toContain("2 devices");
    // Medians of time and of price may be those of two drives: no drive is named.
    const kinds = priced.map((one) => ({
      ...one,
      device: { ...one.device, kind: one.device.id === "slow" ? "hdd" : "nvme" },
    }));
    expect(chartFinding(kinds, [])).toBe(
      "The median busy time of a random read is 100 times as long on hard disks as on NVMe drives; the median price per GB is 4 times as high on NVMe drives",
    );
    const odd = kinds.map((one) => ({
      ...one,
      device: { ...one.device, kind: one.device.id === "slow" ? "nvme" : "hdd" },
    }));
    expect(chartFinding(odd, [])).toContain("2 devices by price and speed");
  });
});

describe("the table of devices", () => {
  it("puts devices that lack the figure last", () => {
    const list = [
      device({ id: "1", write_service_us: null }),
      device({ id: "2", write_service_us: 9 }),
      device({ id: "3", write_service_us: 1 }),
    ];
    expect(sortDevices(list, "write").map((one) => one.id)).toEqual(["3", "2", "1"]);
  });

  it("says what is missing", () => {
    expect(missingReason(device({}), "write")).toContain("write_iops");
    expect(missingReason(device({ missing: [] }), "price")).toBe(
      "not stated by the source",
    );
  });
});
