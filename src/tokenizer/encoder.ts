import { createAddedTokenSplitter } from './added-tokens.js';
import { type AlignedText, originOf } from './aligned-text.js';
import { type Bpe, createBpe } from './bpe.js';
import { createNormalizer } from './normalizers.js';
import { createPostProcessor, NO_POST_PROCESSOR } from './post-processor.js';
import { createPreTokenizer } from './pre-tokenizers.js';
import type { TokenizerJson } from './tokenizer-json.js';
import type { Encoding } from './types.js';

export interface Encoder {
  ids(text: string, addSpecialTokens: boolean): number[];
  encode(text: string, addSpecialTokens: boolean): Encoding;
  readonly bpe: Bpe;
}

/** A token, the units `[start, end)` of `source` it stands for, and its text where that is not the vocabulary's. */
type Emit = (id: number, source: AlignedText, start: number, end: number, matched?: string) => void;

/** Normalise, cut, merge: the pipeline of a tokenizer.json, linear in the text. */
export function createEncoder(json: TokenizerJson, tokenTexts: readonly (string | undefined)[]): Encoder {
  const normalize = json.normalizer ? createNormalizer(json.normalizer) : null;
  const preTokenize = json.pre_tokenizer ? createPreTokenizer(json.pre_tokenizer) : null;
  const post = json.post_processor ? createPostProcessor(json.post_processor) : NO_POST_PROCESSOR;
  const split = createAddedTokenSplitter(json.added_tokens ?? [], normalize);
  const bpe = createBpe(json.model);

  const run = (text: string, tracked: boolean, emit: Emit): void => {
    for (const section of split(text, tracked)) {
      if (section.token) {
        const { source, start, end } = section;
        emit(section.token.id, source, start, end, source.text.slice(start, end));
        continue;
      }
      const whole = { source: section.source, bounds: [0, section.source.text.length] };
      if (section.source.text.length === 0) continue;
      const { source, bounds } = preTokenize ? preTokenize(whole) : whole;
      for (let i = 0; i < bounds.length; i += 2) {
        const from = bounds[i]!;
        const tokens = bpe.encode(source.text.slice(from, bounds[i + 1]));
        for (let t = 0; t < tokens.ids.length; t++) {
          emit(tokens.ids[t]!, source, from + tokens.starts[t]!, from + tokens.ends[t]!);
        }
      }
    }
  };

  return {
    bpe,
    ids(text, addSpecialTokens) {
      const ids: number[] = addSpecialTokens ? [...post.before] : [];
      run(wellFormed(text), false, (id) => ids.push(id));
      if (addSpecialTokens) ids.push(...post.after);
      return ids;
    },
    encode(text, addSpecialTokens) {
      const ids: number[] = [];
      const offsets: (readonly [number, number])[] = [];
      const around = (list: readonly number[], at: number): void => {
        for (const id of list) {
          ids.push(id);
          offsets.push([at, at]);
        }
      };
      if (addSpecialTokens) around(post.before, 0);
      const first = ids.length;
      const read = wellFormed(text);
      run(read, true, (id, source, start, end, matched) => {
        const origin = originOf(source, start, end);
        const token = matched ?? tokenTexts[id] ?? '';
        offsets.push(post.trim ? trimSpaces(read, origin, token, ids.length === first, post.trim.prefixSpace) : origin);
        ids.push(id);
      });
      if (addSpecialTokens) around(post.after, text.length);
      return { ids, offsets };
    },
  };
}

// A lone surrogate is not text: it is read as U+FFFD, as everywhere that JavaScript strings become UTF-8.
const LONE_SURROGATE = /\p{Surrogate}/gu;
const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, '\ufffd');

const SPACE = /[Ġ\p{White_Space}]/u;

/** Counted in characters of the text, since the space of a token may be one that was added to a longer character. */
function trimSpaces(
  text: string,
  [start, end]: readonly [number, number],
  token: string,
  isFirst: boolean,
  prefixSpace: boolean,
): readonly [number, number] {
  let leading = 0;
  while (leading < token.length && SPACE.test(token[leading]!)) leading++;
  let trailing = 0;
  while (trailing < token.length && SPACE.test(token[token.length - 1 - trailing]!)) trailing++;
  let from = start;
  // A single space before the text may be the one that was added, which is not in the text.
  if (!(leading === 1 && prefixSpace && (isFirst || start === 0))) {
    for (let i = 0; i < leading && from < end; i++) from += text.codePointAt(from)! > 0xffff ? 2 : 1;
  }
  let to = end;
  for (let i = 0; i < trailing && to > from; i++) to -= to - 2 >= from && text.codePointAt(to - 2)! > 0xffff ? 2 : 1;
  return [from, to];
}
