import { optionWords } from "./options-field";

/** Flash caches that are replayed beside the schemes, as the address names them. */
export interface CachesSearch {
  /** Names, separated by commas; absent: none. */
  caches?: string | undefined;
  /** Their options, separated by spaces; absent: the defaults. */
  cache_options?: string | undefined;
  /** Rate of the accesses of a trace without times [1/s]; absent: none is stated. */
  access_rate?: number | undefined;
}

/** The flash caches that the address names. */
export const cachesOf = (search: CachesSearch): string[] =>
  search.caches === undefined ? [] : search.caches.split(",");

/** The flash caches that the address names and their options, as a check is asked for them. */
export function cachesAsked(search: CachesSearch): {
  flash_caches: string[];
  flash_cache_options: string[];
} {
  const flash_caches = cachesOf(search);
  return {
    flash_caches,
    flash_cache_options:
      flash_caches.length === 0 ? [] : optionWords(search.cache_options),
  };
}
