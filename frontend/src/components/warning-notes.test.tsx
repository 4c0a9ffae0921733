import { describe, expect, it } from "vitest";
import { expectAccessible, renderThemed } from "@/testing/render";
import { WarningNotes } from "./warning-notes";

const note = (name: string, could_change_choice: boolean | null = null) => ({
  name,
  message: `about ${name}`,
  hint: null,
  could_change_choice,
});

async function shown(notes: Parameters<typeof WarningNotes>[0]["notes"]) {
  const { container } = await renderThemed(<WarningNotes notes={notes} />);
  const texts = (selector: string) =>
    [...container.querySelectorAll(selector)].map((item) => item.textContent);
  return {
    open: texts("li").filter((text) => !texts("details li").includes(text)),
    folded: texts("details li"),
    titles: texts("summary"),
  };
}

describe("notes on numbers", () => {
  it("begin with those that could change the choice, and fold none of them", async () => {
    const found = await shown([
      note("a"),
      note("b", false),
      note("c", true),
      note("d", true),
      note("e", true),
      // An assumption that decides is no small print.
      note("price_of_kind", true),
    ]);
    expect(found.open).toEqual([
      "About c.",
      "About d.",
      "About e.",
      "About price_of_kind.",
    ]);
    expect(found.folded).toEqual(["About a.", "About b."]);
    expect(found.titles).toEqual(["2 more notes"]);
    await expectAccessible();
  });

  it("keep their order where none could, three of them open", async () => {
    const found = await shown([
      note("a", false),
      note("b"),
      note("c"),
      note("d"),
      note("price_of_kind", false),
    ]);
    expect(found.open).toEqual(["About b.", "About c.", "About d."]);
    expect(found.folded).toEqual(["About a.", "About price_of_kind."]);
    expect(found.titles).toEqual(["1 more note", "1 assumption"]);
  });
});
