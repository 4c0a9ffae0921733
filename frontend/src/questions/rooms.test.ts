import { describe, expect, it } from "vitest";

const SOURCES = import.meta.glob<string>("../features/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

const QUESTIONS = Object.keys(import.meta.glob("./*.ts")).flatMap((path) => {
  const name = path.slice("./".length, -".ts".length);
  // What all questions share, and the table of them, belong to everybody.
  const isShared = [
    "address",
    "defaults",
    "members",
    "navigation",
    "point",
    "registry",
    "replayed",
    "use-analysis",
  ].includes(name);
  return isShared || name.endsWith(".test") ? [] : [name];
});

/** Features that are no question, and whose question they lead to, with the reason. */
const LEADS_TO: Readonly<Record<string, readonly string[]>> = {
  // "What a tier costs" and the bill stand on the page of hardware.
  hardware: ["tier-cost", "bill"],
  // A run of a sweep leads to the sweep.
  runs: ["simulate"],
  // Two scenarios side by side are two comparisons.
  scenarios: ["compare"],
  // An option leads to its bill, and to what it rests on.
  advice: ["advice", "bill", "evidence"],
  // What can be bought leads to its bill.
  workloads: ["bill"],
};

describe("a feature", () => {
  it("imports its own question only", () => {
    expect(QUESTIONS).toHaveLength(16);
    const others = Object.entries(SOURCES).flatMap(([path, source]) => {
      const feature = path.split("/")[2] ?? "";
      const own = LEADS_TO[feature] ?? [feature];
      return [...source.matchAll(/from "@\/questions\/([^"]+)"/g)].flatMap(
        ([, question = ""]) =>
          QUESTIONS.includes(question) && !own.includes(question)
            ? [`${path} imports ${question}`]
            : [],
      );
    });
    expect(others).toEqual([]);
  });
});
