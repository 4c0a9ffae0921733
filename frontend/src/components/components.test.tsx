import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { ProblemError, problemOfBody } from "@/api/problem";
import type { RunOut } from "@/api/runs";
import { expectAccessible, renderThemed } from "@/testing/render";
import { bytes, pages } from "@/units/quantity";
import { Dialog } from "./dialog";
import { LogSlider, positionOf, stepped, valueAt } from "./log-slider";
import { ProblemAlert } from "./problem-alert";
import { Prose } from "./prose";
import { progressText, RunProgress } from "./run-progress";
import { SizeInput } from "./size-input";
import { Unknown } from "./unknown";

const run: RunOut = {
  id: "r",
  kind: "ingest",
  subject_id: "w",
  title: "Read a trace",
  status: "running",
  phase: "reading",
  done: 12 * 1024 ** 2,
  total: 340 * 1024 ** 2,
  unit: "bytes",
  rate_per_s: 82 * 1024 ** 2,
  accesses: 1_000_000,
  accesses_per_s: 2_345_678.4,
  requests: 400_000,
  requests_per_s: 938_271.4,
  message: null,
  error: null,
  hint: null,
  attempts: 1,
  cancel_requested: false,
  created_at: "2026-11-21T08:00:00Z",
  started_at: "2026-11-21T08:00:01Z",
  finished_at: null,
};

describe("the logarithmic slider", () => {
  it("finds its position again from the value at it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1_000_000, max: 1e9 }),
        (position, max) => {
          const value = valueAt(position, 1, max, true);
          expect(
            Math.abs(valueAt(positionOf(value, 1, max, true), 1, max, true) - value),
          )
            // Small values share a position with their neighbours.
            .toBeLessThanOrEqual(Math.max(1, value * 0.02));
        },
      ),
    );
  });

  it("always moves by at least one page and stays inside its ends", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.constantFrom(2, 0.5, 2 ** 0.25, 2 ** -0.25),
        (value, factor) => {
          const next = stepped(value, factor, 1, 1000, true);
          expect(next).toBeGreaterThanOrEqual(0);
          expect(next).toBeLessThanOrEqual(1000);
          if (factor > 1 && value < 1000) {
            expect(next).toBeGreaterThan(value);
          }
          if (factor < 1 && value > 0) {
            expect(next).toBeLessThan(value);
          }
        },
      ),
    );
  });

  it("doubles by Page Up and tells its value in words", async () => {
    const onChange = vi.fn();
    const screen = await renderThemed(
      <LogSlider
        label="Flash size"
        value={100}
        min={1}
        max={1000}
        valueText="100 pages"
        onChange={onChange}
      />,
    );
    const slider = screen.getByRole("slider", { name: "Flash size" });
    await expect.element(slider).toHaveAttribute("aria-valuetext", "100 pages");
    (slider.element() as HTMLElement).focus();
    await userEvent.keyboard("{PageUp}");
    expect(onChange).toHaveBeenLastCalledWith(200);
    await userEvent.keyboard("{ArrowLeft}");
    expect(onChange).toHaveBeenLastCalledWith(84);
    await expectAccessible();
  });
});

describe("the size field", () => {
  const field = (onChange: (value: number) => void) => (
    <SizeInput
      label="RAM"
      value={pages(100)}
      pageBytes={bytes(8192)}
      min={1}
      onChange={onChange}
    />
  );

  it("takes a size in bytes over on Enter, as whole pages", async () => {
    const onChange = vi.fn();
    const screen = await renderThemed(field(onChange));
    const input = screen.getByRole("textbox", { name: "RAM" });
    await input.fill("1 MiB");
    await userEvent.keyboard("{Enter}");
    expect(onChange).toHaveBeenCalledWith(128);
  });

  it("keeps what is wrong, says why, and takes nothing over", async () => {
    const onChange = vi.fn();
    const screen = await renderThemed(field(onChange), "dark");
    const input = screen.getByRole("textbox", { name: "RAM" });
    await input.fill("0 pages");
    await userEvent.keyboard("{Enter}");
    await expect
      .element(screen.getByText(/at least 1 page, got "0 pages"/))
      .toBeVisible();
    await expect.element(input).toHaveValue("0 pages");
    expect(onChange).not.toHaveBeenCalled();
    await expectAccessible();
  });
});

