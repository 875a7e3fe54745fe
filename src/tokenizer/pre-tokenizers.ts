import { type AlignedText, originOf, rewriteText } from './aligned-text.js';
import { BYTE_CHARS } from './byte-level.js';
import { type Matcher, patternMatcher, regexMatcher } from './pattern.js';
import { type ComponentJson, TokenizerError, unsupported } from './tokenizer-json.js';

/** A text cut into pieces; piece i is the units `[bounds[2i], bounds[2i+1])`. Tokens never cross pieces. */
export interface Pieces {
  readonly source: AlignedText;
  readonly bounds: readonly number[];
}

export type PreTokenizer = (pieces: Pieces) => Pieces;

const WORDS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;
const SPACE = /\p{White_Space}/gu;
const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/gu;
// GPT-2's split. White_Space rather than \s: JavaScript's \s takes in U+FEFF and leaves out U+0085.
const GPT2 =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

const PRE_TOKENIZERS: Readonly<Record<string, (config: ComponentJson) => PreTokenizer>> = {
  Sequence: ({ pretokenizers }) => {
    const steps = (pretokenizers as ComponentJson[]).map(createPreTokenizer);
    return (pieces) => steps.reduce((cut, step) => step(cut), pieces);
  },
  ByteLevel: ({ add_prefix_space, use_regex }) => {
    const cut = use_regex === false ? null : splitter(regexMatcher(GPT2), 'Isolated', false);
    return (pieces) => {
      const spaced = add_prefix_space === false ? pieces : prependToPieces(pieces, ' ', () => true);
      return toBytes(cut ? cut(spaced) : spaced);
    };
  },
  Split: ({ pattern, behavior, invert }) =>
    splitter(patternMatcher(pattern, 'tokenizer.json: pre_tokenizer Split'), String(behavior), invert === true),
  Digits: ({ individual_digits }) =>
    splitter(regexMatcher(/\p{N}/gu), individual_digits ? 'Isolated' : 'Contiguous', false),
  Punctuation: ({ behavior }) => splitter(regexMatcher(PUNCTUATION), String(behavior ?? 'Isolated'), false),
  Whitespace: () => splitter(regexMatcher(WORDS), 'Removed', true),
  WhitespaceSplit: () => splitter(regexMatcher(SPACE), 'Removed', false),
  BertPreTokenizer: () => {
    const words = splitter(regexMatcher(SPACE), 'Removed', false);
    const marks = splitter(regexMatcher(PUNCTUATION), 'Isolated', false);
    return (pieces) => marks(words(pieces));
  },
  CharDelimiterSplit: ({ delimiter }) =>
    splitter(
      patternMatcher({ String: delimiter }, 'tokenizer.json: pre_tokenizer CharDelimiterSplit'),
      'Removed',
      false,
    ),
  Metaspace: metaspace,
};

export function createPreTokenizer(config: ComponentJson): PreTokenizer {
  const create = PRE_TOKENIZERS[config.type];
  if (!create) throw unsupported('pre_tokenizer', config.type, Object.keys(PRE_TOKENIZERS));
  return create(config);
}

type Cut = (matches: readonly Segment[]) => Segment[];
type Segment = readonly [start: number, end: number, isMatch: boolean];

/** What becomes of the matches: kept apart, dropped, or joined to a neighbour. */
const BEHAVIORS: Readonly<Record<string, Cut>> = {
  Isolated: (segments) => [...segments],
  Removed: (segments) => segments.filter(([, , isMatch]) => !isMatch),
  Contiguous: (segments) => joinWhere(segments, (isMatch, before) => isMatch === before),
  MergedWithPrevious: (segments) => joinWhere(segments, (isMatch, before) => isMatch && !before),
  MergedWithNext: (segments) =>
    joinWhere(
      segments.map(([start, end, isMatch]): Segment => [-end, -start, isMatch]).reverse(),
      (isMatch, before) => isMatch && !before,
    )
      .map(([start, end, isMatch]): Segment => [-end, -start, isMatch])
      .reverse(),
};

function joinWhere(segments: readonly Segment[], joins: (isMatch: boolean, before: boolean) => boolean): Segment[] {
  const out: Segment[] = [];
  let before = false;
  for (const segment of segments) {
    const last = out.at(-1);
    if (last && joins(segment[2], before)) out[out.length - 1] = [last[0], segment[1], last[2]];
    else out.push(segment);
    before = segment[2];
  }
  return out;
}

