import { afterEach, describe, expect, it } from "vitest";
import {
  converted,
  currencyCode,
  inCurrencyShown,
  moneyQuery,
  ownRate,
  perDollar,
  rateText,
  shownCurrency,
  statedRate,
} from "./currency";
import {
  cents,
  formatAmount,
  formatMoney,
  formatPrice,
  unbroken,
  usd,
} from "./quantity";

const RATE = {
  currency: "EUR",
  per_usd: "0.8",
  date: "2026-09-30",
  source: "European Central Bank",
};

const at = (search: string) => window.history.replaceState(null, "", `/${search}`);

afterEach(() => at(""));

describe("the currency of the address", () => {
  it("is the dollar unless another is named", () => {
    expect(shownCurrency()).toBe("USD");
    expect(moneyQuery()).toEqual({});
    at("?currency=EUR");
    expect(shownCurrency()).toBe("EUR");
    expect(moneyQuery()).toEqual({ currency: "EUR" });
    expect(formatAmount(usd(12.5))).toBe("12.50 EUR");
    expect(cents("51802.704")).toBe("51,802.70");
    at("?currency=JPY");
    expect(cents("51802.704")).toBe("51,803");
    at("?currency=euros");
    expect(shownCurrency()).toBe("USD");
  });

  it("takes a rate of one's own with it, and only with a currency", () => {
    at("?currency=EUR&per_usd=0.9%402026-01-31");
    expect(moneyQuery()).toEqual({ currency: "EUR", per_usd: "0.9@2026-01-31" });
    at("?per_usd=0.9%402026-01-31");
    expect(moneyQuery()).toEqual({});
    expect(statedRate("0.9")).toBeUndefined();
    expect(currencyCode("USD")).toBeUndefined();
  });
});

describe("an answer in another currency", () => {
  const answer = {
    money: { usd_per_month: "10", eur_per_month: "8", reason: null },
    grid: [{ purchase_usd: null, purchase_eur: null }],
    spent_usd: ["1", "2"],
    spent_eur: ["0.8", "1.6"],
    dram_next: [4],
    price_times_time: 100,
    io_time_us: 3,
    exchange_rate: RATE,
  };

  it("has every amount in it, and nothing else changed", () => {
    expect(inCurrencyShown(answer)).toMatchObject({
      money: { usd_per_month: "8", reason: null },
      grid: [{ purchase_usd: null }],
      spent_usd: ["0.8", "1.6"],
      // What a dollar gains, a euro gains more of: it buys more.
      dram_next: [5],
      price_times_time: 80,
      io_time_us: 3,
      exchange_rate: RATE,
    });
    expect(perDollar(answer)).toBe(0.8);
  });

  it("stays as it is in dollars", () => {
    const { exchange_rate: _, ...dollars } = answer;
    expect(inCurrencyShown(dollars)).toBe(dollars);
    expect(perDollar(dollars)).toBe(1);
  });
});

describe("a rate", () => {
  it("is said with its day and the first line of its source", () => {
    expect(rateText({ ...RATE, source: "European Central Bank; noon" })).toBe(
      "1 USD = 0.8 EUR on 2026-09-30. European Central Bank.",
    );
  });

  it("has three digits behind the point, however many before it", () => {
    const said = (per_usd: string) => rateText({ ...RATE, per_usd, source: "" });
    expect(said("156.9969176574")).toContain("1 USD = 156.997 EUR");
    expect(said("0.88066930867")).toContain("1 USD = 0.88067 EUR");
    expect(said("16234.5678")).toContain("1 USD = 16,234.568 EUR");
  });

  it("is the user's own where the address states it", () => {
    at("?currency=EUR&per_usd=0.9%402026-01-31");
    expect(ownRate()).toMatchObject({ per_usd: "0.9", date: "2026-01-31" });
    expect(converted(2, ownRate())).toBe(1.8);
    at("?currency=EUR");
    expect(ownRate()).toBeNull();
    expect(converted(2, null)).toBe(2);
  });
});

describe("a price of capacity", () => {
  it("under a cent is that of a thousand, by the unit it is of", () => {
    expect(formatPrice(usd(0.004))).toBe("4 per TB");
    expect(formatPrice(usd(0.00390625), "GiB")).toBe("4 per TiB");
    expect(formatPrice(usd(0.04))).toBe("0.0400");
  });
});

describe("an amount", () => {
  it("under a cent is said as such, and one of a cent is not", () => {
    expect(formatMoney(usd(0.00254))).toBe("under 0.01");
    expect(formatMoney(usd(0.01))).toBe("0.0100");
    expect(formatMoney(usd(0))).toBe("0");
  });

  it("does not lose its currency at the end of a line", () => {
    expect(unbroken("costs 12 EUR a month")).toBe("costs 12\u00a0EUR a month");
  });
});
