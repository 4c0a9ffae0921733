import { expect, test } from "vitest";
import type { EvaluationOut } from "@/api/compare";
import {
  countedBy,
  evidenceRows,
  rateRows,
  resultRows,
  type Side,
} from "./side-by-side-page";

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

const side = (name: string, replayed: number | null): Side =>
  ({
    scenario: { id: name, name },
    evaluation: {
      decided_by: replayed === null ? "model" : "replay",
      best: "lazy",
      schemes: [
        {
          scheme: "lazy",
          title: "Lazy",
          io_time_us_per_access: 848,
          flash_writes_per_access: 0.1,
          money: { usd_per_month: "0.01" },
          replayed:
            replayed === null
              ? null
              : { io_time_us_per_access: replayed, flash_writes_per_access: 0.2 },
        },
      ],
    },
  }) as unknown as Side;

test("a scenario that a replay decided shows the figures that Compare shows", () => {
  const rows = resultRows(side("one", 849), side("other", null));
  expect(rows[0]).toMatchObject({ first: 849, second: 848 });
  expect(rows[1]).toMatchObject({ first: 0.2, second: 0.1 });
  expect(countedBy(side("one", 849), side("other", null))).toBe(
    "one replayed, other by the model",
  );
  expect(countedBy(side("one", 849), side("other", 7))).toBe("both replayed");
  expect(countedBy(side("one", null), side("other", null))).toBe("both by the model");
});

test("the class of a curve from counters is a row of the inputs, which the export holds", () => {
  const [points, given] = ["curve_from_points", "given_curve"].map(
    (code) => ({ cautions: [{ code }] }) as unknown as EvaluationOut,
  ) as [EvaluationOut, EvaluationOut];
  const both = [points, given];
  expect(evidenceRows(points, both)).toEqual([["Evidence of the curve", "points"]]);
  expect(evidenceRows(given, both)).toEqual([
    ["Evidence of the curve", "not from counters"],
  ]);
  // Of curves from recordings alone the row would say nothing.
  expect(evidenceRows(given, [given, given])).toEqual([]);
});
