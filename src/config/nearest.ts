import { nearest } from '../text/index.js';

/** `; did you mean "x"?`, or nothing when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const best = nearest(name, candidates);
  return best === null ? '' : `; did you mean "${best}"?`;
}
