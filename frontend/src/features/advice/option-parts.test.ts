import { expect, it } from "vitest";
import { withPricedUnit } from "./option-parts";

it.each([
  ["4", "USD/GiB", "4 GiB"],
  ["125", "USD/(MB/s)/month", "125 MB/s"],
  ["3,000", "USD/IOPS/month", "3,000 IOPS"],
  ["2", "USD/hour", "2"],
  ["2", "USD", "2"],
])("a quantity of %s at a price in %s is shown as %s", (quantity, unit, shown) => {
  expect(withPricedUnit(quantity, unit)).toBe(shown);
});
