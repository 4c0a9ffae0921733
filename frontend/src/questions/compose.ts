import { oneOf, type Refused, readAddress, readBy, whole } from "./address";

/** A workload on the machine, and its rate where one was stated. */
export interface Member {
  readonly id: string;
  /** Page accesses per second; null: that of production, or as recorded. */
  readonly rate: number | null;
}

/** What the page of a composition adds to the address. */
export interface ComposeSearch {
  /** The workloads: `orders,logs:5000`. */
  of?: string | undefined;
  /** Whether a part for each is looked at; absent: one shared cache. */
  split?: boolean | undefined;
  /** All of the cache; absent: a tenth of all pages. */
  cache_pages?: number | undefined;
  /** Whether it is asked which of them should share a system. */
  systems?: boolean | undefined;
}

/** As many as the server places on systems at once. */
export const MOST_PLACED = 6;
/** As many as the server composes at once. */
export const MOST_WORKLOADS = 32;
export const MOST_RATE = 1e15;
const BETWEEN = ",";
const MEMBER = /^([a-z0-9][a-z0-9._-]{0,99})(?::([0-9][0-9.e+-]{0,24}))?$/;

/** Reads the workloads of an address; null where one of them cannot be read. */
export function readMembers(text: string): readonly Member[] | null {
  const members = text.split(BETWEEN).map((each): Member | null => {
    const [, id, rate] = MEMBER.exec(each) ?? [];
    if (id === undefined) {
      return null;
    }
    const value = rate === undefined ? null : Number(rate);
    return value === null || (value > 0 && value <= MOST_RATE)
      ? { id, rate: value }
      : null;
  });
  return members.length <= MOST_WORKLOADS && members.every((each) => each !== null)
    ? members
    : null;
}

/** The workloads as they stand in an address; absent where there is none. */
export const writeMembers = (members: readonly Member[]): string | undefined =>
  members.length === 0
    ? undefined
    : members
        .map(({ id, rate }) => (rate === null ? id : `${id}:${rate}`))
        .join(BETWEEN);

const FIELDS = {
  of: readBy((value) => {
    // An id that looks like a number comes as a number.
    const text = String(value);
    return readMembers(text) === null ? undefined : text;
  }, `the ids of at most ${MOST_WORKLOADS} workloads, each with its rate if that is stated, such as orders,logs:5000`),
  split: oneOf([true]),
  systems: oneOf([true]),
  cache_pages: whole({ low: 1, high: Number.MAX_SAFE_INTEGER }, "pages"),
} as const;

/** Reads the page's own parameters. */
export const parseComposeSearch = (
  raw: Record<string, unknown>,
): ComposeSearch & Refused => readAddress(FIELDS, raw);
