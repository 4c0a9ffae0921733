import { afterEach, describe, expect, it, vi } from "vitest";
import { page } from "vitest/browser";
import type { CheckedMap, PointReplayedOut } from "@/api/replay-checks";
import type { SchemeMapIn, SchemeMapOut } from "@/api/scheme-map";
import { chartTable } from "@/charts/chart-table";
import { drawSvg } from "@/charts/engine";
import { DIFFERS, schemeMapOption } from "@/charts/map-option";
import { parseMapSearch } from "@/questions/scheme-map";
import { renderThemed } from "@/testing/render";
import { SIMULATOR } from "@/testing/simulator";
import { axisOf } from "./map-chart";
import { ReplayedPoints } from "./replayed-points";
import {
  cacheText,
  marksOf,
  modelText,
  pointColumns,
  pointsRequest,
  whyNoPoints,
  winnersOf,
  withoutText,
} from "./replayed-words";

const POINT: PointReplayedOut = {
  x: 100,
  y: 400,
  ram_pages: 100,
  flash_pages: 400,
  ram_pages_with_flash: 100,
  modelled: "lazy",
  modelled_us: 50,
  too_close: false,
  flow: "lazy",
  flow_us: 50,
  cache: "face",
  cache_us: 40,
  best: "face",
  agrees: true,
  behind: 0,
  cache_saves: 0.2,
  without_time: {},
  reason: "",
};
const DIFFERING: PointReplayedOut = {
  ...POINT,
  x: 1000,
  ram_pages: 1000,
  ram_pages_with_flash: 1000,
  modelled_us: 55,
  flow: "exclusive",
  cache_us: 60,
  best: "exclusive",
  agrees: false,
  behind: 0.1,
  cache_saves: -0.2,
  without_time: { inclusive: "flash holds less than RAM" },
};
const LEFT_OUT: PointReplayedOut = {
  ...POINT,
  x: 1000,
  y: 4000,
  ram_pages: 1000,
  ram_pages_with_flash: 1000,
  flash_pages: 4000,
  modelled_us: null,
  flow: null,
  flow_us: null,
  cache: null,
  cache_us: null,
  best: null,
  agrees: null,
  behind: null,
  cache_saves: null,
  reason: "the recording is too small",
};

const FOUND: CheckedMap = {
  sentence:
    "Model and replay name the same page-flow scheme at 1 of 2 points replayed.",
  finding: null,
  rows: [],
  basis: "Every scheme was replayed.",
  points: [POINT, DIFFERING, LEFT_OUT],
  titles: {
    lazy: "Lazy",
    exclusive: "Exclusive",
    inclusive: "Inclusive",
    face: "FaCE",
  },
  compared: 2,
  agreeing: 1,
  beside: 2,
  cache_faster: 1,
};

const MAP = {
  x: { name: "ram_pages", values: [50, 500, 5000] },
  y: { name: "flash_pages", values: [200, 2000, 20_000] },
  page_bytes: 4096,
  schemes: ["exclusive", "lazy"],
  titles: { exclusive: "Exclusive", lazy: "Lazy" },
  best: [
    [1, 1, 1],
    [1, 1, 1],
    [0, 1, 1],
  ],
  margin: [
    [0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3],
  ],
  too_close: [
    [false, false, false],
    [false, false, false],
    [false, false, false],
  ],
  crossovers: [],
} as unknown as SchemeMapOut;

const QUESTION: SchemeMapIn = {
  workload_id: "w",
  flash_device_id: "flash",
  disk_device_id: "disk",
  x: { axis: "ram_pages", low: 50, high: 5000 },
  y: { axis: "flash_pages", low: 200, high: 20_000 },
};

const CACHES = ["face"];
const tableOf = (found: CheckedMap, map = MAP, caches: readonly string[] = CACHES) =>
  chartTable(found.points, pointColumns(found, map, caches));

const drawn = (points: readonly PointReplayedOut[]) =>
  drawSvg(
    schemeMapOption({
      x: axisOf(MAP.x, MAP.page_bytes),
      y: axisOf(MAP.y, MAP.page_bytes),
      schemes: MAP.schemes.map((scheme) => ({
        scheme,
        title: MAP.titles[scheme] ?? scheme,
      })),
      best: MAP.best,
      margin: MAP.margin,
      tooClose: MAP.too_close,
      lines: [],
      here: null,
      marks: marksOf({ ...FOUND, points: [...points] }, MAP),
      colors: "light",
      legend: true,
    }),
    { width: 900, height: 400 },
    "#fff",
  );

