import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { ChartCard } from "@/charts/chart-card";
import * as download from "@/charts/download";
import * as engine from "@/charts/engine";
import { lineOption } from "@/charts/line-option";
import type { ChartOption } from "@/charts/option";
import { renderThemed } from "@/testing/render";
import { classNamed, countersText, FromCounters } from "./counters-note";
import { ExportCsv } from "./export-csv";

const AGES = {
  title: "ages, indicative",
  range: "40 KiB to 4 MiB",
  gap: "40 % more misses",
};
const LINE = lineOption({
  series: [{ name: "Hits", color: "#000000", points: [[1, 2] as const] }],
  x: { name: "size", log: false, format: String },
  y: { name: "hits", format: String },
  colors: "light",
});

const CARD = (
  <ChartCard
    title="Hits"
    subtitle="Hits by size"
    label="Hits"
    option={LINE}
    height={200}
    table={() => ({ header: ["size"], rows: [[1]], shown: [["1"]] })}
    fileName="hits"
    explanation="none"
  />
);

vi.mock("@/charts/download", { spy: true });
vi.mock("@/charts/engine", { spy: true });

beforeEach(() => {
  vi.mocked(download.downloadText).mockImplementation(() => undefined);
  vi.mocked(download.downloadUrl).mockImplementation(() => undefined);
});
afterEach(() => {
  vi.clearAllMocks();
});

const exported = async (form: string) => {
  await userEvent.click(page.getByRole("button", { name: "Export", exact: true }));
  await userEvent.click(page.getByRole("menuitem", { name: form }));
};

it("names the class in every file of a chart, and only where counters are behind it", async () => {
  const screen = await renderThemed(
    <FromCounters evidence={AGES}>{CARD}</FromCounters>,
  );
  await exported("CSV numbers");
  expect(vi.mocked(download.downloadText).mock.lastCall?.[2]).toBe(
    'size,evidence of the curve,speaks of,gap\r\n1,"ages, indicative",40 KiB to 4 MiB,40 % more misses',
  );
  await exported("SVG picture");
  await vi.waitFor(() => {
    expect(vi.mocked(download.downloadText).mock.lastCall?.[0]).toBe("hits.svg");
  });
  const svg = vi.mocked(download.downloadText).mock.lastCall?.[2] ?? "";
  const picture = new DOMParser().parseFromString(svg, "text/xml");
  expect(picture.documentElement.textContent).toContain(countersText(AGES));
  await exported("PNG picture");
  await vi.waitFor(() => {
    expect(download.downloadUrl).toHaveBeenCalled();
  });
  const drawn = vi.mocked(engine.drawPng).mock.lastCall?.[0] as ChartOption;
  expect(JSON.stringify(drawn.title)).toContain(countersText(AGES));
  await screen.unmount();

  await renderThemed(<FromCounters evidence={null}>{CARD}</FromCounters>);
  await exported("CSV numbers");
  expect(vi.mocked(download.downloadText).mock.lastCall?.[2]).toBe("size\r\n1");
});

it("names the class in the file of a table", async () => {
  await renderThemed(
    <FromCounters evidence={classNamed([{ code: "curve_from_one_point" }])}>
      <ExportCsv file="t" columns={[{ key: "a", csv: () => 1 }]} rows={[{}]} />
    </FromCounters>,
  );
  await userEvent.click(page.getByRole("button", { name: "Export CSV" }));
  expect(vi.mocked(download.downloadText).mock.lastCall?.[2]).toBe(
    "a,evidence of the curve,speaks of,gap\r\n1,one point,,",
  );
});

it("finds the class in what an answer warns of", () => {
  expect(classNamed([{ name: "given_curve" }])).toBeNull();
  expect(classNamed([{ name: "x" }, { name: "curve_from_ages" }])?.title).toBe("ages");
  const points = { code: "curve_from_points", message: "maxima (an upper envelope)" };
  expect(classNamed([points])?.title).toBe("points, upper envelope");
  expect(classNamed([{ ...points, message: "counted" }])?.title).toBe("points");
  expect(countersText({ title: "points" })).toBe("Evidence: points.");
});

const SOURCES = import.meta.glob<string>("../**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** What else offers a file, with the reason why no class is dropped there. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  "../charts/chart-card.tsx": "names it",
  "../charts/download.ts": "offers the file",
  "./export-csv.tsx": "names it",
  "./save-menu.tsx": "a file of the server, which names it",
  "../features/scenarios/side-by-side-page.tsx": "a row of its inputs names it",
  "../features/quotes/mapping-panel.tsx": "a mapping of part numbers, no result",
  "../features/advice/template-fields.tsx": "what is asked, no result",
  "../features/formulas/formula-answer.tsx": "one formula by itself, of no workload",
};
/** Charts and tables of which no curve of a workload is behind. */
const NO_CURVE = ["hardware", "formulas", "flash-device", "described", "transactions"];
/** Where the class is named around the exports of a feature; the pages of questions do it for theirs. */
const NAMED_IN: Readonly<Record<string, string>> = {
  compose: "../features/compose/composition-view.tsx",
  workloads: "../features/workloads/workload-page.tsx",
  "given-curve": "../features/given-curve/given-curve-page.tsx",
};

it("leaves no other door through which a file could drop it", () => {
  const files = Object.entries(SOURCES).filter(([path]) => !path.includes(".test."));
  const saving = files
    .filter(([, text]) => /\bdownload(Text|Url|Blob)\(/.test(text))
    .map(([path]) => path);
  expect(saving.filter((path) => !(path in OTHER_FILES))).toEqual([]);
  const exporting = files.filter(([, text]) => /<(ChartCard|ExportCsv)\b/.test(text));
  const features = new Set(
    exporting.flatMap(([path]) => path.match(/features\/([^/]+)\//)?.[1] ?? []),
  );
  const asked = (feature: string) =>
    files.some(
      ([path, text]) =>
        path.includes(`/features/${feature}/`) && text.includes("<AnalysisPage"),
    );
  const open = [...features].filter(
    (feature) =>
      !NO_CURVE.includes(feature) &&
      !asked(feature) &&
      !SOURCES[NAMED_IN[feature] ?? ""]?.includes("<FromCounters"),
  );
  expect(open).toEqual([]);
  expect(SOURCES["../questions/analysis-page.tsx"]).toContain("<FromCounters");
});
