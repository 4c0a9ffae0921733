import { describe, expect, it } from "vitest";
import type { WearOut } from "@/api/wear";
import { drawSvg } from "@/charts/engine";
import { rangeBarsOption, rangeText } from "@/charts/range-bars-option";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";
import { parseWearSearch, type WearSearch } from "@/questions/wear";
import {
  lifeBars,
  lifeOf,
  lifeText,
  paidOffText,
  recoveryQuestion,
  wearQuestion,
  wearTable,
  writeBars,
  writesOf,
} from "./question";

const STATE: AnalysisState = {
  workload: "example",
  ram_pages: 300,
  flash_pages: 0,
  flash_device: "ssd",
  disk_device: "disk",
  ram_device: "none",
  price_book: "none",
  months: 36,
  start: "steady",
};

const row = (scheme: string, years: number | null) =>
  ({
    scheme,
    title: scheme,
    flash_writes_per_access: 0.5,
    flash_writes_per_access_range: [0.4, 0.5],
    tb_per_day: 2,
    drive_writes_per_day: 1,
    years,
    years_from: years,
    years_to: years === null ? null : years * 5,
    never_worn_out: false,
    money: null,
    least: null,
  }) satisfies WearOut["schemes"][number];

const wear = (...schemes: WearOut["schemes"]) =>
  ({ schemes, dirty_share: { state: "measured" } }) as unknown as WearOut;

const load = (search: WearSearch & AnalysisSearch, rate: number | null = null) => ({
  rate,
  search,
  given: false,
});

describe("the address of wear and recovery", () => {
  it("names what cannot be used", () => {
    const { refused, ...read } = parseWearSearch({
      rate: -1,
      growth: 0.2,
      devices: 1.5,
      pe_cycles: "many",
      waf_in_place: 0,
      interval: 300,
    });
    const stated = Object.entries(read).filter(([, value]) => value !== undefined);
    expect(Object.fromEntries(stated)).toEqual({ growth: 0.2, interval: 300 });
    for (const name of ["rate", "devices", "pe_cycles", "waf_in_place"]) {
      expect(refused).toContain(`${name}=`);
    }
  });
});

describe("the questions", () => {
  it("ask for the rating or for P/E cycles, never both", () => {
    const rating = wearQuestion(STATE, load({ rated_tb: 600, waf_in_place: 3 }));
    expect(rating.rated_tb).toBe(600);
    expect(rating).not.toHaveProperty("waf_in_place");
    const cycles = wearQuestion(STATE, load({ rated_tb: 600, pe_cycles: 1000 }, 50));
    expect(cycles).not.toHaveProperty("rated_tb");
    expect(cycles.pe_cycles).toBe(1000);
    expect(cycles.accesses_per_s).toBe(50);
    // Write amplification is given or computed, never both.
    const given = wearQuestion(STATE, load({ pe_cycles: 1000, waf_in_place: 2 }, 50));
    expect(given.waf_in_place).toBe(2);
    expect(given).not.toHaveProperty("spare_percent");
    const spare = { pe_cycles: 1000, waf_in_place: 2, spare_percent: 28 };
    const computed = wearQuestion(STATE, load(spare, 50));
    expect(computed).toMatchObject({ spare_percent: 28, collection: null });
    expect(computed).not.toHaveProperty("waf_in_place");
  });

  it("charge metadata, and ask for both ends of a dirty share that nobody stated", () => {
    const charged = wearQuestion(STATE, load({ metadata: "face", dirty_share: 0.3 }));
    expect(charged.flash_metadata).toBe("face");
    expect(charged).not.toHaveProperty("dirty_share");
    const curve = recoveryQuestion(STATE, { ...load({}), given: true });
    expect(curve).toMatchObject({ dirty_share: null, dirty_share_range: true });
  });

  it("never ask about flash of no pages", () => {
    expect(recoveryQuestion(STATE, load({})).flash_pages).toBe(1);
    expect(wearQuestion(STATE, load({})).flash_pages).toBe(1);
  });
});

describe("bars of the life", () => {
  it("are drawn only where every life is known", () => {
    const known = lifeBars(wear(row("lazy", 2), row("exclusive", 1)));
    expect(known?.map(({ low, high }) => [low, high])).toEqual([
      [2, 10],
      [1, 5],
    ]);
    expect(lifeBars(wear(row("lazy", 2), row("exclusive", null)))).toBeNull();
  });

  it("are writes a day otherwise, with the range of the two counts", () => {
    const [bar] = writeBars(wear(row("lazy", null)));
    expect(bar).toMatchObject({ value: 2, low: 1.6, high: 2 });
  });

  it("draw with their range in words", () => {
    for (const colors of ["light", "dark"] as const) {
      const option = rangeBarsOption({
        bars: lifeBars(wear(row("lazy", 2))) ?? [],
        name: "life [years]",
        lowText: "in place",
        highText: "appended",
        colors,
      });
      const svg = drawSvg(option, { width: 500, height: 200 }, "#fff");
      expect(svg).toContain("2.00 to 10.0");
      expect(svg).toContain("lazy");
    }
    expect(rangeText(3, 3)).toBe("3.00");
    expect(rangeText(3, Number.POSITIVE_INFINITY)).toBe("3.00 to ∞");
  });
});

it("the table holds every scheme, unknown figures as a dash", () => {
  const table = wearTable(wear(row("lazy", null)));
  expect(table.rows).toHaveLength(1);
  expect(table.shown[0]?.slice(0, 3)).toEqual(["lazy", "–", "–"]);
  expect(table.header).toHaveLength(table.rows[0]?.length ?? 0);
});

it("what nobody has said is shown as a range", () => {
  const least = {
    flash_writes_per_access: 0.2,
    tb_per_day: 0.5,
    drive_writes_per_day: 0.25,
    years: 8,
    never_worn_out: false,
  };
  expect(lifeOf({ ...row("lazy", 2), least })).toBe("2.00 years to 8.00 years");
  expect(writesOf({ ...row("lazy", 2), least })).toBe("0.5 to 2");
  expect(lifeOf(row("lazy", 2))).toBe("2.00 years");
});

it("lives are said in the unit that suits them", () => {
  expect(lifeText(0.01)).toBe("3.65 days");
  expect(lifeText(0.5)).toBe("6.00 months");
  expect(lifeText(5.25)).toBe("5.25 years");
  expect(lifeText(2e6)).toBe("over 1,000 years");
});

const money = (usd: string | null, limited: boolean) => ({
  usd_per_tb_written: "0.2",
  usd_per_month_written: "20",
  left_usd: "40",
  life_months: 2,
  amortised_usd_per_month: usd,
  wear_limited: limited,
  estimator: "e",
  validity: "v",
});

describe("what wear costs", () => {
  const paid = (...each: ReturnType<typeof money>[]) =>
    paidOffText(wear(...each.map((one, at) => ({ ...row(`s${at}`, 1), money: one }))));

  it("names the schemes under which it wears out before it is paid off", () => {
    expect(paid(money("20", false))).toContain("No scheme wears out the flash");
    const text = paid(money("20", true), money("11", false));
    expect(text).toContain("s0 (20 USD per month for the rest of the price)");
    expect(text).not.toContain("s1");
  });

  it("says where nothing is left to be paid off", () => {
    expect(paid(money(null, true))).toContain("already used up");
  });
});
