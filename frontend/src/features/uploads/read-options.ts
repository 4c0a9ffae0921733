import type { Problem } from "@/api/problem";
import type { ReadOptions } from "@/api/uploads";
import { bytes, type Parsed, parseSize } from "@/units/quantity";

/** What the reader of this page has chosen or typed about an upload, as typed. */
export interface ReadDraft {
  readonly name: string;
  /** "" lets the server detect the format. */
  readonly format: string;
  /** "" takes the format's own page size. */
  readonly pageBytes: string;
  /** Bad lines or records to pass over; "" tolerates none. */
  readonly skipBadRecords: string;
  /** Size of each recorded device, such as "1 TiB"; "" is not compared. */
  readonly deviceSize: string;
  /** Whether each member of an archive is of devices of its own. */
  readonly membersApart: boolean;
  /** Whether the members of an archive are merged by time. */
  readonly membersMerged: boolean;
  readonly mapping: Mapping;
}

export interface Mapping {
  readonly addressing: "offset" | "page" | "key";
  readonly address: string;
  readonly offsetUnit: string;
  readonly size: string;
  readonly sizeUnit: string;
  readonly time: string;
  readonly timeUnit: string;
  readonly op: string;
  readonly readValues: string;
  readonly writeValues: string;
  readonly device: string;
  readonly delimiter: string;
  readonly header: string;
}

export const EMPTY_MAPPING: Mapping = {
  addressing: "offset",
  address: "",
  offsetUnit: "",
  size: "",
  sizeUnit: "",
  time: "",
  timeUnit: "",
  op: "",
  readValues: "",
  writeValues: "",
  device: "",
  delimiter: "",
  header: "",
};

/** Formats that are read through a column mapping; the first is that of any text. */
export const TABLE_FORMATS: readonly string[] = ["csv", "parquet"];
export const TEXT_TABLE = "csv";

export const isTable = (format: string): boolean => TABLE_FORMATS.includes(format);

/** The mapping in the keys of the generic CSV reader; what is empty is left out. */
export function mappingColumns(mapping: Mapping): Record<string, string> {
  const offset = mapping.addressing === "offset";
  const columns: Record<string, string> = {
    [mapping.addressing]: mapping.address,
    offset_unit: offset ? mapping.offsetUnit : "",
    size: offset ? mapping.size : "",
    size_unit: offset && mapping.size !== "" ? mapping.sizeUnit : "",
    time: mapping.time,
    time_unit: mapping.time === "" ? "" : mapping.timeUnit,
    op: mapping.op,
    read_values: mapping.op === "" ? "" : mapping.readValues,
    write_values: mapping.op === "" ? "" : mapping.writeValues,
    device: mapping.device,
    delimiter: mapping.delimiter,
    header: mapping.header,
  };
  return Object.fromEntries(
    Object.entries(columns).filter(([, value]) => value !== ""),
  );
}

export interface MappingFault {
  readonly field: keyof Mapping;
  readonly message: string;
}

/** What the generic reader needs and does not have: nothing is guessed. */
export function mappingFaults(mapping: Mapping): MappingFault[] {
  const faults: MappingFault[] = [];
  const needs = (field: keyof Mapping, message: string) => {
    if (mapping[field] === "") {
      faults.push({ field, message });
    }
  };
  needs("address", "choose the column with the address");
  if (mapping.addressing === "offset") {
    needs("offsetUnit", "choose the unit: a wrong one yields different pages");
    needs("size", "choose the column with the length of a request");
    if (mapping.size !== "") {
      needs("sizeUnit", "choose the unit of the length");
    }
  }
  if (mapping.time !== "") {
    needs("timeUnit", "choose the unit: a wrong one makes every rate wrong");
  }
  if ((mapping.readValues === "") !== (mapping.writeValues === "")) {
    faults.push({
      field: mapping.readValues === "" ? "readValues" : "writeValues",
      message: "give both, or neither for R/W and read/write",
    });
  }
  return faults;
}

/** Smallest and largest size that the server takes for a device. [bytes] */
const DEVICE_BYTES = [512, 2 ** 60] as const;

/** The size of a device as typed; a bare number is bytes. */
export function parseDeviceSize(text: string): Parsed<number> {
  const hint = "give the size of the recorded device, such as 1 TiB or 960 GB";
  const parsed = parseSize(text, bytes(1));
  if (!parsed.ok || /page/i.test(text)) {
    return { ok: false, message: `"${text.trim()}" is not a size`, hint };
  }
  const [least, most] = DEVICE_BYTES;
  return parsed.value < least || parsed.value > most
    ? { ok: false, message: "use a size from 512 bytes to 1 EiB", hint }
    : parsed;
}

export function readOptions(draft: ReadDraft): ReadOptions {
  const device = parseDeviceSize(draft.deviceSize);
  const isText = draft.format === TEXT_TABLE;
  const mapping = isText
    ? draft.mapping
    : { ...draft.mapping, delimiter: "", header: "" };
  const columns = isTable(draft.format) ? mappingColumns(mapping) : {};
  return {
    ...(draft.format === "" ? {} : { format: draft.format }),
    ...(draft.pageBytes === "" ? {} : { page_bytes: Number(draft.pageBytes) }),
    ...(Object.keys(columns).length === 0 ? {} : { columns }),
    ...(draft.skipBadRecords === "" || draft.skipBadRecords === "0"
      ? {}
      : { skip_bad_records: Number(draft.skipBadRecords) }),
    ...(draft.deviceSize !== "" && device.ok ? { device_bytes: device.value } : {}),
    ...(draft.membersApart ? { members_apart: true } : {}),
    ...(draft.membersMerged ? { members_merged: true } : {}),
  };
}

export interface FormatCandidate {
  readonly format: string;
  readonly reason: string;
}

const namedIn = (problem: Problem): FormatCandidate[] =>
  problem.errors.flatMap(({ where, data, message }) =>
    where === "body.format" && typeof data === "string"
      ? [{ format: data, reason: message }]
      : [],
  );

/** The formats that a refusal of the server asks to choose from. */
export function candidatesIn(problem: Problem): FormatCandidate[] {
  return namedIn(problem).filter(({ format }) => !isTable(format));
}

/** The kind of table that a refusal is about: text, unless it says another. */
export function tableFormatIn(problem: Problem): string {
  return namedIn(problem).find(({ format }) => isTable(format))?.format ?? TEXT_TABLE;
}

/** Column names that a refusal of the server names as data. */
export function columnsIn(problem: Problem): string[] {
  const entry = problem.errors.find(({ where }) => where === "body.columns");
  const names = Array.isArray(entry?.data) ? entry.data : [];
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

/** "tpcb-cut.csv.zst" -> "tpcb-cut" */
export function nameOfFile(filename: string | null): string {
  const bare = (filename ?? "").replace(/\.(gz|zst|zstd|xz|bz2)$/i, "");
  const stem = bare.replace(
    /\.(csv|txt|trace|vscsi|tsv|bin|oracleGeneral|tar|zip|twt|parquet)$/i,
    "",
  );
  return stem === "" ? "Trace" : stem;
}
