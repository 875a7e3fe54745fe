/** Finds stop strings in the bytes that sampled tokens stand for. */
export interface StopMatcher {
  /** Adds a token's bytes; true when one of the strings is now complete. */
  push(token: number): boolean;
}

/** `vocabulary[id]` holds the bytes of each token. */
export function createStopMatcher(stops: readonly string[], vocabulary: readonly Uint8Array[]): StopMatcher {
  const patterns = stops.map((stop) => Buffer.from(stop, 'utf8')).filter((pattern) => pattern.length > 0);
  const keep = Math.max(0, ...patterns.map((pattern) => pattern.length - 1));
  let tail = Buffer.alloc(0);
  return {
    push(token) {
      if (patterns.length === 0) return false;
      const text = Buffer.concat([tail, vocabulary[token] ?? new Uint8Array()]);
      tail = text.subarray(Math.max(0, text.length - keep));
      return patterns.some((pattern) => text.includes(pattern));
    },
  };
}
