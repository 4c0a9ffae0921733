import { expect, test } from "vitest";
import { renderThemed } from "@/testing/render";
import { Prose } from "./prose";

const text = async (message: string) =>
  (await renderThemed(<Prose text={message} />)).container.querySelector("main")
    ?.textContent;

test("shares are written as on the rest of the page, and code as it is", async () => {
  expect(await text("lazy writes 14% more. ")).toBe("Lazy writes 14\u00a0% more");
  expect(await text("between 0.00 % and `a%`")).toBe("Between 0.00 % and a%");
  expect(await text("use `50%`")).toBe("Use 50%");
});
