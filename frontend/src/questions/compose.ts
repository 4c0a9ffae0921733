import { namedFields, oneOf, type Refused, readAddress, whole } from "./address";
import { membersText } from "./members";

/** What the page of a composition adds to the address. */
export interface ComposeSearch {
  /** The workloads: `orders,logs:5000`. */
  of?: string | undefined;
  /** Whether a part for each is looked at; absent: one shared cache. */
  split?: boolean | undefined;
  /** All of the cache; absent: a tenth of all pages. */
  cache_pages?: number | undefined;
}

const FIELDS = namedFields({
  of: membersText,
  split: oneOf([true]),
  cache_pages: whole({ low: 1, high: Number.MAX_SAFE_INTEGER }, "pages"),
});

/** Reads the page's own parameters. */
export const parseComposeSearch = (
  raw: Record<string, unknown>,
): ComposeSearch & Refused => readAddress(FIELDS, raw);
