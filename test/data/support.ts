import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { parseConfig, type RunConfig } from '../../src/config/index.js';
import type { Row } from '../../src/data/index.js';
import { createTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import { readGoldenJson } from '../golden/read-golden.js';

interface LabelGolden {
  readonly templates: Readonly<Record<string, string>>;
  readonly cases: readonly LabelCase[];
}

export interface LabelCase {
  readonly template: string;
  readonly eos: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly row: Row;
  readonly ids: readonly number[];
  readonly labels: readonly number[];
}

export const golden = readGoldenJson<LabelGolden>('labels/cases.json');
const tokenizerJson = readGoldenJson<Record<string, unknown>>('labels/tokenizer.json');

export interface TokenizerOptions {
  readonly template?: string;
  readonly jinja?: string;
  readonly eos?: string;
  /** Put <|begin_of_text|> before texts encoded with special tokens. */
  readonly addBos?: boolean;
}

/** The small tokenizer of the golden files, with one of its templates or with one given as Jinja. */
export function smallTokenizer({
  template = 'chatml',
  jinja,
  eos = '<|im_end|>',
  addBos,
}: TokenizerOptions = {}): Tokenizer {
  const bos = '<|begin_of_text|>';
  const postProcessor = {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: bos, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: { [bos]: { id: bos, ids: [3], tokens: [bos] } },
  };
  return createTokenizer({
    tokenizerJson: addBos ? { ...tokenizerJson, post_processor: postProcessor } : tokenizerJson,
    tokenizerConfig: { bos_token: bos, eos_token: eos },
    chatTemplate: jinja ?? golden.templates[template]!,
  });
}

/** A config with all defaults, for one dataset. */
export function config(dataset: Record<string, unknown>, keys: Record<string, unknown> = {}): RunConfig {
  const all = {
    base_model: './model',
    datasets: [{ path: 'rows.jsonl', ...dataset }],
    micro_batch_size: 2,
    gradient_accumulation_steps: 2,
    learning_rate: 1e-3,
    ...keys,
  };
  return parseConfig(JSON.stringify(all), { checkPaths: false }).config;
}

const folders: string[] = [];
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** A new empty folder, removed after the tests of the file. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'anneal-data-'));
  folders.push(path);
  return path;
}

/** Writes a file into a folder of its own and gives its path. */
export function file(name: string, content: string | Uint8Array): string {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
}

export function jsonl(rows: readonly unknown[], name = 'rows.jsonl'): string {
  return file(name, rows.map((row) => JSON.stringify(row)).join('\n'));
}
