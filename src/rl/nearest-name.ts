/** The candidate with the smallest edit distance to `name`, or null when none is close enough to be meant. */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const limit = Math.max(2, Math.floor(name.length / 3));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `did you mean "x"? ` and the whole list, for the end of an error message. */
export function suggest(name: string, candidates: readonly string[]): string {
  if (candidates.length === 0) return 'There are none.';
  const near = nearestName(name, candidates);
  return `${near === null ? '' : `Did you mean "${near}"? `}There are: ${candidates.join(', ')}.`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, substitution));
    }
    previous = row;
  }
  return previous[b.length]!;
}
