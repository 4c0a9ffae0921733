/** What the page "API" adds to the address: the operation that is shown. */

export interface DocsSearch {
  operation?: string | undefined;
  refused?: string | undefined;
}

const ID = /^[a-z]\w{0,80}$/;
const SHOWN = 60;

/** Reads the page's own parameter; what cannot be used is said, and counts as absent. */
export function parseDocsSearch(raw: Record<string, unknown>): DocsSearch {
  const { operation } = raw;
  if (typeof operation === "string" && ID.test(operation)) {
    return { operation };
  }
  return operation === undefined
    ? {}
    : {
        refused: `operation=${String(operation).slice(0, SHOWN)} (needs the id of an operation)`,
      };
}