describe("problems", () => {
  it("show place, value, message and next step", async () => {
    const error = new ProblemError(
      problemOfBody(
        {
          title: "A value cannot be used",
          detail: "body.ram_pages: too small",
          hint: "Give at least 1.",
          errors: [
            { where: "body.ram_pages", value: 0, message: "must be at least 1" },
          ],
        },
        422,
      ),
    );
    const screen = await renderThemed(<ProblemAlert error={error} />);
    const alert = screen.getByRole("alert");
    await expect.element(alert).toBeVisible();
    const text = alert.element().textContent;
    expect(text).toContain("RAM size: must be at least 1, got “0”");
    expect(text).not.toContain("body.");
    expect(text).toContain("What to do: Give at least 1.");
    await expectAccessible();
  });

  it("say so when no server answers", () => {
    expect(problemOfBody(null, null).hint).toContain("tierwright serve");
    expect(problemOfBody("<html>", 502).detail).toContain("502");
  });

  it("never throw, whatever the server sends", () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect(problemOfBody(body, 500).title).not.toBe("");
      }),
    );
  });
});

describe("runs and unknowns", () => {
  it("tell amount, rate and time left", () => {
    expect(progressText(run)).toBe(
      "12 MiB of 340 MiB, 82 MiB/s, 938,271 requests/s, 2,345,678 accesses/s, 4 s left",
    );
    // A canonical trace has no requests any more.
    expect(progressText({ ...run, requests: null, requests_per_s: null })).toBe(
      "12 MiB of 340 MiB, 82 MiB/s, 2,345,678 accesses/s, 4 s left",
    );
    expect(progressText({ ...run, total: null, rate_per_s: null })).toBe("12 MiB");
  });

  it("show a failed run's reason and next step", async () => {
    const screen = await renderThemed(
      <RunProgress
        run={{
          ...run,
          status: "failed",
          error: "line 7 is broken",
          hint: "Cut it off.",
        }}
      />,
    );
    const alert = screen.getByRole("alert");
    await expect.element(alert).toBeVisible();
    const text = alert.element().textContent;
    expect(text).toContain("Line 7 is broken.");
    expect(text).toContain("What to do: Cut it off.");
  });

  it("keep within their frame, whatever the name", async () => {
    const title = `Pool split of ${"without_any_place_to_break".repeat(7)}`;
    const screen = await renderThemed(
      <div style={{ width: 300, overflowWrap: "break-word" }} data-testid="frame">
        <RunProgress run={{ ...run, title }} />
      </div>,
    );
    await expect.element(screen.getByText(/Pool split of/)).toBeVisible();
    expect(screen.getByTestId("frame").element().scrollWidth).toBeLessThanOrEqual(300);
  });

  it("say a kind of device in words", async () => {
    const screen = await renderThemed(
      <p data-testid="note">
        <Prose text="priced like every device of the kind `nvme`" />
      </p>,
    );
    await expect
      .element(screen.getByTestId("note"))
      .toHaveTextContent("Priced like every device of the kind NVMe or PCIe SSD");
  });

  it("name what a message identifies, and leave other values as they are", async () => {
    const screen = await renderThemed(
      <p>
        <Prose
          text="`lazy` leads `ssd-1`; see `flash_writes`, and lazy."
          names={
            new Map([
              ["lazy", "Lazy"],
              ["ssd-1", "Drive One"],
            ])
          }
        />
      </p>,
    );
    expect(screen.container.textContent).toContain(
      "Lazy leads Drive One; see flash_writes, and lazy",
    );
    const codes = [...screen.container.querySelectorAll("code")];
    expect(codes.map((code) => code.textContent)).toEqual(["flash_writes"]);
  });

  it.each(["light", "dark"] as const)("are accessible in %s", async (colors) => {
    const screen = await renderThemed(
      <>
        <RunProgress run={run} />
        <p>
          Cost <Unknown reason="no price is known" />
        </p>
        <p>
          <Prose text="`ram_pages` is large" />.
        </p>
      </>,
      colors,
    );
    await expect
      .element(screen.getByRole("note"))
      .toHaveAttribute("aria-label", "Unknown: no price is known");
    await expect.element(screen.getByText("ram_pages", { exact: true })).toBeVisible();
    await expectAccessible();
  });
});

describe("a dialogue", () => {
  it("leaves nothing of the page behind it to press, until it is closed", async () => {
    const page = document.createElement("div");
    page.id = "root";
    document.body.append(page);
    const dialog = (opened: boolean) => (
      <Dialog opened={opened} onClose={() => undefined} title="Why">
        Because.
      </Dialog>
    );
    try {
      const screen = await renderThemed(dialog(true));
      await expect.element(screen.getByText("Because.")).toBeVisible();
      expect(page.inert).toBe(true);
      await screen.unmount();
      expect(page.inert).toBe(false);
    } finally {
      page.remove();
    }
  });
});
