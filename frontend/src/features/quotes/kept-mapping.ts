/** What part numbers and models are: kept in this browser, and written as the file of `--mapping`. */
import { useCallback, useState } from "react";

export interface MappedItem {
  readonly kind: string;
  readonly item: string;
  readonly quantity?: number;
  readonly size_gib?: string;
}

/** An entry of the mapping: what a line is recognised by, and what one piece of it holds. */
export type MappedLine = Readonly<Record<string, unknown>> & {
  readonly is: readonly MappedItem[];
};

const KEY = "tierwright-line-mapping";
const BY = ["supplier", "part_number", "manufacturer", "manufacturer_part_number"];

const isLine = (entry: unknown): entry is MappedLine =>
  typeof entry === "object" &&
  entry !== null &&
  Array.isArray((entry as { is?: unknown }).is);

/** The entries of a file, or of what was kept; null where it is not a mapping. */
export function readMapping(text: string): readonly MappedLine[] | null {
  try {
    const found: unknown = JSON.parse(text);
    const lines =
      typeof found === "object" && found !== null && "line" in found
        ? found.line
        : found;
    return Array.isArray(lines) && lines.every(isLine) ? lines : null;
  } catch {
    return null;
  }
}

const sameBy = (one: MappedLine, other: MappedLine): boolean =>
  BY.every((name) => one[name] === other[name]);

/** The mapping with an entry, in place of one of the same part numbers. */
export const withLine = (
  lines: readonly MappedLine[],
  line: MappedLine,
): readonly MappedLine[] => [...lines.filter((each) => !sameBy(each, line)), line];

/** The file that `tierwright quotes rank --mapping` takes. */
export const mappingFile = (lines: readonly MappedLine[]): string =>
  `${JSON.stringify({ line: lines }, null, 1)}\n`;

const kept = (): readonly MappedLine[] => {
  try {
    return readMapping(window.localStorage.getItem(KEY) ?? "") ?? [];
  } catch {
    return []; // a browser that keeps nothing
  }
};

export function useKeptMapping() {
  const [lines, setLines] = useState(kept);
  const keep = useCallback((changed: readonly MappedLine[]) => {
    setLines(changed);
    try {
      window.localStorage.setItem(KEY, JSON.stringify(changed));
    } catch {
      // Used until the page is closed.
    }
  }, []);
  return { lines, keep };
}
