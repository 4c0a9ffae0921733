/** What is typed on the page, and the request that it makes. */
import type { CurveStatement } from "@/api/given";
import { bytes, parseNumber, parseSize } from "@/units/quantity";

export interface CurveDraft {
  readonly name: string;
  readonly text: string;
  readonly kind: string;
  readonly sizeUnit: string;
  readonly value: string;
  readonly scale: string;
  readonly sizeColumn: string;
  readonly valueColumn: string;
  readonly pool: string;
  readonly pageBytes: string;
  readonly accessesAs: "count" | "rate";
  readonly accesses: string;
  readonly dataSize: string;
  readonly writes: "unknown" | "dirty" | "written";
  readonly share: string;
  readonly repair: boolean;
  /** What answers a miss that a system counted; empty: nobody has said. */
  readonly missesRead: "" | "device" | "cache";
}

export const EMPTY_DRAFT: CurveDraft = {
  name: "",
  text: "",
  kind: "",
  sizeUnit: "",
  value: "",
  scale: "",
  sizeColumn: "",
  valueColumn: "",
  pool: "",
  pageBytes: "",
  accessesAs: "count",
  accesses: "",
  dataSize: "",
  writes: "unknown",
  share: "",
  repair: false,
  missesRead: "",
};

export const SIZE_UNITS = [
  "pages",
  "B",
  "KiB",
  "MiB",
  "GiB",
  "TiB",
  "kB",
  "MB",
  "GB",
  "TB",
] as const;

export type Faults = Partial<Record<"accesses" | "dataSize" | "share", string>>;

/** Numbers that cannot be read are not sent; the field says what is wrong. */
export function faultsOf(draft: CurveDraft): Faults {
  const faults: Faults = {};
  const accesses = parseNumber(draft.accesses);
  if (draft.accesses.trim() !== "") {
    if (accesses === null || accesses <= 0) {
      faults.accesses = `"${draft.accesses.trim()}" is not a positive number; write 12,000,000`;
    } else if (draft.accessesAs === "count" && !Number.isSafeInteger(accesses)) {
      faults.accesses = "use a whole number of accesses";
    }
  }
  if (draft.dataSize.trim() !== "" && dataBytes(draft.dataSize) === null) {
    faults.dataSize = `"${draft.dataSize.trim()}" is not a size with a unit; write 800 GiB`;
  }
  if (draft.writes !== "unknown" && shareOf(draft) === null) {
    faults.share = "a percentage from 0 to 100";
  }
  return faults;
}

function dataBytes(text: string): number | null {
  if (!/[a-z]/i.test(text) || /page/i.test(text)) {
    return null;
  }
  const parsed = parseSize(text, bytes(1), 1);
  return parsed.ok ? parsed.value : null;
}

function shareOf(draft: CurveDraft): number | null {
  const percent = parseNumber(draft.share);
  return percent !== null && percent <= 100 ? percent / 100 : null;
}

/** The request; whatever is empty or wrong is left out, so that it is asked. */
export function statementOf(draft: CurveDraft): CurveStatement {
  const faults = faultsOf(draft);
  const text = (value: string) => (value === "" ? undefined : value);
  const accesses = faults.accesses === undefined ? parseNumber(draft.accesses) : null;
  const stated = {
    text: draft.text,
    kind: text(draft.kind),
    size_unit: text(draft.sizeUnit),
    value: text(draft.value),
    scale: text(draft.scale),
    size_column: text(draft.sizeColumn),
    value_column: text(draft.valueColumn),
    pool: text(draft.pool),
    page_bytes: draft.pageBytes === "" ? undefined : Number(draft.pageBytes),
    accesses: draft.accessesAs === "count" ? (accesses ?? undefined) : undefined,
    accesses_per_s: draft.accessesAs === "rate" ? (accesses ?? undefined) : undefined,
    data_bytes: dataBytes(draft.dataSize) ?? undefined,
    dirty_share: draft.writes === "dirty" ? (shareOf(draft) ?? undefined) : undefined,
    write_share: draft.writes === "written" ? (shareOf(draft) ?? undefined) : undefined,
    repair: draft.repair,
    misses_read: text(draft.missesRead),
  };
  return Object.fromEntries(
    Object.entries(stated).filter(([, value]) => value !== undefined),
  ) as unknown as CurveStatement;
}
