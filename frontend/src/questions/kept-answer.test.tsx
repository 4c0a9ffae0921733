import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { OpenedScenario } from "@/api/scenarios";
import { expectAccessible, renderThemed } from "@/testing/render";
import { Kept, KeptBody, type KeptJob } from "./kept-answer";

const ANSWER = {
  sentences: ["The best replayed split costs 0.5 page reads per access."],
  figures: [],
  sources: [],
};

const WAITING: OpenedScenario = {
  id: "s1",
  name: "Ours",
  question: "pool_split",
  state: { workload: "w" },
  version: 1,
  model_version: "0.0.9",
  present_model_version: "0.2.0",
  answered_at: "2026-01-01T00:00:00Z",
  answer: ANSWER,
  answer_reason: null,
  stale: true,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  etag: '"s1-1"',
  asks: {},
  answer_now: null,
  answer_now_reason: "the present models have not counted a buffer of 9 pages of w",
  to_compute: ["pool_split"],
  comparison: null,
};

const job = (state: Partial<KeptJob> = {}): KeptJob => ({
  start: vi.fn(),
  running: false,
  done: false,
  ...state,
});

const kept = (scenario: OpenedScenario, of: KeptJob) => (
  <Kept scenario={scenario} state={{}} asks={{}} job={of} />
);

it("starts the page's own job where the present models have yet to answer", async () => {
  const own = job();
  const screen = await renderThemed(kept(WAITING, own));
  await expect
    .element(screen.getByText("The current models have not computed this answer yet"))
    .toBeVisible();
  await expect.element(screen.getByText(/When saved: The best replayed/)).toBeVisible();
  await expect.element(screen.getByText(/under models 0\.0\.9/)).toBeVisible();
  // There is nothing to keep in place of what was kept.
  expect(
    screen.getByRole("button", { name: "Save the current answer" }).elements(),
  ).toEqual([]);
  await expectAccessible();
  await screen.getByRole("button", { name: "Compute the current answer" }).click();
  expect(own.start).toHaveBeenCalledOnce();
});

it("says that the job runs, and offers it no second time", async () => {
  const screen = await renderThemed(kept(WAITING, job({ running: true })));
  await expect.element(screen.getByRole("status")).toMatchTextContent("being computed");
  expect(
    screen.getByRole("button", { name: "Compute the current answer" }).elements(),
  ).toEqual([]);
});

it("leads to the page where there is no job", async () => {
  const screen = await renderThemed(<KeptBody scenario={WAITING} />);
  await expect.element(screen.getByText(/Open the scenario to compute/)).toBeVisible();
});

it("reads the scenario again when the job is done, and lays both side by side", async () => {
  const read = vi.fn<() => OpenedScenario>(() => WAITING);
  const figure = {
    ask: "pool_split",
    name: "cost",
    title: "Cost of the best split",
    scheme: null,
    unit: "page reads/access",
  };
  function Opened() {
    const [done, setDone] = useState(false);
    const scenario = useQuery({ queryKey: ["scenarios", "s1"], queryFn: read });
    return (
      <>
        <button type="button" onClick={() => setDone(true)}>
          The job ends
        </button>
        {scenario.data !== undefined && kept(scenario.data, job({ done }))}
      </>
    );
  }
  const screen = await renderThemed(<Opened />);
  await expect.element(screen.getByText(/When saved: /)).toBeVisible();
  read.mockReturnValue({
    ...WAITING,
    answer_now: ANSWER,
    answer_now_reason: null,
    to_compute: [],
    comparison: {
      unchanged: false,
      model_changed: true,
      facts: [],
      figures: [{ ...figure, before: 0.5, now: 0.25, changed: true, relative: -0.5 }],
      sentence: "Saved under models 0.0.9; the present ones are 0.2.0.",
    },
  });
  await screen.getByRole("button", { name: "The job ends" }).click();
  const row = screen.getByRole("row", { name: /Cost of the best split/ });
  await expect.element(row).toMatchTextContent(/0\.5.*0\.25.*−50 %/);
  await expect
    .element(screen.getByRole("button", { name: "Save the current answer" }))
    .toBeVisible();
  expect(read).toHaveBeenCalledTimes(2);
});
