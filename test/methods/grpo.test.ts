import { describe, expect, it } from 'vitest';
import { createCompute } from '../../src/engine/local/compute.js';
import { createProgram } from '../../src/engine/local/runtime.js';
import { compile, constant, deserialize, gradients, input, symbol } from '../../src/graph/index.js';
import { type GrpoLossOptions, type GrpoLossType, grpoLoss, grpoWeights } from '../../src/methods/grpo.js';
import { crossEntropy } from '../../src/methods/sft.js';
import { goldenBatch, goldenModelPath, relativeError, testOptions } from '../engine/golden-batch.js';
import { readGoldenJson } from '../golden/read-golden.js';

interface Golden {
  readonly maxCompletionLength: number;
  readonly batch: {
    readonly logprobs: readonly (readonly number[])[];
    readonly old_logprobs: readonly (readonly number[])[];
    readonly ref_logprobs: readonly (readonly number[])[];
    readonly advantages: readonly number[];
    readonly mask: readonly (readonly number[])[];
    readonly truncated: readonly boolean[];
  };
  readonly cases: readonly {
    readonly options: {
      readonly loss_type: GrpoLossType;
      readonly beta: number;
      readonly epsilon: number;
      readonly epsilon_high: number;
      readonly delta: number | null;
      readonly importance_sampling_level: 'token' | 'sequence';
      readonly mask_truncated_completions: boolean;
      readonly on_policy: boolean;
      readonly micro_batches: number;
    };
    readonly loss: number;
    readonly gradient: readonly (readonly number[])[];
  }[];
}

const golden = readGoldenJson<Golden>('losses/grpo.json');
// `delta` caps the ratio a second time; anneal has no such key.
const cases = golden.cases.filter(({ options }) => options.delta === null);

/** The loss alone as a program: value and gradient with respect to the log-probabilities. */
async function compileLoss(options: GrpoLossOptions) {
  const loss = grpoLoss(options);
  const logprobs = input('logprobs', 'float32', [symbol('M')]);
  const results = deserialize(loss.graph, { logprobs });
  const [gradient] = gradients([[results.loss!, constant(1)]], [logprobs]);
  return createProgram(compile({ loss: results.loss!, gradient: gradient! }), { device: 'cpu', threads: 1 });
}

describe('the loss and its gradient equal TRL’s', () => {
  it.each(cases.map((entry, index) => ({ index, ...entry, ...entry.options })))(
    'case $index: $loss_type, beta $beta, $importance_sampling_level, on policy $on_policy, masked $mask_truncated_completions',
    async ({ options, loss, gradient }) => {
      const { batch, maxCompletionLength } = golden;
      const masked = (row: number) => options.mask_truncated_completions && batch.truncated[row]!;
      const lengths = batch.mask.map((mask, row) => (masked(row) ? 0 : mask.reduce((a, b) => a + b)));
      const passSize = batch.mask.length / options.micro_batches;
      const weights = grpoWeights(options.loss_type, lengths, { passSize, maxCompletionLength });

      const cells = batch.mask.flatMap((mask, row) =>
        mask.flatMap((one, at) => (one === 1 && !masked(row) ? [{ row, at }] : [])),
      );
      const column = (value: (row: number, at: number) => number) => ({
        data: Float32Array.from(cells, ({ row, at }) => value(row, at)),
        shape: [cells.length],
      });
      const scalar = (value: number) => ({ data: Float32Array.of(value), shape: [] });
      const program = await compileLoss({
        onPolicy: options.on_policy,
        reference: options.beta > 0,
        importanceSamplingLevel: options.importance_sampling_level,
      });
      const outputs = await program.run(
        {
          logprobs: column((row, at) => batch.logprobs[row]![at]!),
          oldLogprobs: column((row, at) => batch.old_logprobs[row]![at]!),
          refLogprobs: column((row, at) => batch.ref_logprobs[row]![at]!),
          weights: column((row) => weights[row]!),
          advantages: column((row) => batch.advantages[row]!),
          segment: { data: BigInt64Array.from(cells, ({ row }) => BigInt(row)), shape: [cells.length] },
          epsilonLow: scalar(options.epsilon),
          epsilonHigh: scalar(options.epsilon_high),
          beta: scalar(options.beta),
        },
        { M: cells.length, B: batch.mask.length },
      );
      await program.release();

      expect(outputs.loss!.data[0]).toBeCloseTo(loss, 5);
      const got = batch.mask.map((mask) => mask.map(() => 0));
      cells.forEach(({ row, at }, i) => {
        got[row]![at] = outputs.gradient!.data[i] as number;
      });
      expect(got.flat()).toEqual(gradient.flat().map((value) => expect.closeTo(value, 6)));
    },
  );
});

