import { alignedText } from './aligned-text.js';
import { BYTE_CHARS } from './byte-level.js';
import { createPreTokenizer } from './pre-tokenizers.js';
import { specialToken } from './special-tokens.js';
import { createTokenizer } from './tokenizer.js';
import { type ComponentJson, TokenizerError, type TokenizerJson } from './tokenizer-json.js';

export interface TrainBpeOptions {
  readonly texts: Iterable<string>;
  /** Ids in all: special tokens, the 256 bytes, and merges until it is reached or no pair is left. */
  readonly vocabSize: number;
  /** Get the first ids, in this order. */
  readonly specialTokens?: readonly string[];
  /** Pairs seen less often are not merged. Default 0, as in Python. */
  readonly minFrequency?: number;
  /** How text is cut before merging; must end in ByteLevel. Default: single digits, then GPT-2's words. */
  readonly preTokenizer?: ComponentJson;
}

const DIGITS_THEN_WORDS: ComponentJson = {
  type: 'Sequence',
  pretokenizers: [
    { type: 'Digits', individual_digits: true },
    { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  ],
};

/**
 * Trains byte-level BPE (Sennrich et al. 2016): again and again the most frequent pair of neighbours becomes a token.
 * Of equally frequent pairs the one with the smaller ids goes first, so that the result is that of Python's BpeTrainer.
 * Returns the contents of a tokenizer.json. Throws TokenizerError if vocabSize has no room for bytes and special tokens.
 */
export function trainBpe(options: TrainBpeOptions): TokenizerJson {
  const preTokenizer = options.preTokenizer ?? DIGITS_THEN_WORDS;
  const specials = options.specialTokens ?? [];
  const tokens = [...specials, ...[...BYTE_CHARS].sort((a, b) => a.charCodeAt(0) - b.charCodeAt(0))];
  if (options.vocabSize < tokens.length) {
    throw new TokenizerError(
      `a vocabulary of ${options.vocabSize} is too small: ${specials.length} special tokens and the 256 bytes need ${tokens.length}.`,
    );
  }
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const words = countWords(options.texts, preTokenizer, ids);
  const merges = learnMerges(words, tokens, ids, options.vocabSize, options.minFrequency ?? 0);
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((text, id) => specialToken(id, text)),
    normalizer: null,
    pre_tokenizer: preTokenizer,
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  };
}

interface Word {
  symbols: number[];
  readonly count: number;
}

function countWords(texts: Iterable<string>, config: ComponentJson, ids: ReadonlyMap<string, number>): Word[] {
  const preTokenize = createPreTokenizer(config);
  const counts = new Map<string, number>();
  for (const text of texts) {
    const { source, bounds } = preTokenize({ source: alignedText(text, 0, false), bounds: [0, text.length] });
    for (let i = 0; i < bounds.length; i += 2) {
      const word = source.text.slice(bounds[i], bounds[i + 1]);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return Array.from(counts, ([word, count]) => ({
    count,
    symbols: Array.from(word, (char) => {
      const id = ids.get(char);
      if (id === undefined) throw new TokenizerError('trainBpe: preTokenizer must end in ByteLevel.');
      return id;
    }),
  }));
}

/** A pair with its count when it was queued, and the words it was then seen in. */
interface Candidate {
  readonly left: number;
  readonly right: number;
  count: number;
  readonly words: ReadonlySet<number>;
}

const PAIR = 2 ** 26;
const pairKey = (left: number, right: number): number => left * PAIR + right;

function learnMerges(
  words: readonly Word[],
  tokens: string[],
  ids: Map<string, number>,
  vocabSize: number,
  minFrequency: number,
): [string, string][] {
  const counts = new Map<number, number>();
  let seen = new Map<number, Set<number>>();
  const add = (left: number, right: number, change: number, word: number): void => {
    const key = pairKey(left, right);
    counts.set(key, (counts.get(key) ?? 0) + change * words[word]!.count);
    if (change < 0) return;
    const places = seen.get(key);
    if (places) places.add(word);
    else seen.set(key, new Set([word]));
  };
  const queue = createQueue();
  const enqueue = (): void => {
    for (const [key, places] of seen) {
      const count = counts.get(key)!;
      if (count > 0) queue.push({ left: Math.floor(key / PAIR), right: key % PAIR, count, words: places });
    }
    seen = new Map();
  };

  words.forEach(({ symbols }, word) => {
    for (let i = 0; i + 1 < symbols.length; i++) add(symbols[i]!, symbols[i + 1]!, 1, word);
  });
  enqueue();

  const merges: [string, string][] = [];
  while (tokens.length < vocabSize) {
    const top = queue.pop();
    if (!top) break;
    const { left, right } = top;
    const count = counts.get(pairKey(left, right))!;
    if (count !== top.count) {
      top.count = count;
      if (count > 0) queue.push(top);
      continue;
    }
    if (count < Math.max(1, minFrequency)) break;
    const text = tokens[left]! + tokens[right]!;
    let id = ids.get(text);
    if (id === undefined) {
      id = tokens.length;
      tokens.push(text);
      ids.set(text, id);
    }
    merges.push([tokens[left]!, tokens[right]!]);
    for (const word of top.words) {
      words[word]!.symbols = mergePair(words[word]!.symbols, left, right, id, (a, b, change) => {
        add(a, b, change, word);
      });
    }
    enqueue();
  }
  return merges;
}

/** Joins every `left right` from the left, telling which pairs of neighbours came and went. */
function mergePair(
  symbols: readonly number[],
  left: number,
  right: number,
  merged: number,
  changed: (left: number, right: number, change: number) => void,
): number[] {
  const out: number[] = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] !== left || symbols[i + 1] !== right) {
      out.push(symbols[i]!);
      continue;
    }
    const before = out.at(-1);
    const after = symbols[i + 2];
    if (before !== undefined) {
      changed(before, left, -1);
      changed(before, merged, 1);
    }
    if (after !== undefined) {
      changed(right, after, -1);
      changed(merged, after, 1);
    }
    out.push(merged);
    i++;
  }
  return out;
}

