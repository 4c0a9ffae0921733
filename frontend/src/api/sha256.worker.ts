import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

// Hashes a file in pieces, beside the page, so that neither memory nor the page suffers.
// JavaScript and not WebAssembly: the page's content policy forbids that, and WebCrypto
// wants a file whole.

const PIECE_BYTES = 4 * 1024 * 1024;

export type Sha256Answer = { readonly sha256: string } | { readonly error: string };

self.addEventListener("message", (event: MessageEvent<File>) => {
  const file = event.data;
  void hash(file).then(
    (digest) => self.postMessage({ sha256: digest } satisfies Sha256Answer),
    (error: unknown) =>
      self.postMessage({ error: String(error) } satisfies Sha256Answer),
  );
});

async function hash(file: File): Promise<string> {
  const state = sha256.create();
  for (let start = 0; start < file.size; start += PIECE_BYTES) {
    const piece = file.slice(start, start + PIECE_BYTES);
    state.update(new Uint8Array(await piece.arrayBuffer()));
  }
  return bytesToHex(state.digest());
}
