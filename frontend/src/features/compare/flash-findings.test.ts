import { expect, test } from "vitest";
import type { DirectoriesOut, FlashChoiceOut } from "@/api/flash-choice";
import type { AnalysisState } from "@/questions/point";
import {
  choiceBars,
  directoriesQuestion,
  directoryBars,
  directoryTable,
} from "./flash-findings";

const row = (id: string, time: number, worth: number | null) => ({
  device_id: id,
  device_name: id.toUpperCase(),
  io_time_us_per_access: time,
  price_times_time: worth,
});

const CHOICE = {
  rows: [row("a", 1, 9), row("b", 2, null), row("c", 3, 4)],
  best_by_time: "a",
  best_by_price_times_time: "c",
} as unknown as FlashChoiceOut;

test("devices are ranked by time, or by price x time where they have a price", () => {
  expect(choiceBars(CHOICE, "time").map(({ title }) => title)).toEqual(["A", "B", "C"]);
  const worth = choiceBars(CHOICE, "worth");
  expect(worth.map(({ title, best }) => [title, best])).toEqual([
    ["C", true],
    ["A", false],
  ]);
});

const scheme = { scheme: "lazy", title: "Lazy", worst_total_us: 9 };
const option = {
  placement: "ram",
  flash_page_bytes: 8192,
  technique: null,
  directory_bytes: 1024,
  ram_pages: 10,
  flash_blocks: 20,
  safest: "lazy",
  saving: 0.5,
  reason: "",
};
const STUDY = {
  options: [
    {
      ...option,
      schemes: [
        { ...scheme, io_us: 4, directory_us: 1, block_read_us: 0, total_us: 5 },
      ],
    },
    { ...option, placement: "flash", schemes: [], safest: null, reason: "no room" },
  ],
  safest: 0,
} as unknown as DirectoriesOut;

test("what leaves no room has a row with its reason, and no bar", () => {
  expect(directoryBars(STUDY)).toEqual([
    {
      title: "In RAM, 8 KiB",
      parts: { io: 4, directory: 1, blocks: 0, worst: 4 },
      best: true,
    },
  ]);
  expect(directoryTable(STUDY).shown[1]?.at(-1)).toBe("no room");
  expect(directoryTable(STUDY).shown[0]?.[4]).toBe("50 %");
});

test("no flash page is asked about that is larger than the flash", () => {
  const state = { flash_pages: 3 } as unknown as AnalysisState;
  const use = { hitRatio: 0.9, dirty: 0.3 };
  expect(directoriesQuestion(state, undefined, 8192, use).flash_page_bytes).toEqual([
    8192, 16_384,
  ]);
});
