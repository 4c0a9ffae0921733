import { expect, test } from "vitest";
import type { EvaluationOut } from "@/api/evaluations";
import { rateRows } from "./side-by-side-page";

test("costs in another currency stand beside their rate, those in dollars need none", () => {
  const exchange_rate = {
    currency: "EUR",
    per_usd: "0.8",
    date: "2026-09-30",
    source: "European Central Bank",
  };
  expect(rateRows({ exchange_rate } as unknown as EvaluationOut)).toEqual([
    ["Exchange rate [EUR per USD]", "0.8"],
    ["Date of the exchange rate", "2026-09-30"],
    ["Source of the exchange rate", "European Central Bank"],
  ]);
  expect(rateRows({} as unknown as EvaluationOut)).toEqual([]);
});
