import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Batch,
  defineLoss,
  type Engine,
  type OptimStepParams,
  type OptimStepResult,
  type SampleRequest,
  type SampleResult,
  type SamplingParams,
} from '../../src/engine/index.js';
import { multiply, negate, subtract, sum } from '../../src/graph/index.js';
import { relativeError } from './golden-batch.js';

export interface ConformanceOptions {
  /** A new engine, always in the same state: the same weights, seeds and options. */
  open(): Promise<Engine>;
  /** An engine on what `exportModel` wrote into the directory. */
  openExported(directory: string): Promise<Engine>;
  readonly vocabSize: number;
  /** Whether an adapter is trained, which `forward` can leave out. */
  readonly lora: boolean;
  /** Tests that do not apply to this engine, by title, with the reason. */
  readonly skips?: Readonly<Record<string, string>>;
}

const weighted = defineLoss({
  name: 'weighted',
  inputs: ['weights'],
  build: ({ logprobs, inputs }) => ({ loss: negate(sum(multiply(inputs.weights, logprobs))) }),
});

/** Not linear in the log-probabilities, with a scalar, a sum over sequences, entropy and two metrics. */
const quadratic = defineLoss({
  name: 'quadratic',
  inputs: ['weights', 'reference'],
  scalars: ['scale'],
  needsEntropy: true,
  build: ({ logprobs, entropy, inputs, scalars, sequenceSum }) => {
    const difference = multiply(inputs.weights, subtract(logprobs, inputs.reference));
    return {
      loss: multiply(scalars.scale, sum(multiply(difference, sequenceSum(difference)))),
      metrics: { total: sum(difference), entropy: sum(multiply(inputs.weights, entropy)) },
    };
  },
});

const adamw: OptimStepParams = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0.01,
  maxGradNorm: 1,
};

export const plainSampling: SamplingParams = {
  maxTokens: 10,
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  repetitionPenalty: 1,
  stopTokens: [],
  stopStrings: [],
};

/** Sequences of the given lengths whose tokens follow from their number; every third position is not wanted. */
export function batchOf(lengths: readonly number[], vocabSize: number, firstSequence = 0): Batch {
  const token = (sequence: number, t: number): number =>
    ((firstSequence + sequence + 1) * 7919 + t * (31 + sequence) + t * t) % vocabSize;
  const sequences = lengths.map((length, i) => ({
    tokens: Int32Array.from({ length }, (_, t) => token(i, t)),
    targets: Int32Array.from({ length }, (_, t) => token(i, t + 1)),
    wanted: Uint8Array.from({ length }, (_, t) => (t % 3 === 1 ? 0 : 1)),
  }));
  return {
    sequences,
    inputs: {
      weights: sequences.map(({ tokens }) => Float32Array.from(tokens, (_, t) => 0.02 * ((t % 4) - 0.5))),
      reference: sequences.map(({ tokens }) => Float32Array.from(tokens, (_, t) => -1 - (t % 3))),
    },
    scalars: { scale: 0.25 },
  };
}

/** The same call on the sequences from `from` to `to` only. */
export const part = (batch: Batch, from: number, to: number): Batch => ({
  ...batch,
  sequences: batch.sequences.slice(from, to),
  inputs: Object.fromEntries(Object.entries(batch.inputs).map(([name, values]) => [name, values.slice(from, to)])),
});

/** Equal but for the order in which a device may add up. */
function expectSameStep(actual: OptimStepResult, expected: OptimStepResult): void {
  expect(actual.step).toBe(expected.step);
  expect(Math.abs(actual.gradNorm - expected.gradNorm)).toBeLessThan(1e-6 * expected.gradNorm);
}

