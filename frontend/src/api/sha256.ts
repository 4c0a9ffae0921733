import type { Sha256Answer } from "./sha256.worker";

export interface Hashing {
  readonly digest: Promise<string>;
  readonly stop: () => void;
}

/** SHA-256 of a file, found beside the page while the file is sent. */
export function hashFile(file: File): Hashing {
  const worker = new Worker(new URL("./sha256.worker.ts", import.meta.url), {
    type: "module",
  });
  const digest = new Promise<string>((resolve, reject) => {
    worker.addEventListener("message", (event: MessageEvent<Sha256Answer>) => {
      worker.terminate();
      if ("sha256" in event.data) {
        resolve(event.data.sha256);
      } else {
        reject(new Error(`\`${file.name}\` could not be read: ${event.data.error}`));
      }
    });
    worker.addEventListener("error", (event) => {
      worker.terminate();
      reject(new Error(`\`${file.name}\` could not be hashed: ${event.message}`));
    });
  });
  worker.postMessage(file);
  // Who stops it waits for nothing.
  digest.catch(() => undefined);
  return { digest, stop: () => worker.terminate() };
}
