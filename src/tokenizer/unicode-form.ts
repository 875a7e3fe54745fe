import { type AlignedText, type Rewrite, rewriteText } from './aligned-text.js';

export type UnicodeForm = 'NFC' | 'NFD' | 'NFKC' | 'NFKD';

// A character that starts a segment, and those behind it that may reorder or compose with it: marks, and the vowels
// and finals of Hangul, the only others that compose backwards.
const SEGMENTS = /[^\p{M}\u1160-\u11ff]?[\p{M}\u1160-\u11ff]*/gu;

/**
 * Unicode normalisation that knows where each character came from. A composed character has the origin of its
 * first part, an inserted one that of the part before it, which is what Python's tokenizers report.
 */
export function normalizeForm(source: AlignedText, form: UnicodeForm): AlignedText {
  const text = source.text.normalize(form);
  if (text === source.text) return source;
  if (!source.tracked) return { ...source, text };
  const out = rewriteText(source);
  for (const match of source.text.matchAll(SEGMENTS)) {
    const segment = match[0];
    const start = match.index;
    if (segment.normalize(form) === segment) out.keep(start, start + segment.length);
    else rewriteSegment(out, segment, start, form);
  }
  return out.finish();
}

/** A written character; 1 - change source characters go into it, so 0 replaces one and 1 is inserted. */
interface Part {
  readonly char: string;
  readonly change: number;
}

function rewriteSegment(out: Rewrite, segment: string, start: number, form: UnicodeForm): void {
  const decomposed = decompose(segment, form === 'NFC' || form === 'NFD' ? 'NFD' : 'NFKD');
  const parts = form === 'NFC' || form === 'NFKC' ? compose(decomposed) : decomposed;
  const chars = Array.from(segment);
  const wanted = segment.normalize(form);
  if (parts.map((part) => part.char).join('') !== wanted) {
    out.put(wanted, start, start + segment.length);
    return;
  }
  let next = 0;
  let at = start;
  let lastTaken: readonly [number, number] = [start, start];
  for (const { char, change } of parts) {
    let origin = lastTaken;
    for (let taken = 0; taken <= -change && next < chars.length; taken++) {
      lastTaken = [at, at + chars[next]!.length];
      if (taken === 0) origin = lastTaken;
      at = lastTaken[1];
      next++;
    }
    out.put(char, origin[0], origin[1]);
  }
}

function decompose(segment: string, form: 'NFD' | 'NFKD'): Part[] {
  const parts = Array.from(segment).flatMap((char) =>
    Array.from(char.normalize(form), (part, i): Part => ({ char: part, change: i === 0 ? 0 : 1 })),
  );
  // Canonical order is a stable sort by class, so equal characters keep their order and can be told apart by count.
  const waiting = new Map<string, Part[]>();
  for (const part of parts) {
    const queue = waiting.get(part.char);
    if (queue) queue.push(part);
    else waiting.set(part.char, [part]);
  }
  for (const queue of waiting.values()) queue.reverse();
  return Array.from(segment.normalize(form), (char) => waiting.get(char)?.pop() ?? { char, change: 1 });
}

function compose(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  let starter = -1;
  let lastMark = '';
  for (const part of parts) {
    const mark = isReordered(part.char);
    const blocked = lastMark !== '' && (!mark || sameClass(lastMark, part.char));
    if (starter >= 0 && !blocked) {
      const base = out[starter]!;
      const joined = (base.char + part.char).normalize('NFC');
      if (joined.length === String.fromCodePoint(joined.codePointAt(0)!).length) {
        out[starter] = { char: joined, change: base.change + part.change - 1 };
        continue;
      }
    }
    out.push(part);
    if (mark) {
      lastMark = part.char;
    } else {
      starter = out.length - 1;
      lastMark = '';
    }
  }
  return out;
}

/** Whether a character has a non-zero combining class: then it changes places with U+0345, which has the highest. */
const isReordered = (char: string): boolean =>
  char === '\u0345' || `\u0345${char}`.normalize('NFD') === `${char}\u0345`;

const sameClass = (a: string, b: string): boolean =>
  (a + b).normalize('NFD') === a + b && (b + a).normalize('NFD') === b + a;
