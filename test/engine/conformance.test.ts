import { createLocalEngine, type LocalEngineOptions } from '../../src/engine/index.js';
import { describeEngine } from './conformance.js';
import { goldenModelPath, testOptions } from './golden-batch.js';

const path = goldenModelPath('llama');
const lora = (dropout: number): Partial<LocalEngineOptions> => ({
  train: 'lora',
  adapter: {
    r: 4,
    alpha: 8,
    dropout,
    targetModules: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    useRslora: false,
  },
});

const dropoutSkips = {
  'gives the log-probabilities of forward and the loss they make':
    'training drops inputs of the adapter, forward does not',
  'computes losses with scalars, entropy, sequence sums and metrics': 'the same',
  'adds gradients up over calls': 'each call draws anew what it drops',
};

const variants: readonly [string, Partial<LocalEngineOptions>, Readonly<Record<string, string>>][] = [
  ['local, all weights', {}, {}],
  ['local, LoRA', lora(0), {}],
  ['local, LoRA with dropout', lora(0.3), dropoutSkips],
  ['local, all weights, gradient checkpointing', { gradientCheckpointing: true }, {}],
];

for (const [name, extra, skips] of variants) {
  const isLora = extra.train === 'lora';
  describeEngine(name, {
    open: () => createLocalEngine(testOptions(path, extra)),
    openExported: (directory) =>
      createLocalEngine(
        isLora ? testOptions(path, { ...extra, adapter: { path: directory } }) : testOptions(directory, extra),
      ),
    vocabSize: 96,
    lora: isLora,
    skips,
  });
}
