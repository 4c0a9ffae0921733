import { describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import type { EvaluationOut } from "@/api/compare";
import { replaysOf } from "@/api/workloads";
import { renderThemed } from "@/testing/render";
import { CloseCall } from "./close-call";

const warning = (name: string, message: string, hint: string) => ({
  name,
  message,
  hint,
  about: [],
  effect: "",
  could_change_choice: null,
});

const answered = (part: Partial<EvaluationOut>): EvaluationOut =>
  ({
    best: "lazy",
    decided_by: "model",
    schemes: [],
    devices: { flash: null, disk: null, ram: null },
    price_book: null,
    warnings: [],
    ...part,
  }) as unknown as EvaluationOut;

describe("a close call", () => {
  it("says at which sizes a recording decided for production", async () => {
    const sizes = warning(
      "replayed_scaled_down",
      "The recording was replayed at sizes divided by 8: RAM of 1,200 pages",
      "record a larger system",
    );
    const shown = await renderThemed(
      <CloseCall
        evaluation={answered({ decided_by: "replay", warnings: [sizes] })}
        modelBest="lazy"
      />,
    );
    await expect
      .element(page.getByText(/same scheme first\. The recording was replayed/))
      .toBeVisible();
    await shown.unmount();
    await renderThemed(
      <CloseCall evaluation={answered({ decided_by: "replay" })} modelBest="lazy" />,
    );
    await expect.element(page.getByText(/same scheme first\.$/)).toBeVisible();
    expect(page.getByText("The recording was replayed").elements()).toHaveLength(0);
  });

  it("advises what the answer advises where nothing was replayed", async () => {
    const close = warning(
      "lead_within_model_error",
      "the lead is small",
      "record a larger system",
    );
    await renderThemed(<CloseCall evaluation={answered({ warnings: [close] })} />);
    await expect.element(page.getByText(/record a larger system/i)).toBeVisible();
    expect(page.getByText("Simulate this point").elements()).toHaveLength(0);
  });
});

describe("what is replayed for a workload", () => {
  it("is its trace, or that of the recording that was scaled to it", () => {
    expect(replaysOf({ kind: "trace", replayable: true })).toBe("trace");
    expect(replaysOf({ kind: "profile", replayable: true })).toBe("recording");
    expect(replaysOf({ kind: "profile", replayable: false })).toBeNull();
    expect(replaysOf({ kind: "curve", replayable: false })).toBeNull();
  });
});
