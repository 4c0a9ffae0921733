import { describe, expect, it } from "vitest";
import type { CautionOut } from "@/api/gen";
import { expectAccessible, renderThemed } from "@/testing/render";
import { CautionNotes } from "./caution-notes";

const caution = (code: string, could_change_choice: boolean | null): CautionOut => ({
  code,
  about: [],
  message: `about \`${code}\``,
  hint: `do ${code}`,
  effect: `if ${code}: +34 % I/O time`,
  could_change_choice,
});

async function shown(cautions: readonly CautionOut[]) {
  const names = new Map([["a", "Device A"]]);
  const { container } = await renderThemed(
    <CautionNotes of="the schemes" cautions={cautions} names={names} />,
  );
  const texts = (selector: string) =>
    [...container.querySelectorAll(selector)].map((item) => item.textContent);
  return {
    label: container.querySelector("section")?.getAttribute("aria-label") ?? null,
    first: texts("section > ul > li"),
    rest: texts("details li"),
    titles: texts("section > p, summary"),
  };
}

describe("cautions of an answer", () => {
  it("say what is so, what it could change and what to do, by names", async () => {
    const found = await shown([caution("a", true)]);
    expect(found.first).toEqual(["About Device A. If a: +34 % I/O time. Do a."]);
    expect(found.titles).toEqual(["⚠ A note that could change the choice"]);
    expect(found.label).toBe("Notes on the schemes");
    await expectAccessible();
  });

  it("show at most three, and fold those that change nothing", async () => {
    const found = await shown([
      caution("a", true),
      caution("b", true),
      caution("c", true),
      caution("d", true),
      caution("e", null),
      caution("f", false),
    ]);
    expect(found.first.map((text) => text?.split(".")[0])).toEqual([
      "About Device A",
      "About b",
      "About c",
    ]);
    expect(found.rest).toHaveLength(3);
    expect(found.titles).toEqual([
      "⚠ 3 notes that could change the choice",
      "Assumptions (3); 1 could change the choice too; the effect of 1 is unknown",
    ]);
  });

  it("never fold a busy time that would be read as a response time", async () => {
    const found = await shown([caution("latency_unknown", false), caution("a", false)]);
    expect(found.first).toEqual([expect.stringContaining("latency_unknown")]);
    expect(found.rest).toHaveLength(1);
  });

  it("fold what is no candidate where something else was chosen", async () => {
    const effect = "not computable: no source states a price of a server";
    const beside = {
      ...caution("chassis_without_price", null),
      effect: `${effect}; the choice is the best of the other candidates`,
    };
    const found = await shown([beside]);
    expect(found.first).toEqual([]);
    expect(found.titles).toEqual(["Assumption (1); the effect of 1 is unknown"]);
    // Where nothing was chosen it is why.
    expect((await shown([{ ...beside, effect }])).first).toHaveLength(1);
  });

  it("say that none changes the choice only where that was computed", async () => {
    const calm = await shown([caution("a", false), caution("b", false)]);
    expect(calm.first).toEqual([]);
    expect(calm.titles).toEqual(["Assumptions (2), none changes the choice"]);
    const single = await shown([caution("a", false)]);
    expect(single.titles).toEqual(["Assumption (1), which does not change the choice"]);
    const unknown = await shown([
      caution("a", null),
      caution("b", null),
      caution("c", null),
      caution("d", null),
      caution("e", false),
    ]);
    expect(unknown.first).toHaveLength(3);
    expect(unknown.titles).toEqual([
      "⚠ 3 notes on these numbers",
      "Assumptions (2); the effect of 1 is unknown",
    ]);
  });

  it("call no effect unknown where nothing is chosen", async () => {
    const effect = "changes no choice: this question chooses nothing";
    const none = (code: string) => ({ ...caution(code, null), effect });
    const found = await shown(["a", "b", "c", "d", "e"].map(none));
    expect(found.first).toHaveLength(3);
    expect(found.titles).toEqual([
      "⚠ 3 notes on these numbers",
      "Assumptions (2), none changes the choice",
    ]);
  });

  it("show nothing where nothing is said", async () => {
    expect(await shown([])).toEqual({ label: null, first: [], rest: [], titles: [] });
  });
});
