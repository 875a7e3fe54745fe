import type { AlignedText } from './aligned-text.js';
import { alignedText } from './aligned-text.js';
import type { Normalizer } from './normalizers.js';
import type { AddedTokenJson } from './tokenizer-json.js';

/** A stretch of text: an added token, or text between them that goes on to the pre-tokeniser. */
export type Section =
  | { readonly token: AddedTokenJson; readonly source: AlignedText; readonly start: number; readonly end: number }
  | { readonly token: null; readonly source: AlignedText };

export type AddedTokenSplitter = (text: string, tracked: boolean) => Section[];

/**
 * Finds added tokens in text: those not `normalized` in the text as written, the others, themselves normalised, in the
 * normalised text between. Leftmost first, the longest of those.
 */
export function createAddedTokenSplitter(
  tokens: readonly AddedTokenJson[],
  normalize: Normalizer | null,
): AddedTokenSplitter {
  const written = tokens.filter((token) => token.content !== '');
  const isNormalized = (token: AddedTokenJson): boolean => token.normalized ?? !token.special;
  const raw = createTrie(written.filter((token) => !isNormalized(token)).map((token) => [token.content, token]));
  const normalized = createTrie(
    written.filter(isNormalized).map((token) => {
      const content = normalize ? normalize(alignedText(token.content, 0, false)).text : token.content;
      return [content, token];
    }),
  );
  return (text, tracked) =>
    cut(alignedText(text, 0, tracked), raw).flatMap((section) => {
      if (section.token) return [section];
      return cut(normalize ? normalize(section.source) : section.source, normalized);
    });
}

interface Trie {
  readonly next: Map<number, Trie>;
  token: AddedTokenJson | null;
}

function createTrie(entries: readonly (readonly [string, AddedTokenJson])[]): Trie {
  const root: Trie = { next: new Map(), token: null };
  for (const [content, token] of entries) {
    let node = root;
    for (let i = 0; i < content.length; i++) {
      const unit = content.charCodeAt(i);
      let child = node.next.get(unit);
      if (!child) {
        child = { next: new Map(), token: null };
        node.next.set(unit, child);
      }
      node = child;
    }
    if (content.length > 0) node.token = token;
  }
  return root;
}

function longestMatch(trie: Trie, text: string, start: number): { token: AddedTokenJson; end: number } | null {
  let found: { token: AddedTokenJson; end: number } | null = null;
  let node: Trie | undefined = trie;
  for (let at = start; at < text.length; ) {
    node = node.next.get(text.charCodeAt(at++));
    if (!node) break;
    if (node.token) found = { token: node.token, end: at };
  }
  return found;
}

const WORD_BEFORE = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u;
const WORD_AFTER = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;
const SPACE = /\p{White_Space}/u;

function cut(source: AlignedText, trie: Trie): Section[] {
  const { text } = source;
  const sections: Section[] = [];
  let done = 0;
  const plain = (end: number): void => {
    if (done < end) sections.push({ token: null, source: part(source, done, end) });
  };
  for (let at = 0; at < text.length; ) {
    const found = longestMatch(trie, text, at);
    if (!found) {
      at++;
      continue;
    }
    const { token } = found;
    let start = at;
    let end = found.end;
    at = end;
    if (
      token.single_word &&
      (WORD_BEFORE.test(text.slice(Math.max(0, start - 2), start)) || WORD_AFTER.test(text.slice(end, end + 2)))
    ) {
      continue;
    }
    if (token.lstrip) while (start > done && SPACE.test(text[start - 1]!)) start--;
    if (token.rstrip) while (end < text.length && SPACE.test(text[end]!)) end++;
    plain(start);
    sections.push({ token, source, start, end });
    done = end;
  }
  plain(text.length);
  return sections;
}

function part(source: AlignedText, start: number, end: number): AlignedText {
  const text = source.text.slice(start, end);
  if (!source.map) return { ...source, text, base: source.base + start };
  const { starts, ends } = source.map;
  return { ...source, text, map: { starts: starts.subarray(start, end), ends: ends.subarray(start, end) } };
}
