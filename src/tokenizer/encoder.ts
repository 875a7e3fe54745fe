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

type Emit = (id: number, source: AlignedText, start: number, end: number) => void;

/** Normalise, cut, merge: the pipeline of a tokenizer.json, linear in the text. */
export function createEncoder(json: TokenizerJson, tokenTexts: readonly (string | undefined)[]): Encoder {
  const normalize = json.normalizer ? createNormalizer(json.normalizer) : null;
  const preTokenize = json.pre_tokenizer ? createPreTokenizer(json.pre_tokenizer) : null;
  const post = json.post_processor ? createPostProcessor(json.post_processor) : NO_POST_PROCESSOR;
  const split = createAddedTokenSplitter(json.added_tokens ?? [], normalize);
  const bpe = createBpe(json.model);

  const run = (text: string, tracked: boolean, emit: Emit): void => {
    for (const section of split(wellFormed(text), tracked)) {
      if (section.token) {
        emit(section.token.id, section.source, section.start, section.end);
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
      run(text, false, (id) => ids.push(id));
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
      run(text, true, (id, source, start, end) => {
        const origin = originOf(source, start, end);
        offsets.push(post.trim ? trimSpaces(origin, tokenTexts[id] ?? '', ids.length === first, post.trim) : origin);
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

const LEADING = /^[Ġ\p{White_Space}]*/u;
const TRAILING = /[Ġ\p{White_Space}]*$/u;

function trimSpaces(
  [start, end]: readonly [number, number],
  token: string,
  isFirst: boolean,
  { prefixSpace }: { readonly prefixSpace: boolean },
): readonly [number, number] {
  let leading = LEADING.exec(token)![0].length;
  const trailing = TRAILING.exec(token)![0].length;
  if (leading > 0) {
    // The space added before the text is not in the text.
    if (prefixSpace && (isFirst || start === 0)) leading = 0;
    start = Math.min(start + leading, end);
  }
  if (trailing > 0 && end >= trailing) end = Math.max(end - trailing, start);
  return [start, end];
}
