/** Where reasoning begins or ends in a line. */
interface Mark {
  readonly name: string;
  readonly index: number;
  /** The line behind it. */
  readonly rest: string;
}

const names = 'think|thinking|thoughts?|reason|reasoning|reflection|scratchpad|analysis';
const opening = new RegExp(`<(?:seed:)?(${names})>|\\[(think)\\]|◁(think)▷|<\\|begin_of_(thought)\\|>`, 'gi');
const closing = new RegExp(`</(?:seed:)?(${names})>|\\[/(think)\\]|◁/(think)▷|<\\|end_of_(thought)\\|>`, 'gi');

/** The marks that models put around their reasoning. */
export const openingMarks = (line: string): readonly Mark[] => marks(line, opening);
export const closingMarks = (line: string): readonly Mark[] => marks(line, closing);

function marks(line: string, pattern: RegExp): Mark[] {
  // Nearly all lines are done with here.
  if (!/[<[◁]/.test(line)) return [];
  const found: Mark[] = [];
  for (const match of line.matchAll(pattern)) {
    const name = match.slice(1).find((part) => part !== undefined)!;
    found.push({ name: name.toLowerCase(), index: match.index, rest: line.slice(match.index + match[0].length) });
    // A line of nothing but marks is nobody's reasoning, and each costs a copy of the rest.
    if (found.length === 16) break;
  }
  return found;
}
