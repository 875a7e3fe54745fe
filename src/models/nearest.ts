import { nearest } from '../text/index.js';

/** ` Did you mean X?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const best = nearest(name, candidates);
  return best === null ? '' : ` Did you mean ${best}?`;
}
