import { parseNumber } from './numbers.js';

/** What stands in the last `\boxed{…}` (or `\fbox{…}`), braces balanced; null without one or when it never closes. */
export function lastBoxed(text: string): string | null {
  const start = Math.max(text.lastIndexOf('\\boxed{'), text.lastIndexOf('\\fbox{'));
  if (start < 0) return null;
  const open = text.indexOf('{', start);
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return text.slice(open + 1, at);
    }
  }
  return null;
}

/**
 * LaTeX answer in a form that can be compared as text. Equal after it: spacing, `\left`/`\right`, `$…$`, `\dfrac` and
 * `\frac`, `\frac12` and `\frac{1}{2}` and `1/2`, `\sqrt3` and `\sqrt{3}`, degree, percent and currency signs, a unit
 * behind the value (`10\text{ cm}`), a leading `x =`, numbers written differently (1,000 and 1000.0).
 * Not equal, although they may be mathematically: 1/2 and 0.5, x+1 and 1+x, sets in another order, units that differ.
 */
export function normalizeAnswer(answer: string): string {
  const plain = answer
    .trim()
    .replace(/\.$/, '')
    .replace(/^\\\((.*)\\\)$/s, '$1')
    .replace(/\\(?:left|right)(?![a-zA-Z])/g, '')
    .replace(/\\[!,;:]|\\ |~/g, ' ')
    .replaceAll('{,}', ',')
    .replace(/\^\{?\\circ\}?|\\?[$%]/g, '')
    .replace(/\\[dt]frac/g, '\\frac')
    .trim()
    .replace(/(\S)\s*\\(?:text|mbox|textrm|mathrm)\{[^{}]*\}$/, '$1')
    .replace(/\\(?:text|mbox|textbf|textrm|mathrm)\{([^{}]*)\}/g, '$1')
    .replace(/^[a-zA-Z]\s*=\s*/, '')
    .replace(/\\frac\s*(\d)\s*(\d)/g, '\\frac{$1}{$2}')
    .replace(/\\sqrt\s*(\d)/g, '\\sqrt{$1}')
    .replace(/^(-?)(\d+)\s*\/\s*(\d+)$/, '$1\\frac{$2}{$3}')
    .replace(/\s+/g, '');
  return parseNumber(plain) ?? plain;
}
