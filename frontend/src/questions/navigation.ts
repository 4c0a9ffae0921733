/** The five places of the menu, the pages that each holds, and how to find the place of a page. */
import { QUESTIONS } from "./registry";

const { advice: ADVICE, ...OTHERS } = QUESTIONS;

const WORKLOADS = { to: "/workloads", label: "Workloads" } as const;
const HARDWARE = { to: "/hardware", label: "Hardware" } as const;

/** What an advice rests on, question by question. */
const EXPLORE = {
  label: "Explore",
  // Questions of a device alone, and of a file of events: without a workload, so no scenario keeps them.
  pages: [
    ...Object.values(OTHERS),
    { to: "/transactions", label: "Transactions" },
    { to: "/flash-device", label: "Flash device" },
  ],
} as const;

/** What was kept, what was computed, and what can be looked up. */
const LIBRARY = {
  label: "Library",
  pages: [
    { to: "/scenarios", label: "Scenarios" },
    { to: "/runs", label: "Runs" },
    { to: "/formulas", label: "Formulas" },
    { to: "/docs", label: "API" },
  ],
} as const;

/** In the order of the menu: the question first, what it rests on behind it. */
export const PLACES = [ADVICE, WORKLOADS, HARDWARE, EXPLORE, LIBRARY] as const;
export type Place = (typeof PLACES)[number];
export type PlaceOfPages = typeof EXPLORE | typeof LIBRARY;

/** Pages that have no entry of their own, and the entry that leads to them. */
const LED_TO_BY: Readonly<Record<string, string>> = {
  "/uploads": WORKLOADS.to,
  "/given-curve": WORKLOADS.to,
  "/describe": WORKLOADS.to,
  "/quotes": ADVICE.to,
};

/** Every page of the menu, in its order, and the start. */
export const PAGES = [
  { to: "/", label: "Start" },
  ADVICE,
  { to: "/quotes", label: "Quotes" },
  WORKLOADS,
  HARDWARE,
  ...EXPLORE.pages,
  ...LIBRARY.pages,
] as const;

const isAt = (to: string, path: string): boolean =>
  path === to || path.startsWith(`${to}/`);

/** Whether a place of the menu is, holds or leads to the page at a path. */
export function holds(place: Place, path: string): boolean {
  if ("pages" in place) {
    return place.pages.some(({ to }) => isAt(to, path));
  }
  const leads = Object.entries(LED_TO_BY).some(
    ([page, to]) => to === place.to && isAt(page, path),
  );
  return leads || isAt(place.to, path);
}
