import { expect, it } from 'vitest';
import { compile, constantInt, gradients, input, type Tensor } from '../../src/graph/index.js';
import { tokenLogprobs } from '../../src/models/index.js';
import { uniform } from '../graph/check-instance.js';
import { opCounts } from '../graph/decode-onnx.js';
import { run } from '../graph/run.js';

const [M, d, V] = [4, 3, 7];
const chunks = [3, 1];
const random = uniform(5);
const draw = (shape: readonly number[]) => ({
  shape,
  data: Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => Math.fround(2 * random() - 1)),
});
const feeds = { hidden: draw([M, d]), weight: draw([V, d]), upstream: draw([M]) };
const targets = [6, 0, 2, 2];

/** Gradients of Σ upstream · log-probability: of the hidden states and, where it is trained, of the head. */
function headGradients(headTrained: boolean, known: boolean): Record<string, Tensor> {
  const [hidden, weight] = [input('hidden', 'float32', [M, d]), input('weight', 'float32', [V, d])];
  const upstream = input('upstream', 'float32', [M]);
  const { logprobs } = tokenLogprobs(hidden, weight, constantInt(targets), {
    chunks,
    upstream: known ? upstream : null,
    headTrained,
    entropy: false,
  });
  const [gHidden, gWeight] = gradients([[logprobs, upstream]], headTrained ? [hidden, weight] : [hidden]);
  return { 'gradient:hidden': gHidden!, ...(gWeight && { 'gradient:weight': gWeight }) };
}

/** upstream · (onehot(target) − p), [M, V], in float64. */
const logitGradients = targets.map((target, m) => {
  const row = (data: readonly number[], i: number): number[] => data.slice(i * d, (i + 1) * d);
  const logits = Array.from({ length: V }, (_, v) =>
    row(feeds.weight.data, v).reduce((sum, w, i) => sum + w * row(feeds.hidden.data, m)[i]!, 0),
  );
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
  return logits.map((logit, v) => feeds.upstream.data[m]! * (Number(v === target) - Math.exp(logit) / total));
});

it.each([
  [true, true],
  [true, false],
  [false, true],
  [false, false],
])('the gradient of token log-probabilities, head trained: %s, gradient known before: %s', async (trained, known) => {
  const found = await run(headGradients(trained, known), feeds);
  for (let m = 0; m < M; m++) {
    for (let i = 0; i < d; i++) {
      const expected = logitGradients[m]!.reduce((sum, g, v) => sum + g * feeds.weight.data[v * d + i]!, 0);
      expect(found['gradient:hidden']!.data[m * d + i]).toBeCloseTo(expected, 6);
    }
  }
  if (!trained) return;
  for (let v = 0; v < V; v++) {
    for (let i = 0; i < d; i++) {
      const expected = logitGradients.reduce((sum, row, m) => sum + row[v]! * feeds.hidden.data[m * d + i]!, 0);
      expect(found['gradient:weight']!.data[v * d + i]).toBeCloseTo(expected, 6);
    }
  }
});

it('a frozen head needs no second matrix of the size of the logits', () => {
  const counts = opCounts(compile(headGradients(false, true)).onnx);
  expect(counts.ScatterElements).toBeUndefined();
});
