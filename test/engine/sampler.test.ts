import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalEngineOptions, SampleRequest, SampleResult, SamplingParams } from '../../src/engine/index.js';
import { type Compute, createCompute } from '../../src/engine/local/compute.js';
import { uniform } from '../../src/engine/local/random.js';
import type * as Runtime from '../../src/engine/local/runtime.js';
import type { SampleHooks } from '../../src/engine/local/sampler.js';
import { parseModelConfig } from '../../src/models/index.js';
import { tinyConfigJson } from '../models/tiny-config.js';
import { plainSampling } from './conformance.js';
import { goldenModelPath, testOptions } from './golden-batch.js';
import { referenceDistribution } from './reference-sampling.js';

/** Sizes of every program run, in order. */
const { runs } = vi.hoisted(() => ({ runs: [] as Readonly<Record<string, number>>[] }));
vi.mock('../../src/engine/local/runtime.js', async (load) => {
  const runtime = await load<typeof Runtime>();
  const createProgram: typeof Runtime.createProgram = async (...args) => {
    const program = await runtime.createProgram(...args);
    return {
      ...program,
      run: (inputs, sizes, ...rest) => {
        runs.push(sizes);
        return program.run(inputs, sizes, ...rest);
      },
    };
  };
  return { ...runtime, createProgram };
});
beforeEach(() => {
  runs.length = 0;
});

const opened: Compute[] = [];
async function open(options: LocalEngineOptions, limits?: Parameters<typeof createCompute>[1]): Promise<Compute> {
  const compute = await createCompute(options, limits);
  opened.push(compute);
  return compute;
}
afterAll(async () => {
  for (const compute of opened) await compute.dispose();
});

const silent: SampleHooks = { aborted: () => false, onResult: () => undefined, onStep: () => undefined };
const sample = (compute: Compute, requests: readonly SampleRequest[], hooks: Partial<SampleHooks> = {}) =>
  compute.sample(requests, { ...silent, ...hooks });

const request = (prompt: readonly number[], seed: number, params: Partial<SamplingParams> = {}): SampleRequest => ({
  prompt: Int32Array.from(prompt),
  params: { ...plainSampling, ...params },
  seed,
});
const promptOf = (length: number, first: number): number[] =>
  Array.from({ length }, (_, t) => (first * 31 + t * 17 + t * t) % 96);

/** log-probabilities of the model for every token after `prefix`, by the training graph. */
async function nextLogprobs(compute: Compute, prefix: readonly number[]): Promise<number[]> {
  const tokens = Int32Array.from(prefix);
  const sequences = Array.from({ length: compute.config.vocabSize }, (_, target) => ({
    tokens,
    targets: new Int32Array(prefix.length).fill(target),
    wanted: Uint8Array.from(prefix, (_, t) => (t === prefix.length - 1 ? 1 : 0)),
  }));
  const { logprobs } = await compute.forward({ sequences, inputs: {}, scalars: {} }, {});
  return logprobs.map((row) => row.at(-1)!);
}

/** Log-probabilities of the sampled tokens by the training graph. */
async function trainerLogprobs(compute: Compute, requests: readonly SampleRequest[], results: readonly SampleResult[]) {
  const sequences = results.map(({ tokens }, i) => {
    const { prompt } = requests[i]!;
    const all = Int32Array.of(...prompt, ...tokens);
    return {
      tokens: all.slice(0, -1),
      targets: all.slice(1),
      wanted: Uint8Array.from({ length: all.length - 1 }, (_, t) => (t >= prompt.length - 1 ? 1 : 0)),
    };
  });
  const { logprobs } = await compute.forward({ sequences, inputs: {}, scalars: {} }, {});
  return logprobs.map((row, i) => row.slice(requests[i]!.prompt.length - 1));
}

const models = [
  'llama',
  'llama-linear-tied',
  'llama-llama3-bias',
  'llama-yarn',
  'mistral-window',
  'qwen2-tied',
  'qwen3',
];

