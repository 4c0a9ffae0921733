/** Offers a text or a data URL to the user as a file. */
export function downloadText(name: string, type: string, text: string): void {
  downloadBlob(name, new Blob([text], { type }));
}

export function downloadBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  downloadUrl(name, url);
  // The click has read the blob by then; a minute is ample and frees the memory.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function downloadUrl(name: string, url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

/** "TPC-B, cut / hit ratio" -> "tpc-b-cut-hit-ratio" */
export function fileStem(text: string): string {
  const stem = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return stem === "" ? "tierwright" : stem;
}
