/** Lists of the API come in pages; the page shows them whole. */
export const MOST_AT_ONCE = 500;

interface PageOf<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** All items of a list, asked for page by page until it says that there are no more. */
export async function everyPage<T>(
  ask: (page: {
    readonly limit: number;
    readonly offset: number;
  }) => Promise<PageOf<T>>,
): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const { items, total } = await ask({ limit: MOST_AT_ONCE, offset: found.length });
    found.push(...items);
    if (items.length === 0 || found.length >= total) {
      return found;
    }
  }
}