describe.each(models)('%s: sampler and trainer', (model) => {
  it('give the same log-probabilities, past the window and the original context', async () => {
    const compute = await open(testOptions(goldenModelPath(model)));
    const requests = [1, 5, 33, 16, 7].map((length, i) => request(promptOf(length, i), i, { maxTokens: 30 - 2 * i }));
    const results = await sample(compute, requests);
    const expected = await trainerLogprobs(compute, requests, results);
    results.forEach(({ logprobs, samplingLogprobs }, i) => {
      expect(logprobs.length).toBe(30 - 2 * i);
      logprobs.forEach((logprob, t) => {
        expect(Math.abs(logprob - expected[i]![t]!)).toBeLessThan(1e-4);
        expect(Math.abs(samplingLogprobs[t]! - logprob)).toBeLessThan(1e-5);
      });
    });
  });
});

it('a LoRA engine samples with its adapter, which the trainer agrees with', async () => {
  const adapter = { r: 4, alpha: 32, dropout: 0.5, targetModules: ['q_proj', 'down_proj'], useRslora: false };
  const compute = await open(testOptions(goldenModelPath('llama'), { train: 'lora', adapter }));
  const requests = [3, 20].map((length, i) => request(promptOf(length, i), i));
  const before = await sample(compute, requests);
  const { crossEntropy } = await import('../../src/methods/sft.js');
  const tokens = Int32Array.from(promptOf(20, 9));
  const sequence = { tokens, targets: Int32Array.from(promptOf(20, 4)), wanted: new Uint8Array(20).fill(1) };
  const weights = [new Float32Array(20).fill(0.05)];
  for (let step = 0; step < 3; step++) {
    await compute.forwardBackward({ sequences: [sequence], inputs: { weights }, scalars: {} }, crossEntropy);
    await compute.optimStep({
      learningRate: 0.02,
      beta1: 0.9,
      beta2: 0.99,
      epsilon: 1e-8,
      weightDecay: 0,
      maxGradNorm: 0,
    });
  }
  compute.publish(1);
  const after = await sample(compute, requests);
  const expected = await trainerLogprobs(compute, requests, after);
  after.forEach(({ logprobs }, i) => {
    expect(logprobs).not.toEqual(before[i]!.logprobs);
    logprobs.forEach((logprob, t) => {
      expect(Math.abs(logprob - expected[i]![t]!)).toBeLessThan(1e-4);
    });
  });
});

const settings: readonly [string, Partial<SamplingParams>][] = [
  ['temperature 1', {}],
  ['temperature 0.6', { temperature: 0.6 }],
  ['temperature 1.8', { temperature: 1.8 }],
  ['top-k', { topK: 5 }],
  ['top-p', { topP: 0.7 }],
  ['min-p', { minP: 0.3 }],
  ['a repetition penalty', { repetitionPenalty: 1.6 }],
  ['all of them', { temperature: 0.8, topK: 20, topP: 0.9, minP: 0.02, repetitionPenalty: 1.2 }],
];

it.each(settings)('draws by the definition: %s', async (_, params) => {
  const compute = await open(testOptions(goldenModelPath('qwen3')));
  const requests = [request([1, 2, 3, 2, 1], 11, params), request(promptOf(9, 2), 12, params)].map((each) => ({
    ...each,
    params: { ...each.params, maxTokens: 6 },
  }));
  const results = await sample(compute, requests);
  let decided = 0;
  for (const [i, { tokens, samplingLogprobs, logprobs }] of results.entries()) {
    const { prompt, params: given, seed } = requests[i]!;
    for (const [t, token] of tokens.entries()) {
      const prefix = [...prompt, ...tokens.subarray(0, t)];
      const plain = await nextLogprobs(compute, prefix);
      const { probabilities, close } = referenceDistribution(plain, given, prefix);
      expect(Math.abs(logprobs[t]! - plain[token]!)).toBeLessThan(1e-4);
      if (close) continue;
      // The penalty depends on the sign of a logit, which a log-probability does not tell.
      if (given.repetitionPenalty !== 1) continue;
      expect(Math.abs(samplingLogprobs[t]! - Math.log(probabilities[token]!))).toBeLessThan(1e-4);
      const u = uniform(seed, t);
      const start = probabilities.slice(0, token).reduce((a, b) => a + b, 0);
      expect(u).toBeGreaterThan(start - 1e-4);
      expect(u).toBeLessThan(start + probabilities[token]! + 1e-4);
      decided++;
    }
  }
  expect(decided > 6).toBe(params.repetitionPenalty === undefined);
});

