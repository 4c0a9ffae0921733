import { expect, it } from "vitest";
import { drawSvg } from "./engine";
import { lineOption } from "./line-option";

/** Where the names of markers stand in a drawing as wide as on a phone, as boxes. */
function namesOf(places: readonly number[], log: boolean, max: number) {
  const axis = { name: "x", format: String };
  const box = document.createElement("div");
  box.innerHTML = drawSvg(
    lineOption({
      series: [
        {
          name: "a",
          color: "#000000",
          points: [
            [1, 1],
            [max, 2],
          ],
        },
      ],
      x: { ...axis, log },
      y: axis,
      markers: places.map((x, index) => ({ name: `place ${index}`, x })),
      colors: "light",
    }),
    { width: 340, height: 280 },
    "#ffffff",
  );
  document.body.append(box);
  const names = [...box.querySelectorAll("text")].filter((text) =>
    text.textContent?.startsWith("place"),
  );
  const boxes = names.map((text) => text.getBoundingClientRect());
  box.remove();
  return boxes;
}

const apart = (one: DOMRect, other: DOMRect) =>
  one.right <= other.left ||
  other.right <= one.left ||
  one.bottom <= other.top ||
  other.bottom <= one.top;

it.each([
  ["far from one another", [2, 90], false],
  ["at nearly the same place", [50, 50.1], false],
  ["in the other order", [50.1, 50], false],
  ["three close together", [50, 51, 52], false],
  ["two pairs", [20, 21, 33, 34], false],
  ["two pairs farther apart", [20, 21, 38, 39], false],
  ["five close together", [50, 51, 52, 53, 54], false],
  ["close on a logarithmic axis", [10, 10.5, 12], true],
] as const)("names of lines do not overlap: %s", (_, places, log) => {
  const boxes = namesOf(places, log, 100);
  expect(boxes).toHaveLength(places.length);
  for (const [index, one] of boxes.entries()) {
    expect(one.width).toBeGreaterThan(0);
    for (const other of boxes.slice(index + 1)) {
      expect(apart(one, other)).toBe(true);
    }
  }
});
