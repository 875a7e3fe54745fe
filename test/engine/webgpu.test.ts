import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLocalEngine } from '../../src/engine/index.js';
import { createCompute } from '../../src/engine/local/compute.js';
import { crossEntropy } from '../../src/methods/sft.js';
import { parseModelConfig } from '../../src/models/index.js';
import { golden, readGolden } from '../golden/read-golden.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { tinyConfigJson } from '../models/tiny-config.js';
import { describeEngine } from './conformance.js';
import { goldenBatch, goldenModelPath, relativeError, testOptions } from './golden-batch.js';
import { findWebgpuAdapter } from './webgpu-adapter.js';

interface ProfileEvent {
  readonly cat: string;
  readonly args?: {
    readonly op_name?: string;
    readonly provider?: string;
    readonly output_type_shape?: unknown;
  };
}

const reason = findWebgpuAdapter();
const config = parseModelConfig(
  tinyConfigJson({ vocab_size: 24, hidden_size: 16, num_hidden_layers: 1, initializer_range: 0.3 }),
  'config.json',
);
const options = testOptions('', {
  model: { config, seed: 3 },
  device: 'webgpu',
  train: 'lora',
  adapter: { r: 2, alpha: 8, dropout: 0, targetModules: ['q_proj', 'v_proj', 'down_proj'], useRslora: false },
});

if (reason) {
  console.warn(`WebGPU tests are skipped: ${reason}`);
  describe('engine on WebGPU', () => it.skip(`skipped: ${reason}`));
} else {
  describeEngine('local on WebGPU, LoRA', {
    open: () => createLocalEngine(options),
    openExported: (path) => createLocalEngine({ ...options, adapter: { path } }),
    vocabSize: config.vocabSize,
    lora: true,
    skips: {
      'does the same again for the same calls':
        'sums over sequences are made with atomic additions, which come in any order',
    },
  });

  describe('the training graph of qwen3 on WebGPU', () => {
    const tensors = readGolden('models/qwen3/golden.safetensors');

    it('gives the loss and the gradient of every parameter, with nothing but shapes and positions computed elsewhere', async () => {
      const profiles = await temporaryDirectory();
      process.env.ANNEAL_PROFILE = join(profiles, 'profile');
      const compute = await createCompute(testOptions(goldenModelPath('qwen3'), { device: 'webgpu' }));
      const { loss } = await compute.forwardBackward(goldenBatch('qwen3'), crossEntropy);
      const expected = golden(tensors, 'loss').data[0]!;
      expect(Math.abs(loss - expected) / expected).toBeLessThan(1e-5);
      for (const name of [...tensors.keys()].filter((key) => key.startsWith('grad.'))) {
        const gradient = compute.gradient(name.slice(5))!;
        expect(relativeError(gradient, golden(tensors, name).data), name).toBeLessThan(1e-3);
      }

      await compute.dispose();
      delete process.env.ANNEAL_PROFILE;
      const nodes: { provider: string; node: string }[] = [];
      for (const file of await readdir(profiles)) {
        const events = JSON.parse(await readFile(join(profiles, file), 'utf8')) as ProfileEvent[];
        for (const { cat, args } of events) {
          if (cat !== 'Node' || !args?.provider) continue;
          nodes.push({
            provider: args.provider,
            node: `${args.op_name} ${JSON.stringify(args.output_type_shape)}`,
          });
        }
      }
      const elsewhere = nodes.filter(({ provider }) => provider !== 'WebGpuExecutionProvider');
      expect(nodes.length).toBeGreaterThan(200);
      const integers = /^\w+ \[\{"int(32|64)":[^"]*\]$/;
      expect(elsewhere.map(({ node }) => node).filter((node) => !integers.test(node))).toEqual([]);
    });
  });
}
