import { specialToken } from './special-tokens.js';
import { createTokenizer } from './tokenizer.js';
import { type AddedTokenJson, type ComponentJson, TokenizerError, type TokenizerJson } from './tokenizer-json.js';
import type { Tokenizer } from './types.js';

type Metadata = ReadonlyMap<string, unknown>;

/**
 * The tokenizer inside a GGUF file, from its metadata. Takes `tokenizer.ggml.model` gpt2 (byte-level BPE) and llama
 * (sentencepiece); its `files()` are those of an ordinary Hugging Face tokenizer. Throws TokenizerError naming the key.
 */
export function tokenizerFromGguf(metadata: Metadata): Tokenizer {
  const model = metadata.get('tokenizer.ggml.model');
  const build = model === 'gpt2' ? byteLevelJson : model === 'llama' ? sentencepieceJson : null;
  if (!build) {
    throw new TokenizerError(
      `GGUF: tokenizer.ggml.model ${JSON.stringify(model)} is not supported (supported: gpt2, llama). ` +
        'Take the tokenizer.json of the original checkpoint instead.',
    );
  }
  const tokens = texts(metadata, 'tokenizer.ggml.tokens');
  const named = namedTokens(metadata, tokens);
  const chatTemplate = metadata.get('tokenizer.chat_template');
  return createTokenizer({
    tokenizerJson: build(metadata, tokens, named.unk_token),
    tokenizerConfig: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      clean_up_tokenization_spaces: false,
      ...named,
    },
    chatTemplate: typeof chatTemplate === 'string' ? chatTemplate : null,
  });
}

function texts(metadata: Metadata, key: string): readonly string[] {
  const value = metadata.get(key);
  if (!Array.isArray(value)) throw new TokenizerError(`GGUF: ${key} is missing; the file has no usable tokenizer.`);
  return value as string[];
}

/** A list of numbers, however the reader of the file holds it. */
function numbers(metadata: Metadata, key: string): readonly number[] | null {
  const value = metadata.get(key);
  return value == null ? null : Array.from(value as ArrayLike<number | bigint>, Number);
}

const NAMED = {
  bos_token: 'tokenizer.ggml.bos_token_id',
  eos_token: 'tokenizer.ggml.eos_token_id',
  unk_token: 'tokenizer.ggml.unknown_token_id',
  pad_token: 'tokenizer.ggml.padding_token_id',
} as const;

function namedTokens(metadata: Metadata, tokens: readonly string[]): Partial<Record<keyof typeof NAMED, string>> {
  const named: Partial<Record<keyof typeof NAMED, string>> = {};
  for (const [name, key] of Object.entries(NAMED) as [keyof typeof NAMED, string][]) {
    const id = metadata.get(key);
    if (id === undefined) continue;
    const token = tokens[Number(id)];
    if (token === undefined) throw new TokenizerError(`GGUF: ${key} is ${id}, but there are ${tokens.length} tokens.`);
    named[name] = token;
  }
  return named;
}

// Values of tokenizer.ggml.token_type.
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;

function tokenTypes(metadata: Metadata, tokens: readonly string[]): readonly number[] {
  return numbers(metadata, 'tokenizer.ggml.token_type') ?? tokens.map(() => NORMAL);
}

function addedTokens(tokens: readonly string[], types: readonly number[]): AddedTokenJson[] {
  return tokens.flatMap((token, id) => {
    const type = types[id];
    if (type === CONTROL || type === UNKNOWN) return [specialToken(id, token)];
    return type === USER_DEFINED ? [{ ...specialToken(id, token), special: false }] : [];
  });
}

/** bos and eos around the text, where the file says so. */
function aroundText(metadata: Metadata, tokens: readonly string[], bosByDefault: boolean): ComponentJson | null {
  const wanted = (name: 'bos' | 'eos', byDefault: boolean): string[] => {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
    const adds = metadata.get(`tokenizer.ggml.add_${name}_token`) ?? byDefault;
    return adds === true && id !== undefined ? [tokens[Number(id)]!] : [];
  };
  const before = wanted('bos', bosByDefault);
  const after = wanted('eos', false);
  if (before.length + after.length === 0) return null;
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const sequence = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  return {
    type: 'TemplateProcessing',
    single: [...before.map(special), sequence('A', 0), ...after.map(special)],
    pair: [...before.map(special), sequence('A', 0), sequence('B', 1), ...after.map(special)],
    special_tokens: Object.fromEntries(
      [...before, ...after].map((text) => [text, { id: text, ids: [tokens.indexOf(text)], tokens: [text] }]),
    ),
  };
}

const bytes = (use_regex: boolean): ComponentJson => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex,
});

const splitThenBytes = (pattern: string): ComponentJson => ({
  type: 'Sequence',
  pretokenizers: [{ type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false }, bytes(false)],
});

const digitsThenBytes: ComponentJson = {
  type: 'Sequence',
  pretokenizers: [{ type: 'Digits', individual_digits: true }, bytes(true)],
};

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const SPACES = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const cl100k = (digits: string): string =>
  `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${SPACES}`;
/** Splits words where capitals follow small letters. */
const o200k = (digits: string, contractions: string): string => {
  const upper = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
  const lower = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
  const lead = '[^\\r\\n\\p{L}\\p{N}]?';
  return `${lead}${upper}*${lower}+${contractions}|${lead}${upper}+${lower}*${contractions}|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`;
};