it('samples each first token as often as it is probable', async () => {
  const compute = await open(testOptions(goldenModelPath('llama'), { sampleSlots: 64 }));
  const prompt = [5, 6, 7];
  const count = 4000;
  const requests = Array.from({ length: count }, (_, seed) => request(prompt, seed, { maxTokens: 1, topK: 12 }));
  const drawn = new Map<number, number>();
  for (const { tokens } of await sample(compute, requests)) drawn.set(tokens[0]!, (drawn.get(tokens[0]!) ?? 0) + 1);
  const { probabilities } = referenceDistribution(await nextLogprobs(compute, prompt), requests[0]!.params, []);
  let chi = 0;
  probabilities.forEach((probability, token) => {
    if (probability > 0) chi += ((drawn.get(token) ?? 0) - count * probability) ** 2 / (count * probability);
    else expect(drawn.has(token)).toBe(false);
  });
  // 99.99th percentile of χ² with 11 degrees of freedom.
  expect(chi).toBeLessThan(37.4);
});

describe('a repetition penalty', () => {
  it('keeps greedy decoding from saying a token twice when it is large', async () => {
    const compute = await open(testOptions(goldenModelPath('llama')));
    const tokensOf = async (repetitionPenalty: number): Promise<number[]> => {
      const [result] = await sample(compute, [
        request([7, 8], 0, { temperature: 0, maxTokens: 40, repetitionPenalty }),
      ]);
      return [...result!.tokens];
    };
    const free = await tokensOf(1);
    const penalized = await tokensOf(50);
    expect(new Set(free).size).toBeLessThan(free.length);
    expect(new Set([7, 8, ...penalized]).size).toBe(penalized.length + 2);
  });
});

describe('what is in the batch', () => {
  const prompts = [promptOf(40, 1), promptOf(1, 2), promptOf(7, 3), promptOf(40, 1), promptOf(100, 4), promptOf(65, 5)];
  const requests = prompts.flatMap((prompt, i) =>
    [0, 1].map((n) => request(prompt, 10 * i + n, { maxTokens: 3 + 5 * ((i + n) % 4), temperature: i % 2 ? 0.8 : 1 })),
  );
  const alone = Promise.all([]).then(async () => {
    const compute = await open(testOptions(goldenModelPath('llama'), { sampleSlots: 1 }));
    return Promise.all(requests.map(async (each) => (await sample(compute, [each]))[0]!));
  });

  it.each([1, 2, 5, 32])('does not matter to a request: %i slots', async (sampleSlots) => {
    const compute = await open(testOptions(goldenModelPath('llama'), { sampleSlots }));
    const order: number[] = [];
    const results = await sample(compute, requests, { onResult: (index) => order.push(index) });
    for (const [i, expected] of (await alone).entries()) {
      expect([...results[i]!.tokens], `request ${i}`).toEqual([...expected.tokens]);
      results[i]!.logprobs.forEach((logprob, t) => {
        expect(Math.abs(logprob - expected.logprobs[t]!)).toBeLessThan(1e-4);
      });
    }
    expect([...order].sort((a, b) => a - b)).toEqual(requests.map((_, i) => i));
  });

  it('does not matter when prompts are prefilled in small portions', async () => {
    const limits = { logitBytes: 2 ** 20, prefillTokens: 50 };
    const compute = await open(testOptions(goldenModelPath('llama'), { sampleSlots: 16 }), limits);
    const results = await sample(compute, requests);
    expect(results.map(({ tokens }) => [...tokens])).toEqual((await alone).map(({ tokens }) => [...tokens]));
    const prefills = runs.filter((sizes) => 'W' in sizes).slice(-4);
    expect(prefills.every((sizes) => sizes.W === 1 || sizes.N! <= 50)).toBe(true);
  });

  it.each([2, 16])('a group has its prompt prefilled once, with %i slots', async (sampleSlots) => {
    const compute = await open(testOptions(goldenModelPath('llama'), { sampleSlots }));
    const groups = [promptOf(9, 1), promptOf(30, 2), promptOf(9, 3)];
    await sample(
      compute,
      groups.flatMap((prompt, i) => [0, 1, 2, 3].map((n) => request(prompt, i * 4 + n, { maxTokens: 4 }))),
    );
    const prefills = runs.filter((sizes) => 'W' in sizes);
    expect(prefills.reduce((total, sizes) => total + sizes.W!, 0)).toBe(3);
    expect(prefills.reduce((total, sizes) => total + sizes.N!, 0)).toBe(9 + 30 + 9);
  });

  it('needs no decoding step for a single token', async () => {
    const compute = await open(testOptions(goldenModelPath('llama')));
    const [result] = await sample(compute, [request([1, 2], 3, { maxTokens: 1 })]);
    expect(result).toMatchObject({ finishReason: 'length' });
    expect(result!.tokens.length).toBe(1);
    expect(runs.length).toBe(1);
  });
});

