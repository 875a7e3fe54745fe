import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NAMED_TOKENS } from './special-tokens.js';
import { createTokenizer } from './tokenizer.js';
import { asRecord, TokenizerError } from './tokenizer-json.js';
import type { Tokenizer } from './types.js';

/**
 * Loads the tokenizer of a checkpoint folder: tokenizer.json, and where present tokenizer_config.json,
 * special_tokens_map.json, added_tokens.json and the chat template (chat_template.jinja, chat_template.json, or in the
 * config). Throws TokenizerError naming the file and what to do.
 */
export async function loadTokenizer(dir: string): Promise<Tokenizer> {
  const text = (name: string): Promise<string | null> => readText(join(dir, name));
  const [tokenizer, config, map, added, jinja, templateJson] = await Promise.all(
    [
      'tokenizer.json',
      'tokenizer_config.json',
      'special_tokens_map.json',
      'added_tokens.json',
      'chat_template.jinja',
      'chat_template.json',
    ].map(text),
  );
  if (tokenizer == null) throw await missing(dir);
  const tokenizerConfig = {
    ...namedOf(map ?? null, join(dir, 'special_tokens_map.json')),
    ...(config == null ? {} : parse(config, join(dir, 'tokenizer_config.json'))),
  };
  if (added != null && tokenizerConfig.added_tokens_decoder === undefined) {
    tokenizerConfig.added_tokens_decoder = Object.fromEntries(
      Object.entries(parse(added, join(dir, 'added_tokens.json'))).map(([content, id]) => [
        String(id),
        { content, special: false, normalized: true },
      ]),
    );
  }
  const chatTemplate =
    jinja ?? (templateJson == null ? null : templateOf(templateJson, join(dir, 'chat_template.json')));
  const otherFiles = new Map<string, string>();
  if (map != null) otherFiles.set('special_tokens_map.json', map);
  try {
    return createTokenizer({
      tokenizerJson: parse(tokenizer, join(dir, 'tokenizer.json')),
      tokenizerConfig,
      chatTemplate,
      otherFiles,
    });
  } catch (error) {
    if (error instanceof TokenizerError && !error.message.includes(dir)) {
      throw new TokenizerError(`${dir}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR')
      return null;
    throw error;
  }
}

function parse(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const pointer = text.startsWith('version https://git-lfs') ? ' It is a Git LFS pointer: fetch the real file.' : '';
    throw new TokenizerError(`${path}: not valid JSON (${(error as Error).message}).${pointer}`);
  }
  return asRecord(value, path);
}

function namedOf(text: string | null, path: string): Record<string, unknown> {
  if (text === null) return {};
  const map = parse(text, path);
  return Object.fromEntries(
    [...NAMED_TOKENS, 'additional_special_tokens'].filter((name) => name in map).map((name) => [name, map[name]]),
  );
}

function templateOf(text: string, path: string): string {
  const template = parse(text, path).chat_template;
  if (typeof template !== 'string') throw new TokenizerError(`${path}: "chat_template" must be a string.`);
  return template;
}

async function missing(dir: string): Promise<TokenizerError> {
  const entry = await stat(dir).catch(() => null);
  if (entry?.isFile()) return new TokenizerError(`${dir} is a file; give the folder of a checkpoint, or a .gguf file.`);
  if (!entry?.isDirectory()) return new TokenizerError(`${dir}: no such folder.`);
  if (await stat(join(dir, 'tokenizer.model')).catch(() => null)) {
    return new TokenizerError(
      `${dir}: has tokenizer.model (sentencepiece) but no tokenizer.json. ` +
        'Save the tokenizer once with AutoTokenizer.from_pretrained(…).save_pretrained(…), or take the tokenizer.json of the same model.',
    );
  }
  return new TokenizerError(`${dir}: no tokenizer.json. Point to the folder of a checkpoint in Hugging Face layout.`);
}
