import { describe, expect, it } from 'vitest';
import { compile, constantInt, gradients, input, type Tensor } from '../../src/graph/index.js';
import { headPartRows, tokenLogprobs } from '../../src/models/index.js';
import { uniform } from '../graph/check-instance.js';
import { opCounts } from '../graph/decode-onnx.js';
import { run } from '../graph/run.js';

const [M, d, V] = [4, 3, 7];
const random = uniform(5);
const draw = (shape: readonly number[]) => ({
  shape,
  data: Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => Math.fround(2 * random() - 1)),
});
const feeds = { hidden: draw([M, d]), weight: draw([V, d]), upstream: draw([M]) };
const targets = [6, 0, 2, 2];

interface Case {
  readonly partRows: readonly number[];
  readonly chunks: readonly number[];
  readonly known: boolean;
}

/** Log-probabilities, entropies, and the gradients of Σ upstream · log-probability. */
function headOutputs({ partRows, chunks, known }: Case, headTrained: boolean): Record<string, Tensor> {
  const [hidden, whole] = [input('hidden', 'float32', [M, d]), input('weight', 'float32', [V, d])];
  const parts = partRows.map((rows, i) => input(`part ${i}`, 'float32', [rows, d]));
  const upstream = input('upstream', 'float32', [M]);
  const { logprobs, entropy, targetRows } = tokenLogprobs(hidden, { whole, parts }, constantInt(targets), {
    chunks,
    upstream: known ? upstream : null,
    entropy: true,
  });
  const wanted = headTrained ? [hidden, targetRows, ...parts] : [hidden];
  const [gHidden, gRows, ...gParts] = gradients([[logprobs, upstream]], wanted, { stopAt: [targetRows] });
  return {
    logprobs,
    entropy: entropy!,
    'gradient:hidden': gHidden!,
    ...(gRows && { 'gradient:rows': gRows }),
    ...Object.fromEntries(gParts.map((gradient, i) => [`gradient:${i}`, gradient!])),
  };
}

const partsOf = (partRows: readonly number[]): Record<string, { shape: number[]; data: number[] }> => {
  let start = 0;
  return Object.fromEntries(
    partRows.map((rows, i) => {
      const data = feeds.weight.data.slice(start * d, (start + rows) * d);
      start += rows;
      return [`part ${i}`, { shape: [rows, d], data }];
    }),
  );
};

const row = (data: readonly number[], i: number): number[] => data.slice(i * d, (i + 1) * d);

/** Log-probabilities of each token at each position, [M, V], in float64. */
const logProbabilities = targets.map((_, m) => {
  const logits = Array.from({ length: V }, (_, v) =>
    row(feeds.weight.data, v).reduce((sum, w, i) => sum + w * row(feeds.hidden.data, m)[i]!, 0),
  );
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return logits.map((logit) => logit - total);
});

/** upstream · (onehot(target) − p), [M, V]. */
const logitGradients = targets.map((target, m) =>
  logProbabilities[m]!.map((logprob, v) => feeds.upstream.data[m]! * (Number(v === target) - Math.exp(logprob))),
);

const cases: Case[] = [[V], [4, 3], [3, 3, 1], [2, 2, 2, 1]].flatMap((partRows) =>
  [[M], [3, 1]].flatMap((chunks) => [true, false].map((known) => ({ partRows, chunks, known }))),
);

describe.each(cases)('the head in parts of $partRows, chunks of $chunks, gradient known before: $known', (given) => {
  const inputs = { ...feeds, ...partsOf(given.partRows) };

  it.each([true, false])('gives log-probabilities, entropies and gradients; trained: %s', async (trained) => {
    const found = await run(headOutputs(given, trained), inputs);
    const near = (name: string, index: number, expected: number): void =>
      expect(found[name]!.data[index], `${name} ${index}`).toBeCloseTo(expected, 6);
    targets.forEach((target, m) => {
      near('logprobs', m, logProbabilities[m]![target]!);
      near('entropy', m, -logProbabilities[m]!.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0));
      for (let i = 0; i < d; i++) {
        const expected = logitGradients[m]!.reduce((sum, g, v) => sum + g * feeds.weight.data[v * d + i]!, 0);
        near('gradient:hidden', m * d + i, expected);
      }
    });
    if (!trained) return;
    const weight = given.partRows.flatMap((_, i) => Array.from(found[`gradient:${i}`]!.data, Number));
    targets.forEach((target, m) => {
      for (let i = 0; i < d; i++) weight[target * d + i]! += Number(found['gradient:rows']!.data[m * d + i]);
    });
    weight.forEach((value, at) => {
      const [v, i] = [Math.floor(at / d), at % d];
      const expected = logitGradients.reduce((sum, row, m) => sum + row[v]! * feeds.hidden.data[m * d + i]!, 0);
      expect(value).toBeCloseTo(expected, 6);
    });
  });
});