describe('where a request ends', () => {
  it('ends at the context of the model', async () => {
    const config = parseModelConfig(tinyConfigJson({ vocab_size: 96, max_position_embeddings: 24 }), 'config.json');
    const compute = await open(testOptions('', { model: { config, seed: 1 } }));
    const requests = [20, 23, 1].map((length) => request(promptOf(length, 1), 0, { maxTokens: 100 }));
    const results = await sample(compute, requests);
    expect(results.map(({ tokens }) => tokens.length)).toEqual([4, 1, 23]);
    expect(results.every(({ finishReason }) => finishReason === 'length')).toBe(true);
    await expect(sample(compute, [request(promptOf(24, 1), 0)])).rejects.toThrow(/24 tokens.*context 24/);
  });

  it('ends at a stop string that begins in one token and ends in another, inside a character too', async () => {
    const plain = await open(testOptions(goldenModelPath('llama')));
    const [free] = await sample(plain, [request([3, 4], 1, { maxTokens: 12 })]);
    const tokens = [...free!.tokens];
    const distinct = [...new Set(tokens)];
    expect(distinct.length).toBeGreaterThan(5);
    // Spells the sampled text with the bytes of the fox cut in the middle.
    const fox = Buffer.from('🦊', 'utf8');
    const at = tokens.findIndex(
      (token, t) =>
        t > 1 && tokens.indexOf(token) === t && !tokens.slice(0, t).includes(tokens[t + 1]!) && tokens[t + 1] !== token,
    );
    const vocabulary = Array.from({ length: 96 }, (_, token) => Buffer.from(`<${token}>`, 'utf8'));
    vocabulary[tokens[at]!] = Buffer.concat([Buffer.from('end'), fox.subarray(0, 2)]);
    vocabulary[tokens[at + 1]!] = Buffer.concat([fox.subarray(2), Buffer.from('rest')]);
    const compute = await open(testOptions(goldenModelPath('llama'), { vocabulary }));
    const ask = async (...stopStrings: string[]): Promise<SampleResult> =>
      (await sample(compute, [request([3, 4], 1, { maxTokens: 12, stopStrings })]))[0]!;
    const stopped = await ask('never', 'nd🦊r');
    expect([...stopped.tokens]).toEqual(tokens.slice(0, at + 2));
    expect(stopped.finishReason).toBe('stop');
    const inside = await ask(`<${tokens[0]}>`.slice(1, 2));
    expect([...inside.tokens]).toEqual(tokens.slice(0, 1));
    expect(await ask('nowhere')).toMatchObject({ finishReason: 'length' });
    await expect(sample(plain, [request([1], 0, { stopStrings: ['x'] })])).rejects.toThrow(/vocabulary/);
  });

  it('returns partial results when aborted, and nothing for requests that had not begun', async () => {
    const compute = await open(testOptions(goldenModelPath('llama'), { sampleSlots: 2 }));
    const requests = [0, 1, 2].map((seed) => request([1, 2, 3], seed, { maxTokens: 50 }));
    let sampled = 0;
    const results = await sample(compute, requests, {
      onStep: (count) => {
        sampled = count;
      },
      aborted: () => sampled >= 9,
    });
    expect(results.map(({ finishReason }) => finishReason)).toEqual(['aborted', 'aborted', 'aborted']);
    expect(results.map(({ tokens }) => tokens.length)).toEqual([5, 5, 0]);
  });
});
