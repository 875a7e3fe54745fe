import { byteLevelBytes } from './byte-level.js';
import { patternMatcher } from './pattern.js';
import { type ComponentJson, unsupported } from './tokenizer-json.js';

/** Turns tokens into the parts of the decoded text. */
export type Decoder = (tokens: readonly string[]) => readonly string[];

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const strictUtf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

const DECODERS: Readonly<Record<string, (config: ComponentJson) => Decoder>> = {
  Sequence: ({ decoders }) => {
    const steps = (decoders as ComponentJson[]).map(createDecoder);
    return (tokens) => steps.reduce((parts, step) => step(parts), tokens);
  },
  ByteLevel: () => (tokens) => [utf8.decode(joinBytes(tokens.map(byteLevelBytes)))],
  ByteFallback: () => byteFallback,
  Fuse: () => (tokens) => [tokens.join('')],
  Replace: ({ pattern, content }) => {
    const replace = replacer(pattern, String(content));
    return (tokens) => tokens.map(replace);
  },
  Strip: ({ content, start, stop }) => {
    return (tokens) => tokens.map((token) => strip(token, String(content), Number(start), Number(stop)));
  },
  Metaspace: ({ replacement, prepend_scheme, add_prefix_space }) => {
    const mark = String(replacement ?? '▁');
    const dropsFirst = String(prepend_scheme ?? (add_prefix_space === false ? 'never' : 'always')) !== 'never';
    return (tokens) => tokens.map((token, i) => token.replaceAll(mark, i === 0 && dropsFirst ? '' : ' '));
  },
};

export function createDecoder(config: ComponentJson): Decoder {
  const create = DECODERS[config.type];
  if (!create) throw unsupported('decoder', config.type, Object.keys(DECODERS));
  return create(config);
}

function replacer(pattern: unknown, content: string): (token: string) => string {
  const matches = patternMatcher(pattern, 'tokenizer.json: decoder Replace');
  return (token) => {
    let out = '';
    let done = 0;
    for (const [start, end] of matches(token)) {
      out += token.slice(done, start) + content;
      done = end;
    }
    return done === 0 ? out + token : out + token.slice(done);
  };
}

function strip(token: string, content: string, start: number, stop: number): string {
  let from = 0;
  while (from < start && token[from] === content) from++;
  let to = token.length;
  while (to > from && token.length - to < stop && token[to - 1] === content) to--;
  return token.slice(from, to);
}

const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;

/** A run of byte tokens is one piece of UTF-8; if it is not valid, each byte shows as U+FFFD. */
function byteFallback(tokens: readonly string[]): string[] {
  const parts: string[] = [];
  let bytes: number[] = [];
  const flush = (): void => {
    if (bytes.length === 0) return;
    try {
      parts.push(strictUtf8.decode(Uint8Array.from(bytes)));
    } catch {
      for (let i = 0; i < bytes.length; i++) parts.push('\ufffd');
    }
    bytes = [];
  };
  for (const token of tokens) {
    const byte = BYTE_TOKEN.exec(token)?.[1];
    if (byte !== undefined) {
      bytes.push(Number.parseInt(byte, 16));
    } else {
      flush();
      parts.push(token);
    }
  }
  flush();
  return parts;
}

function joinBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** The bytes a token adds to decoded text wherever it does not stand first. */
export function createTokenBytes(config: ComponentJson | null): (token: string) => Uint8Array {
  const steps = config === null ? [] : flatten(config);
  const encoder = new TextEncoder();
  if (steps.some((step) => step.type === 'ByteLevel')) return byteLevelBytes;
  const falls = steps.some((step) => step.type === 'ByteFallback');
  const replaces = steps.flatMap((step): ((token: string) => string)[] => {
    if (step.type === 'Replace') return [replacer(step.pattern, String(step.content))];
    if (step.type === 'Metaspace') return [(token) => token.replaceAll(String(step.replacement ?? '▁'), ' ')];
    return [];
  });
  return (token) => {
    const byte = falls ? BYTE_TOKEN.exec(token)?.[1] : undefined;
    if (byte !== undefined) return Uint8Array.of(Number.parseInt(byte, 16));
    return encoder.encode(replaces.reduce((text, replace) => replace(text), token));
  };
}

const flatten = (config: ComponentJson): ComponentJson[] =>
  config.type === 'Sequence' ? (config.decoders as ComponentJson[]).flatMap(flatten) : [config];
