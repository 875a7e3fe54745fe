/** Does something with each item, a few at a time; results in the order of the items. The first failure ends it. */
export type InParallel = <Item, Result>(
  items: readonly Item[],
  each: (item: Item) => Promise<Result>,
) => Promise<readonly Result[]>;

export function inParallelBy(width: number): InParallel {
  return async <Item, Result>(items: readonly Item[], each: (item: Item) => Promise<Result>) => {
    const results = new Array<Result>(items.length);
    const queue = items.entries();
    await Promise.all(
      Array.from({ length: Math.min(width, items.length) }, async () => {
        for (const [at, item] of queue) results[at] = await each(item);
      }),
    );
    return results;
  };
}
