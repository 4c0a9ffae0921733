import { describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type { EvaluationOut } from "@/api/compare";
import type { SummaryOut } from "@/api/workloads";
import { growthAsked } from "@/questions/compare";
import { parseAnalysisSearch } from "@/questions/point";
import { expectAccessible, renderThemed } from "@/testing/render";
import { CheckWithoutGrowth, Growth, GrowthLine } from "./growth";

const answer = (parts: Partial<EvaluationOut>) =>
  ({
    new_pages: 3000,
    growth_per_access: 0.0125,
    start: "steady",
    decided_by: "model",
    ...parts,
  }) as EvaluationOut;

const summary = (kind: SummaryOut["kind"]) =>
  ({ kind, distinct_pages: 5000 }) as SummaryOut;

describe("the address", () => {
  it("states how many pages are new", () => {
    expect(parseAnalysisSearch({ new_pages: "3000" }).new_pages).toBe(3000);
    expect(parseAnalysisSearch({ new_pages: 0 }).new_pages).toBeUndefined();
    const wrong = parseAnalysisSearch({ new_pages: "-3" });
    expect(wrong.new_pages).toBeUndefined();
    expect(wrong.refused).toContain("new_pages=-3");
  });

  it("asks of a trace, and not of a given curve", () => {
    expect(growthAsked({ new_pages: 3000 }, false)).toEqual({ new_pages: 3000 });
    expect(growthAsked({ new_pages: 3000 }, true)).toEqual({});
    expect(growthAsked({}, false)).toEqual({});
  });
});

describe("the line of growth", () => {
  it.each([
    [{}, "in addition to hits and disk reads"],
    [{ start: "cold" as const }, "a cold start counts them as disk reads"],
    [{ decided_by: "replay" as const }, "counts them as disk reads under every scheme"],
  ])("says what became of them: %o", async (parts, said) => {
    const { container } = await renderThemed(<GrowthLine evaluation={answer(parts)} />);
    expect(container.textContent).toContain("1.25 % of the accesses");
    expect(container.textContent).toContain("3,000 newly allocated pages");
    expect(container.textContent).toContain(said);
  });

  it("is not there where no page is known to be new", async () => {
    const { container } = await renderThemed(
      <>
        <GrowthLine evaluation={answer({ new_pages: 0, growth_per_access: 0 })} />
        <CheckWithoutGrowth evaluation={answer({ new_pages: 0 })} />
        <CheckWithoutGrowth evaluation={answer({ start: "cold" })} />
      </>,
    );
    expect(container.querySelector("p")).toBeNull();
  });
});

describe("the field", () => {
  it("takes the first touches of the workload at most", async () => {
    const onChange = vi.fn();
    const page = await renderThemed(
      <Growth value={12} summary={summary("trace")} onChange={onChange} />,
    );
    const field = page.getByLabelText("Pages newly allocated while recording");
    await expectAccessible();
    await userEvent.fill(field, "5001");
    await userEvent.keyboard("{Enter}");
    expect(onChange).not.toHaveBeenCalled();
    await userEvent.fill(field, "3,000");
    await userEvent.keyboard("{Enter}");
    expect(onChange).toHaveBeenLastCalledWith(3000);
    await userEvent.fill(field, "0");
    await userEvent.keyboard("{Enter}");
    expect(onChange).toHaveBeenLastCalledWith(undefined);
  });

  it("is closed until asked for, and absent for a given curve", async () => {
    const { container } = await renderThemed(
      <>
        <Growth value={undefined} summary={summary("trace")} onChange={vi.fn()} />
        <Growth value={12} summary={summary("curve")} onChange={vi.fn()} />
      </>,
    );
    expect(container.querySelector("input")).toBeNull();
    expect(container.querySelectorAll("button")).toHaveLength(1);
  });
});
