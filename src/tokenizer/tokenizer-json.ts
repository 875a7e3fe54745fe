/** The parts of a tokenizer.json that are read here; the file may hold more, which is kept as it is. */
export interface TokenizerJson {
  readonly added_tokens?: readonly AddedTokenJson[];
  readonly normalizer?: ComponentJson | null;
  readonly pre_tokenizer?: ComponentJson | null;
  readonly post_processor?: ComponentJson | null;
  readonly decoder?: ComponentJson | null;
  readonly model: BpeJson;
  readonly [key: string]: unknown;
}

export interface AddedTokenJson {
  readonly id: number;
  readonly content: string;
  readonly single_word?: boolean;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  readonly normalized?: boolean;
  readonly special?: boolean;
}

export interface ComponentJson {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface BpeJson {
  readonly type?: string;
  readonly vocab: Readonly<Record<string, number>>;
  readonly merges: readonly (string | readonly [string, string])[];
  readonly unk_token?: string | null;
  readonly fuse_unk?: boolean;
  readonly byte_fallback?: boolean;
  readonly ignore_merges?: boolean;
  readonly continuing_subword_prefix?: string | null;
  readonly end_of_word_suffix?: string | null;
  readonly [key: string]: unknown;
}

/** Something in a tokenizer's files that cannot be used. The message names the file, the place and what to do. */
export class TokenizerError extends Error {
  override readonly name = 'TokenizerError';
}

export const unsupported = (what: string, type: string, known: readonly string[]): TokenizerError =>
  new TokenizerError(
    `tokenizer.json: ${what} type ${JSON.stringify(type)} is not supported (supported: ${known.join(', ')}). ` +
      'Use a checkpoint whose tokenizer is a BPE built from these parts.',
  );

/** A JSON value that must be an object; `file` names it in the error. */
export function asRecord(value: unknown, file: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TokenizerError(
      `${file}: expected a JSON object, found ${Array.isArray(value) ? 'a list' : typeof value}.`,
    );
  }
  return value as Record<string, unknown>;
}

export function checkTokenizerJson(value: unknown, file = 'tokenizer.json'): TokenizerJson {
  const json = asRecord(value, file);
  if (!('model' in json)) {
    throw new TokenizerError(`${file}: no "model"; this is not a tokenizer.json of the tokenizers library.`);
  }
  const model = asRecord(json.model, `${file}: model`);
  // Files written before 2020 leave the type out; merges tell a BPE from the others.
  const type = model.type ?? (Array.isArray(model.merges) ? 'BPE' : 'unknown');
  if (type !== 'BPE') throw unsupported('model', String(type), ['BPE']);
  asRecord(model.vocab, `${file}: model.vocab`);
  if (!Array.isArray(model.merges)) throw new TokenizerError(`${file}: model.merges must be a list.`);
  return json as unknown as TokenizerJson;
}