interface Pre {
  readonly pre_tokenizer: ComponentJson;
  readonly normalizer?: ComponentJson;
  /** Whole words that are tokens stay whole. */
  readonly ignore_merges?: boolean;
}

const GPT2: Pre = { pre_tokenizer: bytes(true) };
const LLAMA3: Pre = { pre_tokenizer: splitThenBytes(cl100k('\\p{N}{1,3}')), ignore_merges: true };
const QWEN2: Pre = { pre_tokenizer: splitThenBytes(cl100k('\\p{N}')), normalizer: { type: 'NFC' } };
const SMOLLM: Pre = { pre_tokenizer: digitsThenBytes };
const GPT4O: Pre = { pre_tokenizer: splitThenBytes(o200k('\\p{N}{1,3}', `${CONTRACTIONS}?`)) };
const TEKKEN: Pre = { pre_tokenizer: splitThenBytes(o200k('\\p{N}', '')), ignore_merges: true };

/** `tokenizer.ggml.pre` names how text is cut; the file does not say it otherwise. */
const PRE: Readonly<Record<string, Pre>> = {
  default: GPT2,
  'gpt-2': GPT2,
  gpt2: GPT2,
  olmo: GPT2,
  'llama-bpe': LLAMA3,
  llama3: LLAMA3,
  'llama-v3': LLAMA3,
  dbrx: { pre_tokenizer: LLAMA3.pre_tokenizer },
  'smaug-bpe': LLAMA3,
  qwen2: QWEN2,
  'deepseek-r1-qwen': QWEN2,
  smollm: SMOLLM,
  starcoder: SMOLLM,
  refact: SMOLLM,
  'command-r': SMOLLM,
  'gpt-4o': GPT4O,
  llama4: GPT4O,
  tekken: TEKKEN,
};

function byteLevelJson(metadata: Metadata, tokens: readonly string[]): TokenizerJson {
  const name = String(metadata.get('tokenizer.ggml.pre') ?? 'default');
  const pre = Object.hasOwn(PRE, name) ? PRE[name] : undefined;
  if (!pre) {
    throw new TokenizerError(
      `GGUF: tokenizer.ggml.pre ${JSON.stringify(name)} is not known (known: ${Object.keys(PRE).join(', ')}). ` +
        'Take the tokenizer.json of the original checkpoint instead.',
    );
  }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: addedTokens(tokens, tokenTypes(metadata, tokens)),
    normalizer: pre.normalizer ?? null,
    pre_tokenizer: pre.pre_tokenizer,
    post_processor: aroundText(metadata, tokens, false),
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: pre.ignore_merges ?? false,
      vocab: vocabOf(tokens),
      merges: texts(metadata, 'tokenizer.ggml.merges'),
    },
  };
}

function sentencepieceJson(metadata: Metadata, tokens: readonly string[], unk: string | undefined): TokenizerJson {
  const types = tokenTypes(metadata, tokens);
  const prefix = metadata.get('tokenizer.ggml.add_space_prefix') !== false;
  const replace = (from: string, to: string) => ({ type: 'Replace', pattern: { String: from }, content: to });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: addedTokens(tokens, types),
    normalizer: {
      type: 'Sequence',
      normalizers: [...(prefix ? [{ type: 'Prepend', prepend: '▁' }] : []), replace(' ', '▁')],
    },
    pre_tokenizer: null,
    post_processor: aroundText(metadata, tokens, true),
    decoder: {
      type: 'Sequence',
      decoders: [
        replace('▁', ' '),
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        ...(prefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
      ],
    },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: unk ?? tokens[types.indexOf(UNKNOWN)] ?? null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
      vocab: vocabOf(tokens),
      merges: mergesFromScores(metadata, tokens, types),
    },
  };
}

const vocabOf = (tokens: readonly string[]): Record<string, number> =>
  Object.fromEntries(tokens.map((token, id) => [token, id]));

/**
 * sentencepiece joins the neighbours whose joint piece has the best score. As merges: every way to cut a piece in two
 * pieces, best score first, and of one piece the cut with the lower ids first, as transformers converts such models.
 */
function mergesFromScores(metadata: Metadata, tokens: readonly string[], types: readonly number[]): [string, string][] {
  const scores = numbers(metadata, 'tokenizer.ggml.scores');
  if (!scores || scores.length !== tokens.length) {
    throw new TokenizerError('GGUF: tokenizer.ggml.scores must have one score for each of tokenizer.ggml.tokens.');
  }
  const ids = new Map<string, number>();
  tokens.forEach((token, id) => {
    if (types[id] === NORMAL || types[id] === USER_DEFINED) ids.set(token, id);
  });
  const merges: { readonly left: string; readonly right: string; readonly score: number }[] = [];
  for (const [token, id] of ids) {
    const cuts: [left: number, right: number][] = [];
    for (let at = 1; at < token.length; at++) {
      const left = ids.get(token.slice(0, at));
      const right = ids.get(token.slice(at));
      if (left !== undefined && right !== undefined) cuts.push([left, right]);
    }
    cuts.sort(([a, b], [c, d]) => a - c || b - d);
    for (const [left, right] of cuts) {
      merges.push({ left: tokens[left]!, right: tokens[right]!, score: scores[id]! });
    }
  }
  return merges.sort((a, b) => b.score - a.score).map(({ left, right }) => [left, right]);
}