function splitter(matches: Matcher, behavior: string, invert: boolean): PreTokenizer {
  const cut = BEHAVIORS[behavior];
  if (!cut) throw unsupported('pre_tokenizer behavior', behavior, Object.keys(BEHAVIORS));
  return ({ source, bounds }) => {
    const next: number[] = [];
    for (let i = 0; i < bounds.length; i += 2) {
      const from = bounds[i]!;
      for (const [start, end] of cut(segmentsOf(source.text.slice(from, bounds[i + 1]), matches, invert))) {
        if (start < end) next.push(from + start, from + end);
      }
    }
    return { source, bounds: next };
  };
}

function segmentsOf(text: string, matches: Matcher, invert: boolean): Segment[] {
  const segments: Segment[] = [];
  let done = 0;
  for (const [start, end] of matches(text)) {
    if (done < start) segments.push([done, start, invert]);
    if (start < end) segments.push([start, end, !invert]);
    done = end;
  }
  if (done < text.length) segments.push([done, text.length, invert]);
  return segments;
}

/** Rewrites each piece; the new text of all pieces lies side by side. */
function rewritePieces(
  { source, bounds }: Pieces,
  write: (out: ReturnType<typeof rewriteText>, from: number, to: number) => void,
): Pieces {
  const out = rewriteText(source);
  const next: number[] = [];
  for (let i = 0; i < bounds.length; i += 2) {
    const start = out.length();
    write(out, bounds[i]!, bounds[i + 1]!);
    next.push(start, out.length());
  }
  return { source: out.finish(), bounds: next };
}

/** Like the normaliser Prepend: what is added shares the origin of the piece's first character. */
function prependToPieces(pieces: Pieces, text: string, wanted: (from: number) => boolean): Pieces {
  const { source } = pieces;
  return rewritePieces(pieces, (out, from, to) => {
    if (!source.text.startsWith(text, from) && wanted(from)) {
      out.put(text, from, from + String.fromCodePoint(source.text.codePointAt(from)!).length);
    }
    out.keep(from, to);
  });
}

function metaspace({ replacement, prepend_scheme, add_prefix_space, split }: ComponentJson): PreTokenizer {
  const mark = String(replacement ?? '▁');
  if (mark.length !== 1)
    throw new TokenizerError('tokenizer.json: pre_tokenizer Metaspace: replacement must be one character.');
  // Files from before prepend_scheme say add_prefix_space.
  const scheme = String(prepend_scheme ?? (add_prefix_space === false ? 'never' : 'always'));
  const cut = split === false ? null : splitter(patternMatcher({ String: mark }, 'Metaspace'), 'MergedWithNext', false);
  return ({ source, bounds }) => {
    const marked = { source: { ...source, text: source.text.replaceAll(' ', mark) }, bounds };
    const pieces =
      scheme === 'never'
        ? marked
        : prependToPieces(marked, mark, (from) => scheme === 'always' || originOf(source, from, from + 1)[0] === 0);
    return cut ? cut(pieces) : pieces;
  };
}

/** Every byte as its character of the byte alphabet, with the origin of the whole character it belongs to. */
function toBytes(pieces: Pieces): Pieces {
  const { text } = pieces.source;
  return rewritePieces(pieces, (out, from, to) => {
    let plain = from;
    for (let at = from; at < to; ) {
      const code = text.codePointAt(at)!;
      const end = at + (code > 0xffff ? 2 : 1);
      if (code <= 0x20 || code >= 0x7f) {
        out.keep(plain, at);
        out.put(utf8InByteChars(code), at, end);
        plain = end;
      }
      at = end;
    }
    out.keep(plain, to);
  });
}

function utf8InByteChars(code: number): string {
  if (code < 0x80) return BYTE_CHARS[code]!;
  const tail = (shift: number): string => BYTE_CHARS[0x80 | ((code >> shift) & 0x3f)]!;
  if (code < 0x800) return BYTE_CHARS[0xc0 | (code >> 6)]! + tail(0);
  if (code < 0x10000) return BYTE_CHARS[0xe0 | (code >> 12)]! + tail(6) + tail(0);
  return BYTE_CHARS[0xf0 | (code >> 18)]! + tail(12) + tail(6) + tail(0);
}
