/** The pages of the menu, in its order. */
import { QUESTIONS } from "./registry";

export const NAVIGATION = [
  { to: "/", label: "Start" },
  { to: "/workloads", label: "Workloads" },
  { to: "/hardware", label: "Hardware" },
  ...Object.values(QUESTIONS),
  { to: "/formulas", label: "Formulas" },
  { to: "/runs", label: "Runs" },
  { to: "/scenarios", label: "Scenarios" },
  { to: "/docs", label: "API" },
] as const;
