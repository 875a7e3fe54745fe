import { shorten } from '../../text/index.js';
import type { Language } from '../language.js';
import { javascriptEdits } from './javascript-edits.js';
import { pythonEdits } from './python-edits.js';

interface Mutant {
  /** Counted from 1. */
  readonly line: number;
  /** `<= → <`. */
  readonly change: string;
  readonly text: string;
}

/** Changed copies of a source, at most `limit`, spread evenly over it. None for languages without a mutator. */
export function mutants(text: string, language: Language, limit: number): readonly Mutant[] {
  const edits = language === 'python' ? pythonEdits(text) : language === 'javascript' ? javascriptEdits(text) : [];
  const real = edits.filter(({ start, end, replacement }) => text.slice(start, end) !== replacement);
  const sorted = real.sort((a, b) => a.start - b.start || a.replacement.localeCompare(b.replacement));
  const step = Math.max(1, sorted.length / limit);
  return Array.from({ length: Math.min(limit, sorted.length) }, (_, at) => sorted[Math.floor(at * step)]!).map(
    (edit) => {
      const { start, end, replacement } = edit;
      const shown = (part: string) => shorten(part, 40).replaceAll('\n', ' ');
      return {
        line: text.slice(0, start).split('\n').length,
        change: `${shown(text.slice(start, end))} → ${shown(replacement) || 'nothing'}`,
        text: text.slice(0, start) + replacement + text.slice(end),
      };
    },
  );
}
