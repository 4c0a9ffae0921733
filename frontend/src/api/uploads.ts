import { queryOptions } from "@tanstack/react-query";
import type { DetailedError, Upload } from "tus-js-client";
import { answer } from "./client";
import {
  getStorage,
  listUploads,
  previewUpload,
  registerFile,
  verifyUpload,
} from "./gen/sdk.gen";
import type { ReadOptions } from "./gen/types.gen";
import { everyPage } from "./pages";
import { ProblemError, problemOfBody, toProblem } from "./problem";
import { hashFile } from "./sha256";

export type { PreviewOut, ReadOptions, StorageOut, UploadOut } from "./gen/types.gen";

const ENDPOINT = "/api/v1/uploads";
const CHUNK_BYTES = 16 * 1024 * 1024;
const RETRY_DELAYS_MS = [0, 1000, 3000, 5000, 10_000];

export const uploadsQuery = () =>
  queryOptions({
    queryKey: ["uploads"],
    queryFn: ({ signal }) =>
      everyPage((page) =>
        answer(listUploads({ query: page, signal, throwOnError: true })),
      ),
  });

/** The room that is used, and the limits. */
export const storageQuery = () =>
  queryOptions({
    queryKey: ["storage"],
    queryFn: ({ signal }) => answer(getStorage({ signal, throwOnError: true })),
  });

/** Takes a file of the server's machine; it stays where it is. */
export const registerPath = (path: string) =>
  answer(registerFile({ body: { path }, throwOnError: true }));

export const previewQuery = (uploadId: string, options: ReadOptions) =>
  queryOptions({
    queryKey: ["uploads", uploadId, "preview", options],
    queryFn: ({ signal }) =>
      answer(
        previewUpload({
          signal,
          path: { upload_id: uploadId },
          body: options,
          throwOnError: true,
        }),
      ),
    staleTime: 60_000,
  });

export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** Bytes per second over the last few seconds; `null` until it can be known. */
  readonly bytesPerSecond: number | null;
}

export interface UploadHandle {
  /** Stops and removes what the server has. */
  readonly cancel: () => Promise<void>;
}

export interface UploadEvents {
  readonly onProgress: (progress: UploadProgress) => void;
  readonly onResumed: (fromBytes: number) => void;
  /** All bytes have arrived; the hashes are compared. */
  readonly onVerifying: () => void;
  readonly onDone: (uploadId: string) => void;
  readonly onError: (error: ProblemError) => void;
}

const RATE_WINDOW_MS = 4000;

/** Rate over a sliding window, so that it follows the line and not the start. */
export function rateMeter() {
  let samples: { readonly at: number; readonly bytes: number }[] = [];
  return (at: number, bytes: number): number | null => {
    samples = [
      ...samples.filter((sample) => at - sample.at <= RATE_WINDOW_MS),
      { at, bytes },
    ];
    const first = samples[0];
    if (first === undefined || at - first.at < 200) {
      return null;
    }
    return ((bytes - first.bytes) * 1000) / (at - first.at);
  };
}

export function idOfUploadUrl(url: string): string {
  const last = new URL(url, window.location.origin).pathname.split("/").pop();
  return decodeURIComponent(last ?? "");
}

/** A file that cannot be a trace is refused before a byte is sent. */
export function refuseFile(file: File): ProblemError | null {
  if (file.size > 0) {
    return null;
  }
  return new ProblemError({
    title: "This file is empty",
    status: null,
    detail: `\`${file.name}\` has 0 bytes, so there is no trace in it.`,
    hint: "Choose a trace with at least one access; supported formats are listed below.",
    errors: [],
  });
}

function problemOfTus(error: Error | DetailedError): ProblemError {
  const response = "originalResponse" in error ? error.originalResponse : null;
  if (response === null || response === undefined) {
    return new ProblemError({
      title: "The connection broke",
      status: null,
      detail: "The server could not be reached, so the upload stopped.",
      hint: "Check that the server runs, then choose the same file again: the upload resumes where it stopped.",
      errors: [],
    });
  }
  let body: unknown = response.getBody();
  try {
    body = JSON.parse(String(body));
  } catch {
    body = {
      detail: `The server answered with status ${response.getStatus()}: ${String(body)}`,
    };
  }
  return new ProblemError(problemOfBody(body, response.getStatus()));
}

/** Uploads a file (tus 1.0), going on where an earlier attempt with it stopped. */
export async function startUpload(
  file: File,
  events: UploadEvents,
): Promise<UploadHandle> {
  const tus = await import("tus-js-client");
  const meter = rateMeter();
  const hashing = hashFile(file);
  // Settled as soon as the server has named the upload, or there is none to name.
  const named = Promise.withResolvers<void>();
  const upload: Upload = new tus.Upload(file, {
    endpoint: ENDPOINT,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    removeFingerprintOnSuccess: true,
    // The server cannot resume an upload that lacks either of the two.
    metadata: {
      filename: file.name,
      filetype: file.type === "" ? "application/octet-stream" : file.type,
    },
    onProgress: (sentBytes, totalBytes) =>
      events.onProgress({
        sentBytes,
        totalBytes,
        bytesPerSecond: meter(performance.now(), sentBytes),
      }),
    onUploadUrlAvailable: () => named.resolve(),
    onSuccess: () => {
      events.onVerifying();
      void verified(idOfUploadUrl(upload.url ?? ""), hashing.digest).then(
        events.onDone,
        (error: unknown) => events.onError(new ProblemError(toProblem(error))),
      );
    },
    onError: (error) => {
      hashing.stop();
      named.resolve();
      events.onError(problemOfTus(error));
    },
  });
  const earlier = await upload.findPreviousUploads();
  const latest = earlier[0];
  if (latest !== undefined) {
    upload.resumeFromPreviousUpload(latest);
    events.onResumed(0);
  }
  upload.start();
  return {
    cancel: async () => {
      // Stopped before it has a name, it could not be removed from the server.
      hashing.stop();
      await named.promise;
      await upload.abort(true);
    },
  };
}

/** Compares what was read here with what arrived there; the server removes a damaged one. */
async function verified(uploadId: string, digest: Promise<string>): Promise<string> {
  const path = { upload_id: uploadId };
  const body = { sha256: await digest };
  await answer(verifyUpload({ path, body, throwOnError: true }));
  return uploadId;
}

/** Removes an unfinished or unwanted upload from the server. */
export async function discardUpload(uploadId: string): Promise<void> {
  const url = `${ENDPOINT}/${encodeURIComponent(uploadId)}`;
  const response = await fetch(url, {
    method: "DELETE",
    headers: { "Tus-Resumable": "1.0.0" },
  });
  if (!response.ok && response.status !== 404 && response.status !== 410) {
    throw new ProblemError(problemOfBody(await readJson(response), response.status));
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}
