import { describe, expect, it } from 'vitest';
import { layoutBatch, layoutInputs } from '../../src/engine/local/layout.js';
import {
  concat,
  constant,
  gradients,
  input,
  matmul,
  multiply,
  reshape,
  slice,
  softmax,
  subtract,
  swapLast,
  symbol,
  type Tensor,
  transpose,
} from '../../src/graph/index.js';
import { blockAttention, type ModelConfig, parseModelConfig, ropeTables } from '../../src/models/index.js';
import { type Feeds, run } from '../graph/run.js';
import { tinyConfigJson } from './tiny-config.js';

const D = 4;

const configOf = (heads: number, keyValueHeads: number, window: number | null): ModelConfig =>
  parseModelConfig(
    tinyConfigJson({
      num_attention_heads: heads,
      num_key_value_heads: keyValueHeads,
      head_dim: D,
      ...(window !== null && {
        architectures: ['MistralForCausalLM'],
        model_type: 'mistral',
        sliding_window: window,
      }),
    }),
    'config.json',
  );

const layOut = (config: ModelConfig, lengths: readonly number[]) =>
  layoutBatch(
    lengths.map((length) => ({
      tokens: new Int32Array(length),
      targets: new Int32Array(length),
      wanted: new Uint8Array(length).fill(1),
    })),
    { config, rope: ropeTables(config, 256), chunkRows: 64 },
  );

/** softmax(q kᵀ/√D + mask) v of each sequence by itself, every head with keys of its own. */
function plainAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  lengths: readonly number[],
  group: number,
  window: number | null,
): Tensor {
  let start = 0;
  const outputs = lengths.map((length) => {
    const heads = (x: Tensor, repeats: number): Tensor => {
      const rows = slice(x, 0, start, start + length);
      const count = (x.shape[1] as number) / D;
      const byHead = Array.from({ length: count * repeats }, (_, h) => {
        const from = Math.floor(h / repeats) * D;
        return reshape(slice(rows, 1, from, from + D), [1, length, D]);
      });
      return concat(byHead, 0);
    };
    const hidden = Array.from({ length: length * length }, (_, i) => {
      const [key, query] = [i % length, Math.floor(i / length)];
      return key <= query && (window === null || key > query - window) ? 0 : 1e9;
    });
    const scores = multiply(matmul(heads(q, 1), swapLast(heads(k, group))), D ** -0.5);
    const weights = softmax(subtract(scores, constant(hidden, [length, length])));
    const mixed = transpose(matmul(weights, heads(v, group)), [1, 0, 2]);
    start += length;
    return reshape(mixed, [length, q.shape[1]!]);
  });
  return concat(outputs, 0);
}

const values = (count: number, seed: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.sin(1 + i * 12.9898 + seed * 78.233));

describe('causal block attention', () => {
  const heads = [
    [1, 1],
    [2, 2],
    [4, 2],
    [3, 3],
    [9, 3],
  ] as const;
  const batches = [[5], [70], [3, 1, 9], [140, 20, 66, 140], [90, 130]];
  const windows = [null, 50];
  it.each(
    heads.flatMap(([H, K]) => batches.flatMap((lengths) => windows.map((window) => ({ H, K, lengths, window })))),
  )(
    'is plain attention of each sequence: $H heads, $K of keys, lengths $lengths, window $window',
    async ({ H, K, lengths, window }) => {
      const config = configOf(H, K, window);
      const layout = layOut(config, lengths);
      const N = lengths.reduce((a, b) => a + b, 0);
      const sizes = { q: H * D, k: K * D, v: K * D, arriving: H * D };
      const feeds: Record<string, { shape: readonly number[]; data: readonly number[] }> = {};
      for (const [name, { shape, data }] of Object.entries(layoutInputs(config, layout))) {
        feeds[name] = { shape, data: Array.from(data, Number) };
      }
      Object.entries(sizes).forEach(([name, columns], i) => {
        feeds[name] = { shape: [N, columns], data: values(N * columns, i) };
      });
      const results = async (rows: 'N' | number, attend: (q: Tensor, k: Tensor, v: Tensor) => Tensor) => {
        const tensors = Object.entries(sizes).map(([name, columns]) =>
          input(name, 'float32', [rows === 'N' ? symbol('N') : rows, columns]),
        );
        const [q, k, v, arriving] = tensors as [Tensor, Tensor, Tensor, Tensor];
        const output = attend(q, k, v);
        const [dq, dk, dv] = gradients([[output, arriving]], [q, k, v]);
        return run({ output, dq: dq!, dk: dk!, dv: dv! }, feeds as Feeds, { symbols: layout.sizes });
      };
      const attention = blockAttention(config, layout.shape);
      const blocks = await results('N', (q, k, v) => attention(q, k, v, window));
      const plain = await results(N, (q, k, v) => plainAttention(q, k, v, lengths, H / K, window));
      for (const name of ['output', 'dq', 'dk', 'dv']) {
        const found = blocks[name]!.data;
        const largest = plain[name]!.data.reduce((most, x, i) => Math.max(most, Math.abs(x - found[i]!)), 0);
        expect(largest, name).toBeLessThan(1e-5);
      }
    },
  );
});
