import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type RunConfig, UserError } from '../config/index.js';
import { ggufMetadata, locateCheckpoint } from '../models/index.js';
import { stopTokens } from '../rollout/index.js';
import {
  builtinChatTemplate,
  createTokenizer,
  loadTokenizer,
  type Tokenizer,
  tokenizerFromGguf,
} from '../tokenizer/index.js';
import { digest, type TextFiles } from './files.js';

export type TokenizerConfig = Pick<
  RunConfig,
  'special_tokens' | 'chat_template' | 'chat_template_jinja' | 'datasets' | 'eot_tokens'
>;

/** The tokenizer at a path: a checkpoint directory, a `tokenizer.json` or a `.gguf` file. */
export async function readTokenizer(path: string): Promise<Tokenizer> {
  if (basename(path) === 'tokenizer.json') return loadTokenizer(dirname(path));
  if (await exists(join(path, 'tokenizer.json'))) return loadTokenizer(path);
  const gguf = await locateCheckpoint(path).catch(() => null);
  if (gguf?.format === 'gguf') return tokenizerFromGguf(await ggufMetadata(gguf.path));
  return loadTokenizer(path);
}

/** The tokenizer with the special tokens and the chat template of a config. */
export function configuredTokenizer(tokenizer: Tokenizer, config: TokenizerConfig): Tokenizer {
  const template = templateOf(config);
  const special = withSpecialTokens(tokenizer, config.special_tokens);
  return template === null ? special : special.withChatTemplate(template);
}

/** Whether datasets are rendered with several templates, of which only the first can be saved with the model. */
export function hasSeveralTemplates({ datasets }: Pick<TokenizerConfig, 'datasets'>): boolean {
  const templates = templated(datasets).map((entry) =>
    JSON.stringify([entry.chat_template, entry.chat_template_jinja]),
  );
  return new Set(templates).size > 1;
}

function templated(datasets: TokenizerConfig['datasets']) {
  return datasets.filter((dataset) => dataset.type === 'chat_template' || dataset.type === 'prompt');
}

/** The template of the run: the first dataset's, which inherits the top-level one; null keeps the tokenizer's own. */
function templateOf({ chat_template, chat_template_jinja, datasets }: TokenizerConfig): string | null {
  const [first] = templated(datasets);
  const [name, jinja] =
    first === undefined ? [chat_template, chat_template_jinja] : [first.chat_template, first.chat_template_jinja];
  if (name === 'tokenizer_default') return null;
  return name === 'jinja' && jinja !== null ? jinja : builtinChatTemplate(name);
}

function withSpecialTokens(tokenizer: Tokenizer, special: TokenizerConfig['special_tokens']): Tokenizer {
  const changes = Object.fromEntries(Object.entries(special ?? {}).filter(([, text]) => text !== null));
  if (Object.keys(changes).length === 0) return tokenizer;
  const files = new Map(tokenizer.files());
  const json = (name: string) => JSON.parse(files.get(name) ?? '{}') as Record<string, unknown>;
  const tokenizerJson = json('tokenizer.json');
  const tokenizerConfig = { ...json('tokenizer_config.json'), ...changes };
  // The map repeats what tokenizer_config.json says and would contradict it now.
  for (const name of ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja', 'special_tokens_map.json']) {
    files.delete(name);
  }
  const chatTemplate = tokenizer.chatTemplate?.source ?? null;
  return createTokenizer({ tokenizerJson, tokenizerConfig, chatTemplate, otherFiles: files });
}

/** Ids that end an answer: end of sequence, the template's end of turn, and `eot_tokens`. */
export function answerEnds(tokenizer: Tokenizer, eotTokens: readonly string[] | null): number[] {
  const ids = (eotTokens ?? []).map((text) => {
    const id = tokenizer.tokenId(text);
    if (id === null) throw new UserError(`eot_tokens: ${JSON.stringify(text)} is no single token of the tokenizer.`);
    return id;
  });
  return [...new Set([...stopTokens(tokenizer), ...ids])];
}

/** What is saved beside weights: the tokenizer, and generation_config.json with what ends an answer. */
export function companionFiles(
  tokenizer: Tokenizer,
  ends: readonly number[],
  generationConfig: Readonly<Record<string, unknown>> | null,
): TextFiles {
  const before = generationConfig?.eos_token_id ?? [];
  const eos = [...new Set([...ends, ...(Array.isArray(before) ? before : [before])])];
  const generation = {
    ...generationConfig,
    ...(eos.length > 0 && { eos_token_id: eos.length === 1 ? eos[0] : eos }),
    ...(tokenizer.bos !== null && { bos_token_id: tokenizer.bos.id }),
    ...(tokenizer.pad !== null && { pad_token_id: tokenizer.pad.id }),
  };
  return new Map([...tokenizer.files(), ['generation_config.json', `${JSON.stringify(generation, null, 2)}\n`]]);
}

export function tokenizerDigest(tokenizer: Tokenizer): string {
  const files = [...tokenizer.files()].sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(files.flat());
}

/** Bytes of each token of a model by id, for stop strings. Ids that the tokenizer lacks have none. */
export function vocabularyBytes(tokenizer: Tokenizer, vocabSize: number): Uint8Array[] {
  return Array.from({ length: vocabSize }, (_, id) => tokenizer.tokenBytes(id));
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
