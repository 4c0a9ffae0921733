import { expect, it } from "vitest";
import { page } from "vitest/browser";
import type { EvidenceOut } from "@/api/gen/types.gen";
import { renderThemed } from "@/testing/render";
import { bandText, EvidencePanel, knownAndBounded } from "./evidence";

const AGES: EvidenceOut = {
  evidence: "ages",
  title: "ages, indicative",
  valid_from: 10,
  valid_to: 1000,
  range: "40 KiB to 4 MiB",
  self_check: 0.4,
  self_check_pages: 1000,
  check: "at its largest size, 4 MiB, its misses are 40 % above what the system counts",
  gap: "40 % more misses",
  indicative: true,
  snapshots: 1,
  basis: "1 snapshot, too few for a band",
  parts: [],
  tiers: [],
  bounds: null,
  next_step: null,
  misses_read: null,
};

it("names the class, the range and the check of a curve from counters", async () => {
  await renderThemed(<EvidencePanel evidence={AGES} />);
  const shown = (text: string | RegExp) => expect.element(page.getByText(text));
  await shown("Evidence: ages, indicative").toBeVisible();
  await shown(/^40 KiB to 4 MiB/).toBeVisible();
  await shown(/^At its largest size, 4 MiB, its misses are 40 % above/).toBeVisible();
  await shown("The curve is known up to the present size.").toBeVisible();
  await shown(/^40 % more misses/).toBeVisible();
  expect(page.getByText("What to record next").elements()).toEqual([]);
});

it("recommends no size of one point", async () => {
  await renderThemed(
    <EvidencePanel
      evidence={{
        ...AGES,
        evidence: "one_point",
        title: "one point",
        self_check: null,
        gap: "not checked",
        bounds: "At 8 GiB, 8.9 % of the accesses miss.",
        next_step: {
          what: "two readings",
          duration: "an hour",
          command: "psql -X --csv",
          sentence: "Record two readings, an hour.",
        },
      }}
    />,
  );
  const shown = (text: string | RegExp) =>
    expect.element(page.getByText(text)).toBeVisible();
  await shown(/no size is recommended\.$/);
  await shown(/^not checked/);
  await shown("At 8 GiB, 8.9 % of the accesses miss.");
  // What to record instead, for how long, with which command.
  await shown("Record two readings, an hour.");
  await shown("psql -X --csv");
});

const PARTS: EvidenceOut["parts"] = [
  { evidence: "ages", valid_from: 10, valid_to: 100, text: "ages (redis): to 400 KiB" },
  {
    evidence: "points",
    valid_from: 200,
    valid_to: 400,
    text: "points (counters): more",
  },
];

it("lists what a curve was put together of", async () => {
  await renderThemed(<EvidencePanel evidence={{ ...AGES, parts: PARTS }} />);
  await expect.element(page.getByText("Ages (redis): to 400 KiB.")).toBeVisible();
  await expect.element(page.getByText("Points (counters): more.")).toBeVisible();
  // Beyond the present size it is known too.
  await expect.element(page.getByText(/^Each part gives its own sizes/)).toBeVisible();
  expect(page.getByText(/^The curve is known up to/).elements()).toEqual([]);
});

it("says of what the band is", () => {
  expect(bandText({ evidence: "ages", parts: [] })).toBe(
    "band: what the ages leave open",
  );
  expect(bandText({ evidence: "points", parts: [] })).not.toContain("ages");
  expect(bandText({ evidence: "ages", parts: PARTS })).toMatch(
    /ages leave open; between counted/,
  );
});

it("draws solid only what is known at every size", () => {
  const points = [
    [10, 1],
    [100, 2],
    [200, 3],
    [400, 4],
  ] as const;
  const parts = PARTS;
  expect(knownAndBounded({ evidence: "ages", parts }, points)).toEqual({
    known: [
      [10, 1],
      [100, 2],
    ],
    bounded: [
      [
        [100, 2],
        [200, 3],
        [400, 4],
      ],
    ],
  });
  // Counted sizes below the ages are drawn too.
  const below = [
    ...parts,
    { evidence: "points" as const, valid_from: 2, valid_to: 5, text: "" },
  ];
  expect(
    knownAndBounded({ evidence: "ages", parts: below }, [
      [2, 0.2],
      [5, 0.5],
      ...points,
    ]),
  ).toEqual({
    known: points.slice(0, 2),
    bounded: [
      [
        [2, 0.2],
        [5, 0.5],
        [10, 1],
      ],
      points.slice(1),
    ],
  });
  expect(knownAndBounded({ evidence: "points", parts: [] }, points)).toEqual({
    known: [],
    bounded: [points],
  });
  for (const evidence of [null, { evidence: "ages" as const, parts: [] }]) {
    expect(knownAndBounded(evidence, points)).toEqual({ known: points, bounded: [] });
  }
});
