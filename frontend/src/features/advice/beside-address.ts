/** The address of several saved advices side by side. */
import { namedFields, type Refused, readAddress, readBy } from "@/questions/address";

export const LEAST_BESIDE = 2;
export const MOST_BESIDE = 4;

const ID = /^[\w.-]{1,100}$/;

/** Ids of scenarios as an address states them; `undefined` where one cannot be used. */
export function readIds(text: string): readonly string[] | undefined {
  const ids = text.split(",");
  return ids.length <= MOST_BESIDE &&
    new Set(ids).size === ids.length &&
    ids.every((id) => ID.test(id))
    ? ids
    : undefined;
}

export interface BesideSearch extends Refused {
  of?: string | undefined;
}

const FIELDS = namedFields({
  of: readBy(
    (value) =>
      typeof value === "string" && readIds(value) !== undefined ? value : undefined,
    `ids of at most ${MOST_BESIDE} scenarios, each once, joined by commas`,
  ),
});

/** Reads the page's own parameter. */
export const parseBesideSearch = (raw: Record<string, unknown>): BesideSearch =>
  readAddress(FIELDS, raw);
