import { expect, it } from "vitest";
import { userEvent } from "vitest/browser";
import { renderThemed } from "@/testing/render";
import { useScrollRoom } from "./use-scroll-room";

function Page() {
  const header = useScrollRoom();
  return (
    <>
      <header
        ref={header}
        style={{ position: "sticky", top: 0, height: 130, background: "white" }}
      >
        <button type="button">above</button>
      </header>
      {Array.from({ length: 60 }, (_, at) => (
        <p key={`row ${String(at)}`} style={{ margin: 0, height: 40 }}>
          <button type="button">{`row ${at}`}</button>
        </p>
      ))}
    </>
  );
}

it("keeps what keys lead to from behind the header", async () => {
  const screen = await renderThemed(<Page />);
  const row = (at: number) =>
    screen
      .getByRole("button", { name: `row ${at}`, exact: true })
      .element() as HTMLElement;
  row(40).focus();
  window.scrollTo(0, row(40).getBoundingClientRect().top + window.scrollY - 135);
  for (let step = 0; step < 3; step += 1) {
    await userEvent.keyboard("{Shift>}{Tab}{/Shift}");
  }
  expect(document.activeElement).toBe(row(37));
  await expect
    .poll(() => row(37).getBoundingClientRect().top)
    .toBeGreaterThanOrEqual(130);
});
