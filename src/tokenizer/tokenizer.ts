import { createChatTemplate } from './chat-template.js';
import { createDecoder, createTokenBytes } from './decoders.js';
import { createEncoder } from './encoder.js';
import { completeAddedTokens, NAMED_TOKENS, namedTokens } from './special-tokens.js';
import { asRecord, checkTokenizerJson } from './tokenizer-json.js';
import type { SpecialToken, Tokenizer } from './types.js';

export interface TokenizerParts {
  /** Contents of tokenizer.json. */
  readonly tokenizerJson: unknown;
  /** Contents of tokenizer_config.json. */
  readonly tokenizerConfig?: unknown;
  /** Jinja source; without it, `chat_template` of the tokenizer config. */
  readonly chatTemplate?: string | null;
  /** Further files to save along, name → text. */
  readonly otherFiles?: ReadonlyMap<string, string>;
}

/**
 * A tokenizer from the contents of its files. Throws TokenizerError where a file cannot be used.
 *
 * Ids, offsets and decoded text are those of Python's `tokenizers`, except that the truncation and padding a
 * tokenizer.json may hold are left to whoever makes batches, and a lone surrogate is read as U+FFFD.
 */
export function createTokenizer(parts: TokenizerParts): Tokenizer {
  const { chat_template, ...config } = asRecord(parts.tokenizerConfig ?? {}, 'tokenizer_config.json');
  const json = completeAddedTokens(checkTokenizerJson(parts.tokenizerJson), config);
  const otherFiles = parts.otherFiles ?? new Map<string, string>();

  const texts: (string | undefined)[] = [];
  for (const [text, id] of Object.entries(json.model.vocab)) texts[id] = text;
  const ids = new Map(Object.entries(json.model.vocab));
  const specialIds = new Set<number>();
  for (const token of json.added_tokens ?? []) {
    texts[token.id] = token.content;
    ids.set(token.content, token.id);
    if (token.special) specialIds.add(token.id);
  }

  const named = namedTokens(config);
  const special = (text: string | undefined): SpecialToken | null => {
    const id = text === undefined ? undefined : ids.get(text);
    return id === undefined ? null : Object.freeze({ id, text: text! });
  };
  const eos = special(named.eos_token);

  const encoder = createEncoder(json, texts);
  const decoder = json.decoder ? createDecoder(json.decoder) : null;
  const bytesOf = createTokenBytes(json.decoder ?? null);
  const templates = chatTemplates(parts.chatTemplate, chat_template);
  const source = templates.get('default');
  const variables = Object.fromEntries(
    NAMED_TOKENS.flatMap((name) => (named[name] === undefined ? [] : [[name, named[name]]])),
  );

  return Object.freeze({
    vocabSize: texts.length,
    bos: special(named.bos_token),
    eos,
    pad: special(named.pad_token) ?? eos,
    unk: special(named.unk_token),
    chatTemplate: source === undefined ? null : createChatTemplate(source, variables),
    encode: (text, options) => encoder.ids(text, options?.addSpecialTokens ?? false),
    encodeWithOffsets: (text, options) => encoder.encode(text, options?.addSpecialTokens ?? false),
    decode(tokenIds, options) {
      const tokens: string[] = [];
      for (const id of tokenIds) {
        const text = texts[id];
        if (text === undefined || (options?.skipSpecialTokens && specialIds.has(id))) continue;
        tokens.push(text);
      }
      return decoder ? decoder(tokens).join('') : tokens.join(' ');
    },
    tokenBytes(id) {
      const text = texts[id];
      return text === undefined || specialIds.has(id) ? new Uint8Array(0) : bytesOf(text);
    },
    tokenId: (text) => ids.get(text) ?? null,
    files() {
      const files = new Map(otherFiles);
      files.set('tokenizer.json', JSON.stringify(json, null, 2));
      files.set('tokenizer_config.json', `${JSON.stringify(config, null, 2)}\n`);
      for (const [name, template] of templates) {
        files.set(name === 'default' ? 'chat_template.jinja' : `additional_chat_templates/${name}.jinja`, template);
      }
      return files;
    },
    withChatTemplate: (chatTemplate) => createTokenizer({ ...parts, chatTemplate }),
  } satisfies Tokenizer);
}

/** Templates by name; the one in use is `default`. */
function chatTemplates(given: string | null | undefined, configured: unknown): ReadonlyMap<string, string> {
  const templates = new Map<string, string>();
  if (typeof configured === 'string') templates.set('default', configured);
  if (Array.isArray(configured)) {
    for (const entry of configured) {
      const { name, template } = asRecord(entry, 'tokenizer_config.json: chat_template');
      if (typeof name === 'string' && typeof template === 'string') templates.set(name, template);
    }
  }
  if (given != null) templates.set('default', given);
  return templates;
}
