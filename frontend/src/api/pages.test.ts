import { expect, test } from "vitest";
import { everyPage, MOST_AT_ONCE } from "./pages";

const listOf = (total: number) => async (page: { limit: number; offset: number }) => ({
  items: Array.from(
    { length: Math.max(0, Math.min(page.limit, total - page.offset)) },
    (_, index) => page.offset + index,
  ),
  total,
});

test.each([0, 1, MOST_AT_ONCE, MOST_AT_ONCE + 1, 3 * MOST_AT_ONCE])(
  "a list of %i is whole",
  async (total) => {
    const found = await everyPage(listOf(total));
    expect(found).toEqual(Array.from({ length: total }, (_, index) => index));
  },
);

test("a list that shrinks meanwhile ends", async () => {
  const found = await everyPage(async ({ offset }) => ({
    items: offset === 0 ? [1] : [],
    total: 2,
  }));
  expect(found).toEqual([1]);
});
