import { expect, it } from "vitest";
import { renderThemed } from "@/testing/render";
import { useLightPrint } from "./use-light-print";

function Printed() {
  useLightPrint();
  return <p>Answer</p>;
}

it("is printed in light colours, and dark on the screen again", async () => {
  const screen = await renderThemed(<Printed />);
  await expect.element(screen.getByText("Answer")).toBeVisible();
  const root = document.documentElement;
  root.setAttribute("data-mantine-color-scheme", "dark");
  window.dispatchEvent(new Event("beforeprint"));
  expect(root.getAttribute("data-mantine-color-scheme")).toBe("light");
  window.dispatchEvent(new Event("afterprint"));
  expect(root.getAttribute("data-mantine-color-scheme")).toBe("dark");
  root.setAttribute("data-mantine-color-scheme", "light");
});
