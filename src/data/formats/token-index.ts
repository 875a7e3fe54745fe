export interface TokenIndex {
  readonly offsets: readonly (readonly [start: number, end: number])[];
  /** `[first, end)`: the tokens that hold at least one character of `[start, end)`. O(log n). */
  touching(start: number, end: number): readonly [first: number, end: number];
}

/** Finds tokens by their place in the text. `offsets` are in order of position. */
export function createTokenIndex(offsets: TokenIndex['offsets']): TokenIndex {
  const firstWhere = (holds: (offset: readonly [number, number]) => boolean): number => {
    let low = 0;
    let high = offsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(offsets[middle] as readonly [number, number])) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {
    offsets,
    touching: (start, end) => {
      const first = firstWhere((offset) => offset[1] > start);
      return [
        first,
        Math.max(
          first,
          firstWhere((offset) => offset[0] >= end),
        ),
      ];
    },
  };
}