afterEach(() => vi.restoreAllMocks());

describe("the points that are asked for", () => {
  it("are three an axis unless the address says otherwise, and beside its flash caches", () => {
    expect(pointsRequest(QUESTION, {})).toEqual({
      ...QUESTION,
      x_points: 3,
      y_points: 3,
      flash_caches: [],
      flash_cache_options: [],
    });
    const read = parseMapSearch({ x_points: "5", y_points: 2 });
    expect(pointsRequest(QUESTION, { ...read, caches: "face,larc" })).toMatchObject({
      x_points: 5,
      y_points: 2,
      flash_caches: ["face", "larc"],
      flash_cache_options: [],
    });
    const cache_options = "mode=write_back  face:scan_depth=8";
    expect(pointsRequest(QUESTION, { caches: "face", cache_options })).toMatchObject({
      flash_cache_options: ["mode=write_back", "face:scan_depth=8"],
    });
    // Without flash caches nothing could have them.
    expect(pointsRequest(QUESTION, { cache_options }).flash_cache_options).toEqual([]);
    expect(parseMapSearch({ x_points: 6, y_points: 1 }).refused).toMatch(
      /x_points=.*y_points=/,
    );
  });

  it("need accesses, and the dirty pages of the recording", () => {
    expect(whyNoPoints(QUESTION, true)).toBeNull();
    expect(whyNoPoints(QUESTION, false)).toContain("no accesses");
    expect(whyNoPoints({ ...QUESTION, dirty_share: 0 }, true)).toContain("dirty");
    const shares: SchemeMapIn = {
      ...QUESTION,
      y: { axis: "dirty_share", low: 0, high: 1 },
    };
    expect(whyNoPoints(shares, true)).toContain("dirty");
  });
});

describe("what a point says", () => {
  it("names the model's choice and how far it is behind", () => {
    expect(modelText(FOUND, POINT)).toBe("The model names Lazy, as the replay does");
    expect(modelText(FOUND, DIFFERING)).toBe(
      "The model names Lazy, 10 % slower than Exclusive by replay",
    );
    expect(modelText(FOUND, { ...DIFFERING, too_close: true })).toContain(
      "within the model's error",
    );
    expect(modelText(FOUND, LEFT_OUT)).toBe("The model names Lazy");
    expect(modelText(FOUND, { ...LEFT_OUT, modelled: null })).toContain("No scheme");
  });

  it("tells a faster flash cache from a slower one and from one as fast", () => {
    expect(cacheText(FOUND, POINT)).toBe("FaCE saves 20 % of the I/O time of Lazy");
    expect(cacheText(FOUND, DIFFERING)).toBe("FaCE takes 20 % longer than Exclusive");
    expect(cacheText(FOUND, { ...POINT, cache_saves: 0 })).toContain("as long as");
    expect(cacheText(FOUND, LEFT_OUT)).toBe("");
  });

  it("gives the reason of every time that is missing", () => {
    expect(withoutText(FOUND, POINT)).toBe("");
    expect(withoutText(FOUND, DIFFERING)).toBe("Inclusive: flash holds less than RAM");
    expect(withoutText(FOUND, LEFT_OUT)).toBe("the recording is too small");
  });

  it("counts how often each is fastest", () => {
    const points = [POINT, DIFFERING, { ...DIFFERING, y: 900 }, LEFT_OUT];
    expect(winnersOf({ ...FOUND, points })).toEqual([
      { of: "exclusive", title: "Exclusive", count: 2 },
      { of: "face", title: "FaCE", count: 1 },
    ]);
  });
});