/** The most frequent first, then the smallest ids. */
const goesBefore = (a: Candidate, b: Candidate): boolean =>
  a.count !== b.count ? a.count > b.count : a.left !== b.left ? a.left < b.left : a.right < b.right;

function createQueue(): { push(item: Candidate): void; pop(): Candidate | undefined } {
  const heap: Candidate[] = [];
  return {
    push(item) {
      let at = heap.length;
      heap.push(item);
      for (; at > 0; at = (at - 1) >> 1) {
        const parent = heap[(at - 1) >> 1]!;
        if (!goesBefore(item, parent)) break;
        heap[at] = parent;
      }
      heap[at] = item;
    },
    pop() {
      const top = heap[0];
      const item = heap.pop();
      if (item === undefined || heap.length === 0) return item;
      let at = 0;
      for (let child = 1; child < heap.length; child = 2 * at + 1) {
        if (child + 1 < heap.length && goesBefore(heap[child + 1]!, heap[child]!)) child++;
        if (!goesBefore(heap[child]!, item)) break;
        heap[at] = heap[child]!;
        at = child;
      }
      heap[at] = item;
      return top;
    },
  };
}

export interface NewTokenizerOptions {
  readonly tokenizerJson: TokenizerJson;
  readonly bosToken?: string;
  readonly eosToken: string;
  /** Default: the end token. */
  readonly padToken?: string;
  readonly chatTemplate?: string;
  /** Longest text in tokens that the model takes. */
  readonly modelMaxLength?: number;
}

/**
 * The files of a new tokenizer, name → text, as transformers loads them: tokenizer.json, tokenizer_config.json and,
 * where there is a chat template, chat_template.jinja. Throws TokenizerError if a named token is not in the vocabulary.
 */
export function newTokenizerFiles(options: NewTokenizerOptions): ReadonlyMap<string, string> {
  const { tokenizerJson, bosToken, eosToken, padToken = eosToken, chatTemplate, modelMaxLength } = options;
  const known = new Set((tokenizerJson.added_tokens ?? []).map((token) => token.content));
  for (const token of [bosToken, eosToken, padToken]) {
    if (token !== undefined && !known.has(token)) {
      throw new TokenizerError(
        `the token ${JSON.stringify(token)} is not a special token of the tokenizer: train it with specialTokens: [${JSON.stringify(token)}, …].`,
      );
    }
  }
  return createTokenizer({
    tokenizerJson,
    tokenizerConfig: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      clean_up_tokenization_spaces: false,
      ...(bosToken === undefined ? {} : { bos_token: bosToken }),
      eos_token: eosToken,
      pad_token: padToken,
      ...(modelMaxLength === undefined ? {} : { model_max_length: modelMaxLength }),
    },
    ...(chatTemplate === undefined ? {} : { chatTemplate }),
  }).files();
}
