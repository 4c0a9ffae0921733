/** What the page "API" adds to the address: the operation that is shown. */
import { type Refused, readAddress, readBy } from "@/questions/address";

export interface DocsSearch extends Refused {
  operation?: string | undefined;
}

const ID = /^[a-z]\w{0,80}$/;
const FIELDS = {
  operation: readBy(
    (value) => (typeof value === "string" && ID.test(value) ? value : undefined),
    "the id of an operation",
  ),
} as const;

/** Reads the page's own parameter. */
export const parseDocsSearch = (raw: Record<string, unknown>): DocsSearch =>
  readAddress(FIELDS, raw);
