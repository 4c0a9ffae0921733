import { describe, expect, it } from "vitest";
import { hashFile } from "./sha256";

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

describe("the hash of a file", () => {
  it("is that of the browser's own implementation, over several pieces", async () => {
    const bytes = new Uint8Array(9_000_001).map((_, index) => (index * 31) % 251);
    const expected = hex(await crypto.subtle.digest("SHA-256", bytes));
    expect(await hashFile(new File([bytes], "t.bin")).digest).toBe(expected);
  });

  it("is that of the standard for three letters", async () => {
    expect(await hashFile(new File(["abc"], "t.txt")).digest).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});
