import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type LocalEngine, type SamplingParams } from '../../src/engine/index.js';
import { golden, readGolden } from '../golden/read-golden.js';
import { goldenModelPath, testOptions } from './golden-batch.js';

const greedy: SamplingParams = {
  maxTokens: 12,
  temperature: 0,
  topP: 1,
  topK: 0,
  minP: 0,
  repetitionPenalty: 1,
  stopTokens: [],
  stopStrings: [],
};

describe.each(['llama', 'qwen3'])('sampling from %s in the worker', (model) => {
  const tensors = readGolden(`models/${model}/golden.safetensors`);
  let engine: LocalEngine;
  beforeAll(async () => {
    engine = await createLocalEngine(testOptions(goldenModelPath(model)));
  });
  afterAll(() => engine.dispose());

  it('continues greedily as transformers does', async () => {
    const prompt = golden(tensors, 'generate.prompt').data as Int32Array;
    const [result] = await engine.sample([{ prompt, params: greedy, seed: 0 }]);
    expect([...result!.tokens]).toEqual([...golden(tensors, 'generate.tokens').data]);
    const expected = golden(tensors, 'generate.logprobs').data;
    result!.logprobs.forEach((logprob, i) => {
      expect(logprob).toBeCloseTo(expected[i]!, 4);
    });
  });
});
