import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { UserError } from '../config/index.js';
import { type Batch, createLocalEngine, type LocalEngineOptions } from '../engine/index.js';
import { loadAdapter, loadCheckpoint, mergeAdapter, saveCheckpoint } from '../models/index.js';
import { preparePrompt } from '../rollout/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import { makeDirectory, syncTree } from './files.js';
import { companionFiles } from './open-tokenizer.js';
import { samplingEngineOptions, type TrainedModel } from './trained-model.js';
import { explainWriteError } from './write-errors.js';

export interface MergeResult {
  readonly outputDir: string;
  /** Largest difference between log-probabilities with the adapter switched on and after merging. */
  readonly difference: number;
  /** Log-probabilities compared. */
  readonly compared: number;
}

/** Log-probabilities of the merged model may differ by no more. */
export const mergeTolerance = 1e-4;

const targetsPerPosition = 8;

/**
 * Merges an adapter into its model and writes a Hugging Face checkpoint (float32), after comparing what the two say on a
 * sample prompt. Rejects, leaving nothing behind, when they differ by more than `mergeTolerance` or `outputDir` is taken.
 */
export async function mergeLora(model: TrainedModel, outputDir: string): Promise<MergeResult> {
  const { adapter } = model;
  if (adapter === null) throw new UserError(`There is no adapter to merge: ${model.description}.`);
  const temporary = `${outputDir}.tmp-${process.pid}`;
  try {
    await checkFree(outputDir);
    await makeDirectory(temporary);
    await writeMerged(model, adapter, temporary);
    const result = await compare(model, adapter, temporary);
    if (!(result.difference <= mergeTolerance)) {
      throw new UserError(
        `The merged model differs from the model with its adapter: log-probabilities by up to ${result.difference.toExponential(2)}, ` +
          `more than ${mergeTolerance}. Nothing was written to ${outputDir}.`,
      );
    }
    await syncTree(temporary);
    await rmdir(outputDir).catch(unlessMissing);
    await rename(temporary, outputDir);
    return { outputDir, ...result };
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    throw explainWriteError(error, 'the merged model', outputDir);
  }
}

/** Only an empty directory, or none, may be written to. */
async function checkFree(outputDir: string): Promise<void> {
  let present: string[] = [];
  try {
    present = await readdir(outputDir);
  } catch (error) {
    unlessMissing(error);
  }
  if (present.length > 0) {
    throw new UserError(`${outputDir} is not empty. Nothing was touched; give another --output, or remove it.`);
  }
}

function unlessMissing(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') throw error;
}

async function writeMerged(model: TrainedModel, adapter: string, directory: string): Promise<void> {
  const { config, weights } = await loadCheckpoint(model.base);
  const merged = mergeAdapter(weights, await loadAdapter(adapter, config));
  const files = companionFiles(model.tokenizer, model.stopTokens, model.generationConfig);
  await saveCheckpoint(directory, config, merged, { files });
}

async function compare(model: TrainedModel, adapter: string, merged: string) {
  const options = await samplingEngineOptions(model);
  const { vocabulary } = options;
  const batch = probe(model.tokenizer, vocabulary!.length);
  const before = await logprobs({ ...options, train: 'lora', adapter: { path: adapter } }, batch);
  const after = await logprobs({ ...options, model: { path: merged }, adapter: null }, batch);
  let difference = 0;
  for (const [i, value] of before.entries()) {
    const distance = Math.abs(value - after[i]!);
    difference = Number.isNaN(distance) ? Number.POSITIVE_INFINITY : Math.max(difference, distance);
  }
  return { difference, compared: before.length };
}

/** One prompt several times, each time asking for other tokens of the vocabulary. */
function probe(tokenizer: Tokenizer, vocabSize: number): Batch {
  const question = 'What is the capital of France, and how many letters does its name have?';
  const prompt = tokenizer.chatTemplate === null ? question : [{ role: 'user', content: question }];
  const { tokens } = preparePrompt(tokenizer, { id: 'merge', prompt, columns: {} });
  const wanted = new Uint8Array(tokens.length).fill(1);
  const sequences = Array.from({ length: targetsPerPosition }, (_, part) => ({
    tokens,
    targets: tokens.map((id, t) =>
      part === 0
        ? (tokens[t + 1] ?? id)
        : Math.floor(((part + t / tokens.length) * vocabSize) / targetsPerPosition) % vocabSize,
    ),
    wanted,
  }));
  return { sequences, inputs: {}, scalars: {} };
}

async function logprobs(options: LocalEngineOptions, batch: Batch): Promise<readonly number[]> {
  const engine = await createLocalEngine(options);
  try {
    const result = await engine.forward(batch);
    return result.logprobs.flatMap((values) => [...values]);
  } finally {
    await engine.dispose();
  }
}
