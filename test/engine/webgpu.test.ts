import { describe, it } from 'vitest';
import { createLocalEngine, type LocalEngineOptions } from '../../src/engine/index.js';
import { parseModelConfig } from '../../src/models/index.js';
import { tinyConfigJson } from '../models/tiny-config.js';
import { describeEngine } from './conformance.js';
import { testOptions } from './golden-batch.js';
import { findWebgpuAdapter } from './webgpu-adapter.js';

const reason = findWebgpuAdapter();
const config = parseModelConfig(
  tinyConfigJson({ vocab_size: 24, hidden_size: 16, num_hidden_layers: 1 }),
  'config.json',
);
const full = testOptions('', { model: { config, seed: 3 }, device: 'webgpu' });
const lora: LocalEngineOptions = {
  ...full,
  train: 'lora',
  adapter: { r: 2, alpha: 4, dropout: 0, targetModules: ['q_proj', 'v_proj', 'down_proj'], useRslora: false },
};
const anyOrder = 'rows that are scattered to one place are added with atomics, in any order';

if (reason) {
  console.warn(`WebGPU tests are skipped: ${reason}`);
  describe('engine on WebGPU', () => it.skip(`skipped: ${reason}`));
} else {
  describeEngine('local on WebGPU, all weights', {
    open: () => createLocalEngine(full),
    openExported: (path) => createLocalEngine({ ...full, model: { path } }),
    vocabSize: config.vocabSize,
    lora: false,
    skips: {
      'continues bit for bit from a saved state, here and in another engine': anyOrder,
      'changes nothing by being saved': anyOrder,
      'does the same again for the same calls': anyOrder,
    },
  });
  describeEngine('local on WebGPU, LoRA', {
    open: () => createLocalEngine(lora),
    openExported: (path) => createLocalEngine({ ...lora, adapter: { path } }),
    vocabSize: config.vocabSize,
    lora: true,
    skips: { 'does the same again for the same calls': anyOrder },
  });
}
