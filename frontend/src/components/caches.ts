/** Flash caches that are replayed beside the schemes, as the address names them. */
export interface CachesSearch {
  /** Names, separated by commas; absent: none. */
  caches?: string | undefined;
}

/** The flash caches that the address names. */
export const cachesOf = (search: CachesSearch): string[] =>
  search.caches === undefined ? [] : search.caches.split(",");
