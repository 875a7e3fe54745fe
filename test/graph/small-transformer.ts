import {
  add,
  constant,
  gatherRows,
  gemm,
  gradients,
  input,
  linear,
  log,
  matmul,
  mean,
  multiply,
  negate,
  pick,
  region,
  reshape,
  rmsNorm,
  silu,
  softmax,
  swapLast,
  symbol,
  type Tensor,
  transpose,
} from '../../src/graph/index.js';
import { uniform } from './check-instance.js';
import { count } from './reference.js';
import type { Value } from './run.js';

// Shape suffixes: N tokens, H heads, D head size, W model width.

const rows = 6;
const width = 4;
const shapes = {
  embedding: [5, width],
  norm: [width],
  query: [width, width],
  key: [width, width],
  value: [width, width],
  gate: [6, width],
  up: [6, width],
  down: [width, 6],
} as const;
const names = Object.keys(shapes) as (keyof typeof shapes)[];

/** One transformer layer with tied embeddings, its cross-entropy and the gradient of every weight. */
export function smallTransformer({ recompute }: { readonly recompute: boolean }) {
  const N = symbol('N');
  const w = Object.fromEntries(names.map((name) => [name, input(name, 'float32', shapes[name])])) as Record<
    keyof typeof shapes,
    Tensor
  >;
  const mask_NN = input('mask', 'float32', [N, N]);
  const layer = (h_NW: Tensor): Tensor => {
    const normed_NW = rmsNorm(h_NW, w.norm, 1e-5);
    const heads = (weight: Tensor): Tensor => transpose(reshape(linear(normed_NW, weight), [N, 2, 2]), [1, 0, 2]);
    const scores_HNN = add(matmul(heads(w.query), swapLast(heads(w.key))), mask_NN);
    const mixed_HND = matmul(softmax(scores_HNN), heads(w.value));
    const attended_NW = add(h_NW, reshape(transpose(mixed_HND, [1, 0, 2]), [N, width]));
    const inner = multiply(silu(linear(attended_NW, w.gate)), linear(attended_NW, w.up));
    return add(attended_NW, linear(inner, w.down));
  };
  const h_NW = region(gatherRows(w.embedding, input('tokens', 'int64', [N])), layer, { recompute });
  const probabilities = softmax(gemm(h_NW, w.embedding, false, true));
  const loss = negate(mean(log(pick(probabilities, input('targets', 'int64', [N])))));
  const given = gradients(
    [[loss, constant(1)]],
    names.map((name) => w[name]),
  );

  const random = uniform(7);
  const feeds: Record<string, Value> = {
    tokens: { shape: [rows], data: [0, 1, 1, 4, 2, 1] },
    targets: { shape: [rows], data: [1, 1, 4, 2, 1, 3] },
    mask: {
      shape: [rows, rows],
      data: Array.from({ length: rows * rows }, (_, i) => (i % rows > Math.floor(i / rows) ? -1e9 : 0)),
    },
  };
  for (const name of names) {
    const shape = shapes[name];
    feeds[name] = { shape, data: Array.from({ length: count(shape) }, () => Math.fround(1.4 * random() - 0.7)) };
  }
  const outputs: Record<string, Tensor> = { loss };
  names.forEach((name, i) => {
    outputs[`gradient:${name}`] = given[i]!;
  });
  return { outputs, feeds, symbols: { N: rows }, weights: names };
}
