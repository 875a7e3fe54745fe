import { nearest } from '../text/index.js';

/** `did you mean "x"? ` and the whole list, for the end of an error message. */
export function suggest(name: string, candidates: readonly string[]): string {
  if (candidates.length === 0) return 'There are none.';
  const best = nearest(name, candidates);
  return `${best === null ? '' : `Did you mean "${best}"? `}There are: ${candidates.join(', ')}.`;
}
