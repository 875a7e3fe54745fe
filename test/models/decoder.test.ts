import { expect, it } from 'vitest';
import { add, compile, concat } from '../../src/graph/index.js';
import { type Attention, decoder, linearModules, parseModelConfig } from '../../src/models/index.js';
import { opCounts } from '../graph/decode-onnx.js';
import { tinyConfigJson } from './tiny-config.js';

const config = parseModelConfig(tinyConfigJson({ num_hidden_layers: 1 }), 'test');

/** Gemms of a forward pass of one layer. */
function products(adapted: readonly string[], dropout = 0, shareProducts = true): number {
  const paths = linearModules(config).filter(({ suffix }) => adapted.includes(suffix));
  const modules = new Map(paths.map(({ path }) => [path, { r: 2, scale: 1 }]));
  // Two query heads, one of keys and values: a stand-in that reads all three.
  const attention = (): Attention => (q, k, v) => add(q, concat([k, v], 1));
  const { hidden } = decoder({
    config,
    lora: { modules, dropout },
    recompute: false,
    attention,
    rows: 'N',
    shareProducts,
  });
  return opCounts(compile({ hidden }).onnx).Gemm!;
}

const plain = products([]);

it('multiplies at once by the A matrices of adapters that read the same values', () => {
  expect(products(['q_proj', 'k_proj', 'v_proj']) - plain).toBe(1 + 3);
  expect(products(['q_proj', 'v_proj', 'o_proj']) - plain).toBe(2 + 3);
  expect(products(['gate_proj', 'up_proj', 'down_proj']) - plain).toBe(2 + 3);
});

it('multiplies by each A alone in decoding steps, and where dropout gives each an input of its own', () => {
  expect(products(['q_proj', 'k_proj', 'v_proj'], 0, false) - plain).toBe(3 + 3);
  expect(products(['q_proj', 'k_proj', 'v_proj'], 0.1) - plain).toBe(3 + 3);
});
