/**
 * Puts the examples of `order` into bins of at most `capacity` tokens. Every example goes into exactly one bin, and a bin that
 * is not full is kept. First-fit decreasing: at most 11/9 of the optimal number of bins, plus one (Dósa 2007). Equal lengths
 * keep the order they come in, so the number of bins depends on the lengths alone and their content also on `order`.
 *
 * O(n log n): a tournament tree over the room left in each bin finds the first bin that has enough.
 *
 * @throws RangeError if an example alone is longer than a bin.
 */
export function packBins(lengths: readonly number[], order: readonly number[], capacity: number): number[][] {
  const decreasing = order.slice().sort((left, right) => (lengths[right] as number) - (lengths[left] as number));
  const longest = decreasing[0];
  if (longest !== undefined && (lengths[longest] as number) > capacity) {
    throw new RangeError(`Example ${longest} has ${lengths[longest]} tokens and a bin holds ${capacity}.`);
  }
  let leaves = 1;
  while (leaves < order.length) leaves *= 2;
  const room = new Float64Array(2 * leaves).fill(capacity);
  const bins: number[][] = [];
  for (const index of decreasing) {
    const length = lengths[index] as number;
    let node = 1;
    while (node < leaves) node = (room[2 * node] as number) >= length ? 2 * node : 2 * node + 1;
    const slot = node - leaves;
    if (slot === bins.length) bins.push([]);
    (bins[slot] as number[]).push(index);
    room[node] = (room[node] as number) - length;
    for (node >>= 1; node >= 1; node >>= 1) {
      room[node] = Math.max(room[2 * node] as number, room[2 * node + 1] as number);
    }
  }
  return bins;
}
