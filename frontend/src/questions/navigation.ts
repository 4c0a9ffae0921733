/** The pages of the menu, in its order. */
import { QUESTIONS } from "./registry";

const { advice: ADVICE, ...OTHERS } = QUESTIONS;
/** What an advice rests on, question by question. */
const EVIDENCE = Object.values(OTHERS);

export const NAVIGATION = [
  { to: "/", label: "Start" },
  { to: "/workloads", label: "Workloads" },
  ADVICE,
  { to: "/hardware", label: "Hardware" },
  ...EVIDENCE,
  { to: "/formulas", label: "Formulas" },
  { to: "/runs", label: "Runs" },
  { to: "/scenarios", label: "Scenarios" },
  { to: "/docs", label: "API" },
] as const;