describe("the table of points", () => {
  it("has sizes, both choices, what is behind, and units in its heads", () => {
    const { header, rows, shown } = tableOf(FOUND);
    expect(header).toEqual([
      "RAM [pages]",
      "Flash [pages]",
      "Choice of the model",
      "Fastest scheme by replay",
      "Choice slower by [%]",
      "Fastest flash cache",
      "Flash cache saves [%]",
      "Same scheme",
      "Lead within the error",
      "Choice by replay [µs/access]",
      "Fastest scheme [µs/access]",
      "Flash cache [µs/access]",
      "Without a time",
    ]);
    const of = (row: number, column: string) => rows[row]?.[header.indexOf(column)];
    expect(of(1, "Choice of the model")).toBe("Lazy");
    expect(of(1, "Fastest scheme by replay")).toBe("Exclusive");
    expect(of(1, "Same scheme")).toBe("no");
    expect(of(1, "Choice slower by [%]")).toBeCloseTo(10);
    expect(of(1, "Flash cache saves [%]")).toBeCloseTo(-20);
    expect(of(2, "Same scheme")).toBeNull();
    expect(of(2, "Without a time")).toBe("the recording is too small");
    expect(shown[0]?.[0]).toBe("100");
  });

  it("has the axes that are no sizes, RAM that metadata leave, and no caches unless asked", () => {
    const map = {
      ...MAP,
      y: { name: "asymmetry", values: [1, 4, 16] },
    } as unknown as SchemeMapOut;
    const points = [{ ...POINT, y: 4, ram_pages_with_flash: 90 }];
    const { header, rows } = tableOf({ ...FOUND, points }, map, []);
    expect(header).toContain("flash write time over flash read time");
    expect(header).toContain("RAM beside the flash metadata [pages]");
    expect(header.filter((name) => /flash cache/i.test(name))).toEqual([]);
    expect(rows[0]?.slice(0, 4)).toEqual([100, 90, 400, 4]);
    expect(marksOf({ ...FOUND, points }, map)[0]?.words[1]).toContain("asymmetry 4");
  });
});

describe("the points on the map", () => {
  it("are the fastest by replay; a sign stands where the model names another scheme", () => {
    const marks = marksOf(FOUND, MAP);
    expect(marks.map(({ best }) => best?.title ?? null)).toEqual([
      "FaCE",
      "Exclusive",
      null,
    ]);
    expect(marks.map(({ differs }) => differs)).toEqual([false, true, false]);
    expect(marks[2]?.words).toEqual([
      "Not replayed",
      "RAM 3.91 MiB, Flash 15.6 MiB",
      "The model names Lazy",
      "the recording is too small",
    ]);
    const svg = drawn(FOUND.points);
    expect(svg).toContain(DIFFERS);
    expect(svg).toContain(">≠<");
    expect(svg).toContain(">?<");
    expect(svg).toContain("FaCE");
  });

  it("have no sign where all agree and were replayed", () => {
    const svg = drawn([POINT]);
    expect(svg).not.toContain("≠");
    expect(svg).not.toContain(">?<");
  });
});

describe("the panel", () => {
  const panel = (search: object, question = QUESTION, patch = vi.fn()) => (
    <ReplayedPoints
      map={MAP}
      question={question}
      search={search}
      patch={patch}
      replays="trace"
      clock="goes"
      name="example"
      choosesCaches={false}
      onPick={() => undefined}
    />
  );

  it("replays when it is pressed, and titles the map of the points with their sentence", async () => {
    const asked: unknown[] = [];
    vi.spyOn(window, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      if (request.method === "GET") {
        return Response.json(SIMULATOR);
      }
      asked.push(await request.json());
      return Response.json(FOUND);
    });
    const patch = vi.fn();
    await renderThemed(panel({ caches: "face", y_points: 2 }, QUESTION, patch));
    await expect.element(page.getByText(/as chosen .* FACE\.$/)).toBeVisible();
    expect(asked).toEqual([]);
    await page.getByLabelText("Points across").selectOptions("4");
    await page.getByLabelText("Points upwards").selectOptions("3");
    expect(patch.mock.calls).toEqual([[{ x_points: 4 }], [{ y_points: undefined }]]);
    await page.getByRole("button", { name: "Replay points" }).click();
    await expect
      .element(page.getByRole("heading", { name: FOUND.sentence }))
      .toBeVisible();
    expect(asked).toEqual([
      {
        ...QUESTION,
        x_points: 3,
        y_points: 2,
        flash_caches: ["face"],
        flash_cache_options: [],
      },
    ]);
    const keys = page
      .getByRole("list", { name: "Fastest by replay" })
      .getByRole("listitem")
      .elements()
      .map((each) => each.textContent?.trim());
    expect(keys.sort()).toEqual([
      "? not replayed 1 point",
      "Exclusive at 1 point",
      "FaCE at 1 point",
      "≠ the model names another scheme at 1 point",
    ]);
    await page.getByText("Table", { exact: true }).click();
    const table = page.getByRole("table", { name: /by replay/ });
    await expect.poll(() => table.getByRole("row").elements().length).toBe(4);
  });

  it("says why a map over dirty shares has no button", async () => {
    vi.spyOn(window, "fetch").mockImplementation(async () => Response.json(SIMULATOR));
    await renderThemed(panel({}, { ...QUESTION, dirty_share: 0.5 }));
    await expect.element(page.getByText(/dirty pages of the recording/)).toBeVisible();
    expect(page.getByRole("button").elements()).toHaveLength(0);
  });
});