/** What every engine must do. Each test starts from the weights that `open` gives, published as version 0. */
export function describeEngine(name: string, options: ConformanceOptions): void {
  const { vocabSize, skips = {} } = options;
  const known = new Set<string>();
  const test = (title: string, run: () => Promise<void>): void => {
    known.add(title);
    const reason = skips[title];
    if (reason) it.skip(`${title} (skipped: ${reason})`, run);
    else it(title, run);
  };
  const batch = batchOf([5, 17, 1, 30], vocabSize);
  const prompts = [[1, 2, 3], [4, 5, 6, 7, 8, 9, 10, 11], [1, 2, 3], [12]];
  const requests = (params: Partial<SamplingParams> = {}): SampleRequest[] =>
    prompts.map((prompt, seed) => ({
      prompt: Int32Array.from(prompt, (token) => token % vocabSize),
      params: { ...plainSampling, ...params },
      seed,
    }));

  describe(`engine: ${name}`, () => {
    let root: string;
    let engine: Engine;
    /** A second engine in the same state. */
    let twin: Engine;
    let counter = 0;
    const directory = async (): Promise<string> => {
      const path = join(root, String(counter++));
      await mkdir(path);
      return path;
    };
    const train = async (target: Engine, steps: number): Promise<void> => {
      for (let i = 0; i < steps; i++) {
        await target.forwardBackward(batchOf([9, 6], vocabSize, i), weighted);
        await target.forwardBackward(batchOf([12], vocabSize, i + 50), weighted);
        await target.optimStep(adamw);
      }
    };
    const state = async (target: Engine): Promise<Buffer> => {
      const path = await directory();
      await target.saveState(path);
      return readFile(join(path, 'engine.safetensors'));
    };

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'anneal-conformance-'));
      [engine, twin] = await Promise.all([options.open(), options.open()]);
      await engine.saveState(join(root));
    });
    beforeEach(async () => {
      for (const each of [engine, twin]) {
        await each.loadState(root);
        await each.publish(0);
      }
    });
    afterAll(async () => {
      await Promise.all([engine?.dispose(), twin?.dispose()]);
      await rm(root, { recursive: true, force: true });
    });

    it('skips nothing but its own tests', () => {
      expect(Object.keys(skips).filter((title) => !known.has(title))).toEqual([]);
    });

    test('says what it is and what it lacks', async () => {
      const { engine: kind, device, missing } = engine.capabilities();
      expect(kind).not.toBe('');
      expect(device).not.toBe('');
      for (const reason of Object.values(missing)) expect(reason).not.toBe('');
    });

    describe('forward', () => {
      test('gives one value a token, 0 where none is wanted', async () => {
        const { logprobs, entropy } = await engine.forward(batch, { entropy: true });
        expect(logprobs.map((row) => row.length)).toEqual([5, 17, 1, 30]);
        batch.sequences.forEach(({ wanted }, i) => {
          wanted.forEach((want, t) => {
            if (want === 1) {
              expect(logprobs[i]![t]).toBeLessThan(0);
              expect(entropy![i]![t]).toBeGreaterThan(0);
              expect(entropy![i]![t]).toBeLessThanOrEqual(Math.log(vocabSize) + 1e-5);
            } else {
              expect(logprobs[i]![t]).toBe(0);
              expect(entropy![i]![t]).toBe(0);
            }
          });
        });
      });

      test('gives no entropy unless asked', async () => {
        expect((await engine.forward(batch)).entropy).toBeUndefined();
      });

      test('gives each sequence what it gets alone', async () => {
        const { logprobs } = await engine.forward(batch);
        for (let i = 0; i < 4; i++) {
          const alone = await engine.forward(part(batch, i, i + 1));
          expect(relativeError(alone.logprobs[0]!, logprobs[i]!)).toBeLessThan(1e-5);
        }
      });

      test('leaves the adapter out on request', async () => {
        const before = await engine.forward(batch, { adapter: 'off' });
        await train(engine, 2);
        const off = await engine.forward(batch, { adapter: 'off' });
        const on = await engine.forward(batch);
        expect(relativeError(on.logprobs[1]!, before.logprobs[1]!)).toBeGreaterThan(1e-3);
        expect(off).toEqual(options.lora ? before : on);
      });
    });

    describe('forwardBackward', () => {
      test('gives the log-probabilities of forward and the loss they make', async () => {
        const { logprobs } = await engine.forward(batch);
        const result = await engine.forwardBackward(batch, weighted);
        let expected = 0;
        result.logprobs.forEach((row, i) => {
          expect(relativeError(row, logprobs[i]!)).toBeLessThan(1e-5);
          row.forEach((logprob, t) => {
            expected -= logprob * batch.inputs.weights![i]![t]!;
          });
        });
        expect(Math.abs(result.loss - expected)).toBeLessThan(1e-5 * Math.max(1, Math.abs(expected)));
        expect(result.metrics).toEqual({});
      });

      test('computes losses with scalars, entropy, sequence sums and metrics', async () => {
        const { logprobs, entropy } = await engine.forward(batch, { entropy: true });
        const { loss, metrics } = await engine.forwardBackward(batch, quadratic);
        let expected = 0;
        let total = 0;
        let entropies = 0;
        batch.sequences.forEach(({ wanted }, i) => {
          let sequence = 0;
          wanted.forEach((want, t) => {
            if (want === 0) return;
            const weight = batch.inputs.weights![i]![t]!;
            sequence += weight * (logprobs[i]![t]! - batch.inputs.reference![i]![t]!);
            entropies += weight * entropy![i]![t]!;
          });
          total += sequence;
          expected += 0.25 * sequence * sequence;
        });
        expect(Math.abs(loss - expected)).toBeLessThan(1e-4 * Math.max(1, Math.abs(expected)));
        expect(Math.abs(metrics.total! - total)).toBeLessThan(1e-4 * Math.max(1, Math.abs(total)));
        expect(Math.abs(metrics.entropy! - entropies)).toBeLessThan(1e-4 * Math.max(1, Math.abs(entropies)));
      });

      test('adds gradients up over calls', async () => {
        await engine.forwardBackward(batch, weighted);
        const whole = await engine.optimStep(adamw);
        await engine.loadState(root);
        await engine.forwardBackward(part(batch, 0, 1), weighted);
        await engine.forwardBackward(part(batch, 1, 4), weighted);
        const parts = await engine.optimStep(adamw);
        expect(Math.abs(parts.gradNorm - whole.gradNorm)).toBeLessThan(1e-5 * whole.gradNorm);
      });

      test('changes no weights', async () => {
        const before = await engine.forward(batch);
        await engine.forwardBackward(batch, weighted);
        expect(await engine.forward(batch)).toEqual(before);
      });
    });

    describe('what cannot be computed is an error that says why', () => {
      const broken = (
        change: (sequence: Batch['sequences'][number]) => Partial<Batch['sequences'][number]>,
      ): Batch => ({
        ...batch,
        sequences: batch.sequences.map((sequence, i) => (i === 1 ? { ...sequence, ...change(sequence) } : sequence)),
      });
      const withToken = (token: number) =>
        broken(({ tokens }) => ({ tokens: tokens.map((old, t) => (t === 2 ? token : old)) }));
      const cases: readonly [string, Batch, RegExp][] = [
        ['an empty batch', part(batch, 0, 0), /no sequences/],
        ['a token past the vocabulary', withToken(vocabSize), new RegExp(`sequence 1.*${vocabSize}.*position 2`)],
        ['a negative token', withToken(-1), /sequence 1.*-1.*position 2/],
        [
          'a target past the vocabulary',
          broken(({ targets }) => ({ targets: targets.map(() => vocabSize + 3) })),
          new RegExp(`sequence 1.*${vocabSize + 3}`),
        ],
        [
          'targets of another length',
          broken(({ targets }) => ({ targets: targets.subarray(1) })),
          /sequence 1.*17.*16/,
        ],
        ['a mask of another length', broken(({ wanted }) => ({ wanted: wanted.subarray(1) })), /sequence 1.*17.*16/],
        [
          'a sequence without tokens',
          broken(() => ({ tokens: new Int32Array(), targets: new Int32Array(), wanted: new Uint8Array() })),
          /sequence 1.*empty/,
        ],
        [
          'nothing wanted',
          { ...batch, sequences: batch.sequences.map((it) => ({ ...it, wanted: new Uint8Array(it.tokens.length) })) },
          /wanted/,
        ],
      ];
      for (const [title, wrong, message] of cases) {
        test(title, async () => {
          await expect(engine.forward(wrong)).rejects.toThrow(message);
          await expect(engine.forwardBackward(wrong, weighted)).rejects.toThrow(message);
        });
      }

      test('a loss input that is missing, or does not fit the sequences', async () => {
        const { weights: _, ...others } = batch.inputs;
        const given = (inputs: Batch['inputs']) => engine.forwardBackward({ ...batch, inputs }, weighted);
        await expect(given(others)).rejects.toThrow(/weighted.*weights/);
        await expect(given({ weights: batch.inputs.weights!.slice(1) })).rejects.toThrow(/weights.*3.*4/);
        await expect(
          given({ weights: batch.inputs.weights!.map((row, i) => (i === 3 ? row.subarray(2) : row)) }),
        ).rejects.toThrow(/weights.*sequence 3.*28.*30/);
        await expect(engine.forwardBackward({ ...batch, scalars: {} }, quadratic)).rejects.toThrow(/quadratic.*scale/);
      });

      test('a failed call leaves the accumulated gradient as it was', async () => {
        await engine.forwardBackward(batch, weighted);
        await expect(engine.forwardBackward(withToken(-1), weighted)).rejects.toThrow();
        await twin.forwardBackward(batch, weighted);
        expectSameStep(await engine.optimStep(adamw), await twin.optimStep(adamw));
      });
    });

    describe('optimStep', () => {
      test('lowers the loss and counts its steps', async () => {
        const target = batchOf([24], vocabSize);
        const data = { ...target, inputs: { weights: [new Float32Array(24).fill(1 / 24)] } };
        const loss = async (): Promise<number> => (await engine.forwardBackward(data, weighted)).loss;
        const first = await loss();
        let last = first;
        for (let step = 1; step <= 6; step++) {
          expect((await engine.optimStep(adamw)).step).toBe(step);
          last = await loss();
        }
        expect(last).toBeLessThan(0.98 * first);
      });

      test('reports the norm of the gradient before clipping', async () => {
        await engine.forwardBackward(batch, weighted);
        const free = await engine.optimStep({ ...adamw, maxGradNorm: 0 });
        await twin.forwardBackward(batch, weighted);
        const clipped = await twin.optimStep({ ...adamw, maxGradNorm: free.gradNorm / 10 });
        expectSameStep(clipped, free);
        expect(free.gradNorm).toBeGreaterThan(0);
      });

      test('needs a gradient, and clears the one it has applied', async () => {
        await expect(engine.optimStep(adamw)).rejects.toThrow(/forwardBackward/);
        await engine.forwardBackward(batch, weighted);
        await engine.optimStep(adamw);
        await expect(engine.optimStep(adamw)).rejects.toThrow(/forwardBackward/);
      });

      test('does not apply a gradient that is not finite, and clears it', async () => {
        await train(engine, 1);
        const before = await engine.forward(batch);
        for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
          const weights = batch.inputs.weights!.map((row) => row.map(() => value));
          await engine.forwardBackward({ ...batch, inputs: { weights } }, weighted);
          const { gradNorm, step } = await engine.optimStep(adamw);
          expect(Number.isFinite(gradNorm)).toBe(false);
          expect(step).toBe(1);
          expect(await engine.forward(batch)).toEqual(before);
          await expect(engine.optimStep(adamw)).rejects.toThrow(/forwardBackward/);
        }
      });
    });

    describe('sample', () => {
      test('answers requests in their order and reports them as they end', async () => {
        const ended: number[] = [];
        const tokens: number[][] = prompts.map(() => []);
        const counts: number[] = [];
        const lengths = [6, 1, 3, 9];
        const given = requests().map((request, i) => ({
          ...request,
          params: { ...request.params, maxTokens: lengths[i]! },
        }));
        const seen: SampleResult[] = [];
        const results = await engine.sample(given, {
          onResult: (index, result) => {
            ended.push(index);
            seen[index] = result;
          },
          onToken: (index, token) => tokens[index]!.push(token),
          onProgress: (count) => counts.push(count),
        });
        expect(results.map((result) => result.tokens.length)).toEqual(lengths);
        expect(results.every((result) => result.finishReason === 'length')).toBe(true);
        expect([...ended].sort()).toEqual([0, 1, 2, 3]);
        expect(seen).toEqual(results);
        expect(tokens).toEqual(results.map((result) => [...result.tokens]));
        expect(counts.at(-1)).toBe(6 + 1 + 3 + 9);
        expect(counts).toEqual([...counts].sort((a, b) => a - b));
      });

      test('gives the log-probabilities that forward gives for the same tokens', async () => {
        const results = await engine.sample(requests({ temperature: 0.7 }));
        const sequences = results.map(({ tokens }, i) => {
          const all = Int32Array.of(...prompts[i]!.map((token) => token % vocabSize), ...tokens);
          const wanted = Uint8Array.from({ length: all.length - 1 }, (_, t) => (t >= prompts[i]!.length - 1 ? 1 : 0));
          return { tokens: all.subarray(0, -1), targets: all.subarray(1), wanted };
        });
        const { logprobs } = await engine.forward({ sequences, inputs: {}, scalars: {} });
        results.forEach((result, i) => {
          result.logprobs.forEach((logprob, t) => {
            expect(Math.abs(logprob - logprobs[i]![prompts[i]!.length - 1 + t]!)).toBeLessThan(1e-4);
          });
        });
      });

      test('draws by the seed of a request and nothing else', async () => {
        const results = await engine.sample(requests());
        expect(await engine.sample(requests())).toEqual(results);
        const alone = await engine.sample(requests().slice(2, 3));
        expect(alone[0]!.tokens).toEqual(results[2]!.tokens);
        expect(results[0]!.tokens).not.toEqual(results[2]!.tokens);
      });

      test('ends at a stop token, which it keeps', async () => {
        const [free] = await engine.sample(requests().slice(0, 1));
        const stop = free!.tokens[4]!;
        const first = free!.tokens.indexOf(stop);
        const [stopped] = await engine.sample(requests({ stopTokens: [stop] }).slice(0, 1));
        expect([...stopped!.tokens]).toEqual([...free!.tokens.subarray(0, first + 1)]);
        expect(stopped!.finishReason).toBe('stop');
      });

      test('has nothing to do without requests', async () => {
        expect(await engine.sample([])).toEqual([]);
      });

      test('refuses prompts that it cannot continue', async () => {
        const ask = (prompt: Int32Array, params: Partial<SamplingParams> = {}) =>
          engine.sample([...requests(), { prompt, params: { ...plainSampling, ...params }, seed: 0 }]);
        await expect(ask(new Int32Array())).rejects.toThrow(/request 4.*empty/);
        await expect(ask(Int32Array.of(1, vocabSize))).rejects.toThrow(new RegExp(`request 4.*${vocabSize}`));
        await expect(ask(new Int32Array(1_000_000))).rejects.toThrow(/request 4.*1000000/);
        await expect(ask(Int32Array.of(1), { maxTokens: 0 })).rejects.toThrow(/request 4.*maxTokens/);
        await expect(ask(Int32Array.of(1), { temperature: -1 })).rejects.toThrow(/request 4.*temperature/);
      });

      test('returns what it has when aborted', async () => {
        const controller = new AbortController();
        const results = await engine.sample(requests({ maxTokens: 40 }), {
          signal: controller.signal,
          onProgress: (count) => {
            if (count >= 8) controller.abort();
          },
        });
        expect(results).toHaveLength(4);
        for (const { tokens, logprobs, samplingLogprobs } of results) {
          expect(logprobs).toHaveLength(tokens.length);
          expect(samplingLogprobs).toHaveLength(tokens.length);
        }
        const free = await engine.sample(requests({ maxTokens: 40 }));
        results.forEach(({ tokens, finishReason }, i) => {
          expect([...tokens]).toEqual([...free[i]!.tokens.subarray(0, tokens.length)]);
          expect(finishReason).toBe(tokens.length < 40 ? 'aborted' : 'length');
        });
      });
    });

    describe('publish', () => {
      test('samples with the published weights until the next publish', async () => {
        const params = { temperature: 0 };
        const before = await engine.sample(requests(params));
        expect(before.map((result) => result.policyVersion)).toEqual([0, 0, 0, 0]);
        await train(engine, 3);
        expect(await engine.sample(requests(params))).toEqual(before);
        await engine.publish(7);
        const after = await engine.sample(requests(params));
        expect(after.map((result) => result.policyVersion)).toEqual([7, 7, 7, 7]);
        expect(after[0]!.logprobs).not.toEqual(before[0]!.logprobs);
        await train(engine, 1);
        expect(await engine.sample(requests(params))).toEqual(after);
      });
    });

    describe('state', () => {
      test('continues bit for bit from a saved state, here and in another engine', async () => {
        await train(engine, 2);
        const path = await directory();
        await engine.saveState(path);
        await train(engine, 3);
        const uninterrupted = await state(engine);

        await engine.loadState(path);
        await train(engine, 3);
        expect((await state(engine)).equals(uninterrupted)).toBe(true);

        await twin.loadState(path);
        await train(twin, 3);
        expect((await state(twin)).equals(uninterrupted)).toBe(true);
        expect((await state(engine)).equals(await readFile(join(path, 'engine.safetensors')))).toBe(false);
      });

      test('holds the step count', async () => {
        await train(engine, 2);
        const path = await directory();
        await engine.saveState(path);
        await twin.loadState(path);
        await twin.forwardBackward(batch, weighted);
        expect((await twin.optimStep(adamw)).step).toBe(3);
      });

      test('drops the accumulated gradient when loaded', async () => {
        await engine.forwardBackward(batch, weighted);
        await engine.loadState(root);
        await expect(engine.optimStep(adamw)).rejects.toThrow(/forwardBackward/);
      });

      test('changes nothing by being saved', async () => {
        await engine.forwardBackward(batch, weighted);
        await twin.forwardBackward(batch, weighted);
        await engine.saveState(await directory());
        await engine.optimStep(adamw);
        await twin.optimStep(adamw);
        expect((await state(engine)).equals(await state(twin))).toBe(true);
      });

      test('says which state is missing', async () => {
        const path = await directory();
        await expect(engine.loadState(path)).rejects.toThrow(path);
      });
    });

    test('does the same again for the same calls', async () => {
      const run = async (target: Engine) => {
        await train(target, 2);
        await target.publish(1);
        const scored = await target.forward(batch, { entropy: true });
        const trained = await target.forwardBackward(batch, quadratic);
        const sampled = await target.sample(requests({ temperature: 0.9, topP: 0.95 }));
        return { scored, trained, sampled, state: await state(target) };
      };
      expect(await run(engine)).toEqual(await run(twin));
    });

    test('exports a model that opens elsewhere with the same log-probabilities', async () => {
      await train(engine, 2);
      const path = await directory();
      await engine.exportModel(path);
      expect(await readdir(path)).toContain(options.lora ? 'adapter_config.json' : 'config.json');
      const reopened = await options.openExported(path);
      try {
        const { logprobs } = await reopened.forward(batch);
        const expected = await engine.forward(batch);
        logprobs.forEach((row, i) => {
          expect(relativeError(row, expected.logprobs[i]!)).toBeLessThan(1e-6);
        });
      } finally {
        await reopened.dispose();
      }
    });

    describe('AbortSignal', () => {
      test('stops a call before it starts', async () => {
        const signal = AbortSignal.abort(new Error('enough'));
        await expect(engine.forward(batch, { signal })).rejects.toThrow('enough');
        await expect(engine.forwardBackward(batch, weighted, { signal })).rejects.toThrow('enough');
        await expect(engine.sample(requests(), { signal })).rejects.toThrow('enough');
        await expect(engine.optimStep(adamw)).rejects.toThrow(/forwardBackward/);
      });

      test('stops a call that waits behind another', async () => {
        const controller = new AbortController();
        const { signal } = controller;
        const first = engine.forwardBackward(batch, weighted);
        // More to do than is done before the signal, however busy the machine is with something else.
        const others = Promise.all(Array.from({ length: 100 }, () => engine.forward(batch)));
        const outcomes = Promise.allSettled([
          engine.forward(batch, { signal }),
          engine.forwardBackward(batch, weighted, { signal }),
        ]);
        controller.abort(new Error('enough'));
        await Promise.all([first, others]);
        for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { message: 'enough' } });
        await twin.forwardBackward(batch, weighted);
        expectSameStep(await engine.optimStep(adamw), await twin.optimStep(adamw));
      });
    });

    test('refuses every call once disposed, and may be disposed twice', async () => {
      const disposed = await options.open();
      await disposed.dispose();
      await disposed.dispose();
      const path = await directory();
      for (const call of [
        () => disposed.forward(batch),
        () => disposed.forwardBackward(batch, weighted),
        () => disposed.optimStep(adamw),
        () => disposed.sample(requests()),
        () => disposed.publish(1),
        () => disposed.saveState(path),
        () => disposed.loadState(root),
        () => disposed.exportModel(path),
      ]) {
        await expect(call()).rejects.toThrow(/disposed/);
      }
      expect(await readdir(path)).toEqual([]);
    });

    test('finishes what it was given before it is disposed', async () => {
      const closing = await options.open();
      const answer = closing.forward(batch);
      const closed = closing.dispose();
      const late = closing.forward(batch);
      await expect(late).rejects.toThrow(/disposed/);
      expect(await answer).toEqual(await twin.forward(batch));
      await closed;
    });
  });
}
