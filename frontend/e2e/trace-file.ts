import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdDecompressSync } from "node:zlib";

const SOURCE =
  process.env["TIERWRIGHT_E2E_RECORDING"] ??
  join(import.meta.dirname, "..", "..", "fixtures", "traces", "tpcb-cut.csv.zst");

export const RECORDS = 50_000;

/** 3,000 requests as a table. */
export const parquetTable = join(
  import.meta.dirname,
  "..",
  "..",
  "fixtures",
  "traces",
  "table.parquet",
);

function sourceText(): string {
  const raw = readFileSync(SOURCE);
  return (SOURCE.endsWith(".zst") ? zstdDecompressSync(raw) : raw).toString("utf8");
}

const folder = mkdtempSync(join(tmpdir(), "tierwright-e2e-"));

function write(name: string, content: Buffer | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/**
 * The head of the recorded trace, gzipped. What was imported before is found again instead of
 * read: a story that imports it takes a number of records that no other story takes, and that
 * the shipped example does not have.
 */
export function cutTrace(records = RECORDS): string {
  const lines = sourceText().split("\n", records + 1);
  return write(`tpcb-head-${records}.csv.gz`, gzipSync(`${lines.join("\n")}\n`));
}

/** The same records under column names that no format has. */
export function foreignCsv(): string {
  const [, ...lines] = sourceText().split("\n", 2001);
  return write("foreign.csv", `when,what,object,page_no\n${lines.join("\n")}\n`);
}

/** Five numbers a line: DiskSim's and FlashSim's columns alike. */
export function ambiguousTrace(name: string): string {
  const lines = Array.from(
    { length: 400 },
    (_, index) => `${index}.000000 0 ${(index % 90) * 8} 8 ${index % 2}`,
  );
  return write(name, `${lines.join("\n")}\n`);
}

/** A tar archive of the same requests of two machines. */
export function archiveOfTwoMachines(name: string): string {
  const block = 512;
  const text = Array.from(
    { length: 300 },
    (_, index) => `0,${(index % 50) * 8},4096,R,${index}.5\n`,
  ).join("");
  const blocks = ["web.spc", "mail.spc"].flatMap((member) => {
    const head = Buffer.alloc(block);
    const fields: [number, string][] = [
      [0, member],
      [100, "0000644\0"],
      [108, "0000000\0"],
      [116, "0000000\0"],
      [124, `${text.length.toString(8).padStart(11, "0")}\0`],
      [136, "00000000000\0"],
      [148, "        "],
      [156, "0"],
      [257, "ustar\0"],
      [263, "00"],
    ];
    for (const [at, field] of fields) {
      head.write(field, at, "latin1");
    }
    const sum = head.reduce((all, byte) => all + byte, 0);
    head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    const padding = Buffer.alloc((block - (text.length % block)) % block);
    return [head, Buffer.from(text, "latin1"), padding];
  });
  return write(name, Buffer.concat([...blocks, Buffer.alloc(2 * block)]));
}

/** Records of which two are no records. */
export function brokenTrace(name: string): string {
  const lines = sourceText().split("\n", 3001);
  lines.splice(1500, 0, "not,a,record", "12,R,0/1,-4");
  return write(name, `${lines.join("\n")}\n`);
}

export const emptyFile = (): string => write("empty.csv", "");

export const binaryFile = (): string =>
  write(
    "picture.csv",
    Buffer.concat([Buffer.from([0, 255, 0, 1]), randomBytes(100_000)]),
  );

/** Enough random bytes for an upload that can be stopped on the way. */
export const largeFile = (name: string, mib = 48): string =>
  write(name, randomBytes(mib * 1024 * 1024));