it('a logit far above the others of another part makes the target improbable and nothing infinite', async () => {
  const given = { partRows: [4, 3], chunks: [M], known: true };
  const weight = feeds.weight.data.map((value, at) => (at < d ? 400 : value));
  const hidden = { shape: [M, d], data: feeds.hidden.data.map(() => 1) };
  const parts = { 'part 0': { shape: [4, d], data: weight.slice(0, 4 * d) }, 'part 1': partsOf([4, 3])['part 1']! };
  const found = await run(headOutputs(given, true), {
    ...feeds,
    hidden,
    weight: { shape: [V, d], data: weight },
    ...parts,
  });
  for (const { data } of Object.values(found))
    for (const value of data) expect(Number.isFinite(Number(value))).toBe(true);
  expect(Number(found.logprobs!.data[0])).toBeLessThan(-1000);
  expect(Number(found.logprobs!.data[1])).toBe(0);
});

it('parts lose no precision where logits are large', async () => {
  const weight = feeds.weight.data.map((value) => Math.fround(40 * value + 30));
  const hidden = feeds.hidden.data.map((value) => Math.fround(value + 2));
  const logits = targets.map((_, m) =>
    Array.from({ length: V }, (_, v) => row(weight, v).reduce((sum, w, i) => sum + w * row(hidden, m)[i]!, 0)),
  );
  const probabilities = logits.map((each) => {
    const powers = each.map((logit) => Math.exp(logit - Math.max(...each)));
    const total = powers.reduce((a, b) => a + b);
    return powers.map((power) => power / total);
  });
  expect(Math.max(...logits.flat())).toBeGreaterThan(150);
  let start = 0;
  const parts = [3, 3, 1].map((rows, i) => {
    const data = weight.slice(start * d, (start + rows) * d);
    start += rows;
    return [`part ${i}`, { shape: [rows, d], data }] as const;
  });
  const found = await run(headOutputs({ partRows: [3, 3, 1], chunks: [M], known: true }, false), {
    upstream: feeds.upstream,
    hidden: { shape: [M, d], data: hidden },
    weight: { shape: [V, d], data: weight },
    ...Object.fromEntries(parts),
  });
  targets.forEach((target, m) => {
    for (let i = 0; i < d; i++) {
      const mean = probabilities[m]!.reduce((sum, p, v) => sum + p * weight[v * d + i]!, 0);
      const expected = feeds.upstream.data[m]! * (weight[target * d + i]! - mean);
      // In float32 the mean row itself has an error of about 4e-6.
      expect(Math.abs(Number(found['gradient:hidden']!.data[m * d + i]) - expected), `${m} ${i}`).toBeLessThan(1.5e-5);
    }
  });
});

it('no gradient flows through the entropy', () => {
  const [hidden, whole] = [input('hidden', 'float32', [M, d]), input('weight', 'float32', [V, d])];
  const { entropy } = tokenLogprobs(hidden, { whole, parts: [whole] }, constantInt(targets), {
    chunks: [M],
    upstream: null,
    entropy: true,
  });
  expect(gradients([[entropy!, input('upstream', 'float32', [M])]], [hidden, whole])).toEqual([null, null]);
});

it('a frozen head needs no second matrix of the size of the logits', () => {
  const counts = opCounts(compile(headOutputs(cases[0]!, false)).onnx);
  expect(counts.ScatterElements).toBeUndefined();
});

describe('the parts of a head', () => {
  it.each([16, 4096, 8223, 8224, 49152, 128256, 151936])(
    'cover a vocabulary of %i, all but the last alike',
    (vocabulary) => {
      const rows = headPartRows(vocabulary);
      expect(rows.reduce((a, b) => a + b, 0)).toBe(vocabulary);
      expect(new Set(rows.slice(0, -1)).size).toBeLessThanOrEqual(1);
      expect(rows.at(-1)).toBeLessThanOrEqual(rows[0]!);
    },
  );
});
