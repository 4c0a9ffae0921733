/** What part numbers and models are: kept by the server, and written as the file of `--mapping`. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { keepLineMapping, lineMappingQuery } from "@/api/quotes";

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

/** The entries of a file, or of what a browser kept; null where it is not a mapping. */
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

/** A mapping with what a browser kept; for the same part numbers the kept mapping of the server counts. */
export const withEarlier = (
  lines: readonly MappedLine[],
  earlier: readonly MappedLine[],
): readonly MappedLine[] => [
  ...lines,
  ...earlier.filter((each) => !lines.some((line) => sameBy(line, each))),
];

/** What an earlier version kept in the browser; null where it kept nothing. */
const ofBrowser = (): readonly MappedLine[] | null => {
  try {
    return readMapping(window.localStorage.getItem(KEY) ?? "");
  } catch {
    return null; // a browser that keeps nothing
  }
};

const forgetBrowser = (): void => {
  try {
    window.localStorage.removeItem(KEY);
  } catch {
    // a browser that keeps nothing
  }
};

/** The mapping that the server keeps. */
export function useKeptMapping() {
  const client = useQueryClient();
  const kept = useQuery(lineMappingQuery());
  const { data } = kept;
  const put = useMutation({
    mutationFn: (lines: readonly MappedLine[]) =>
      keepLineMapping([...lines], data?.etag ?? ""),
    onSuccess: (found, lines) => {
      // What the server has now is not merged again, and what the user forgot does not come back.
      const isMerged = withEarlier(lines, ofBrowser() ?? []).length === lines.length;
      if (isMerged || lines.length === 0) {
        forgetBrowser();
      }
      client.setQueryData(lineMappingQuery().queryKey, found);
    },
    // Another page may have changed it: what it stated is shown, and nothing of it is lost.
    onError: () => client.invalidateQueries(lineMappingQuery()),
  });
  const { mutate } = put;
  const lines = useMemo(() => (data?.line ?? []) as unknown as MappedLine[], [data]);
  useEffect(() => {
    const earlier = data === undefined ? null : ofBrowser();
    if (earlier === null) {
      return;
    }
    const merged = withEarlier(lines, earlier);
    if (merged.length === lines.length) {
      forgetBrowser();
    } else {
      mutate(merged);
    }
  }, [data, lines, mutate]);
  return {
    lines,
    keep: mutate,
    isReady: data !== undefined,
    notLoaded: kept.error,
    notKept: put.error,
    load: () => void kept.refetch(),
  };
}
