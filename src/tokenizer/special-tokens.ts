import { type AddedTokenJson, asRecord, TokenizerError, type TokenizerJson } from './tokenizer-json.js';

export const NAMED_TOKENS = [
  'bos_token',
  'eos_token',
  'unk_token',
  'sep_token',
  'pad_token',
  'cls_token',
  'mask_token',
] as const;

export type NamedTokens = Readonly<Partial<Record<(typeof NAMED_TOKENS)[number], string>>>;

/** The text of each named token, which a config gives as a string or as an object with `content`. */
export function namedTokens(config: Readonly<Record<string, unknown>>): NamedTokens {
  return Object.fromEntries(
    NAMED_TOKENS.flatMap((name) => {
      const text = tokenText(config[name]);
      return text === null ? [] : [[name, text]];
    }),
  );
}

function tokenText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'content' in value) return String(value.content);
  return null;
}

/**
 * Adds the tokens that only tokenizer_config.json knows: those of `added_tokens_decoder` under their ids, then named
 * and additional special tokens that no vocabulary has, behind the last id, as transformers does on loading.
 */
export function completeAddedTokens(json: TokenizerJson, config: Readonly<Record<string, unknown>>): TokenizerJson {
  const added: AddedTokenJson[] = [...(json.added_tokens ?? [])];
  const known = new Map(Object.entries(json.model.vocab));
  for (const token of added) known.set(token.content, token.id);
  const taken = new Map(Array.from(known, ([text, id]) => [id, text]));
  let next = taken.size === 0 ? 0 : [...taken.keys()].reduce((a, b) => Math.max(a, b)) + 1;
  const before = added.length;

  const add = (token: AddedTokenJson): void => {
    const holder = taken.get(token.id);
    if (holder !== undefined) {
      throw new TokenizerError(
        `tokenizer_config.json: added_tokens_decoder gives id ${token.id} to ${JSON.stringify(token.content)}, ` +
          `but tokenizer.json has ${JSON.stringify(holder)} there. The two files are of different tokenizers.`,
      );
    }
    added.push(token);
    known.set(token.content, token.id);
    taken.set(token.id, token.content);
    next = Math.max(next, token.id + 1);
  };

  const decoder = config.added_tokens_decoder;
  if (decoder !== undefined) {
    for (const [id, entry] of Object.entries(asRecord(decoder, 'tokenizer_config.json: added_tokens_decoder'))) {
      const token = asRecord(entry, `tokenizer_config.json: added_tokens_decoder[${id}]`);
      if (typeof token.content === 'string' && !known.has(token.content)) {
        add({ ...specialToken(Number(id), token.content), ...(token as Partial<AddedTokenJson>), id: Number(id) });
      }
    }
  }
  const extra = [config.additional_special_tokens, config.extra_special_tokens].flatMap((list) =>
    typeof list === 'object' && list !== null ? Object.values(list) : [],
  );
  for (const value of [...Object.values(namedTokens(config)), ...extra]) {
    const text = tokenText(value);
    if (text !== null && text !== '' && !known.has(text)) add(specialToken(next, text));
  }
  return added.length === before ? json : { ...json, added_tokens: added };
}

export const specialToken = (id: number, content: string): AddedTokenJson => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
});
