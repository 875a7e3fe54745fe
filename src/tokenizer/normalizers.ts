import { type AlignedText, rewriteText } from './aligned-text.js';
import { type Matcher, patternMatcher } from './pattern.js';
import { type ComponentJson, unsupported } from './tokenizer-json.js';
import { normalizeForm, type UnicodeForm } from './unicode-form.js';

export type Normalizer = (source: AlignedText) => AlignedText;

const NORMALIZERS: Readonly<Record<string, (config: ComponentJson) => Normalizer>> = {
  Sequence: ({ normalizers }) => {
    const steps = (normalizers as ComponentJson[]).map(createNormalizer);
    return (source) => steps.reduce((text, step) => step(text), source);
  },
  NFC: unicode,
  NFD: unicode,
  NFKC: unicode,
  NFKD: unicode,
  Prepend: ({ prepend }) => {
    return (source) => prependText(source, String(prepend));
  },
  Replace: ({ pattern, content }) => {
    const matches = patternMatcher(pattern, 'tokenizer.json: normalizer Replace');
    return (source) => replaceMatches(source, matches, String(content));
  },
  Strip: ({ strip_left, strip_right }) => {
    return (source) => {
      const start = strip_left ? source.text.search(/\P{White_Space}|$/u) : 0;
      const kept = strip_right ? source.text.replace(/\p{White_Space}+$/u, '').length : source.text.length;
      return slice(source, start, Math.max(start, kept));
    };
  },
  Lowercase: () => (source) => mapCharacters(source, (char) => char.toLowerCase()),
  StripAccents: () => (source) => mapCharacters(source, (char) => (/\p{Mn}/u.test(char) ? '' : char)),
};

function unicode({ type }: ComponentJson): Normalizer {
  return (source) => normalizeForm(source, type as UnicodeForm);
}

export function createNormalizer(config: ComponentJson): Normalizer {
  const create = NORMALIZERS[config.type];
  if (!create) throw unsupported('normalizer', config.type, Object.keys(NORMALIZERS));
  return create(config);
}

/** Text put before the first character shares that character's origin; nothing goes before nothing. */
function prependText(source: AlignedText, text: string): AlignedText {
  if (source.text.length === 0) return source;
  if (!source.tracked) return { ...source, text: text + source.text };
  const first = String.fromCodePoint(source.text.codePointAt(0)!).length;
  const out = rewriteText(source);
  out.put(text, 0, first);
  out.keep(0, source.text.length);
  return out.finish();
}

/** What is put in a match's place has the origin of the match's last character. */
function replaceMatches(source: AlignedText, matches: Matcher, content: string): AlignedText {
  const out = rewriteText(source);
  let done = 0;
  for (const [start, end] of matches(source.text)) {
    out.keep(done, start);
    out.put(content, lastCharacter(source.text, start, end), end);
    done = end;
  }
  if (done === 0 && out.length() === 0) return source;
  out.keep(done, source.text.length);
  return out.finish();
}

function lastCharacter(text: string, start: number, end: number): number {
  const low = text.charCodeAt(end - 1);
  const pair = end - start >= 2 && low >= 0xdc00 && low < 0xe000;
  return Math.max(start, pair ? end - 2 : end - 1);
}

function slice(source: AlignedText, start: number, end: number): AlignedText {
  if (start === 0 && end === source.text.length) return source;
  const text = source.text.slice(start, end);
  if (!source.map) return { ...source, text, base: source.base + start };
  const { starts, ends } = source.map;
  return { ...source, text, map: { starts: starts.subarray(start, end), ends: ends.subarray(start, end) } };
}

function mapCharacters(source: AlignedText, change: (char: string) => string): AlignedText {
  const out = rewriteText(source);
  let at = 0;
  for (const char of source.text) {
    out.put(change(char), at, at + char.length);
    at += char.length;
  }
  return out.finish();
}