describe('through a whole model', () => {
  // Three sequences with ratios on both sides of the clip range and a reference that differs.
  const { sequences } = goldenBatch('qwen3');
  const lengths = sequences.map(({ tokens }) => tokens.length);
  const weights = grpoWeights('grpo', lengths, { passSize: 3, maxCompletionLength: 1 });
  const perSequence = (values: readonly number[]) => lengths.map((n, i) => new Float32Array(n).fill(values[i]!));
  const shifted = (columns: readonly Float32Array[], phase: number, scale: number) =>
    columns.map((column, i) => column.map((value, t) => value + scale * Math.sin(phase + 3 * i + t)));
  const flat = (columns: readonly Float32Array[]) => columns.flatMap((column) => [...column]);
  const levels = ['token', 'sequence'] as const;
  const variants = [true, false].flatMap((onPolicy) =>
    [true, false].flatMap((reference) =>
      levels.map((importanceSamplingLevel) => ({ onPolicy, reference, importanceSamplingLevel })),
    ),
  );

  it.each(variants)('gradients follow the chain rule: %o', async (options) => {
    const compute = await createCompute(testOptions(goldenModelPath('qwen3')));
    const { logprobs } = await compute.forward({ sequences, inputs: {}, scalars: {} }, {});
    const inputs = {
      weights: perSequence(weights),
      advantages: perSequence([1.2, -0.7, 0.4]),
      oldLogprobs: shifted(logprobs, 1, 0.3),
      refLogprobs: shifted(logprobs, 5, 0.5),
    };
    const scalars = { epsilonLow: 0.2, epsilonHigh: 0.28, beta: 0.1 };
    const result = await compute.forwardBackward({ sequences, inputs, scalars }, grpoLoss(options));
    expect(result.metrics.entropy).toBeGreaterThan(0);
    const name = 'model.layers.0.mlp.down_proj.weight';
    const gradient = compute.gradient(name)!.slice();
    await compute.dispose();

    // The loss alone gives its slope at each token; a cross-entropy with these weights has the same gradient.
    const alone = await compileLoss(options);
    const columns = { ...inputs, logprobs };
    const outputs = await alone.run(
      {
        ...Object.fromEntries(
          Object.entries(columns).map(([key, column]) => [
            key,
            { data: Float32Array.from(flat(column)), shape: [flat(column).length] },
          ]),
        ),
        ...Object.fromEntries(
          Object.entries(scalars).map(([key, value]) => [key, { data: Float32Array.of(value), shape: [] }]),
        ),
        segment: {
          data: BigInt64Array.from(lengths.flatMap((n, i) => new Array(n).fill(BigInt(i)))),
          shape: [flat(logprobs).length],
        },
      },
      { M: flat(logprobs).length, B: 3 },
    );
    await alone.release();
    expect(result.loss).toBeCloseTo(outputs.loss!.data[0] as number, 5);
    let start = 0;
    const slopes = lengths.map((n) => {
      start += n;
      return (outputs.gradient!.data as Float32Array).slice(start - n, start).map((value) => -value);
    });
    const reference = await createCompute(testOptions(goldenModelPath('qwen3')));
    await reference.forwardBackward({ sequences, inputs: { weights: slopes }, scalars: {} }, crossEntropy);
    const error = relativeError(gradient, reference.gradient(name)!);
    await reference.dispose();
    expect(error).toBeLessThan(1e-4);
  });
});
