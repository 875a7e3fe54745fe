import { z } from 'zod';
import { dataKeys } from './datasets.js';
import { rlKeys } from './grpo.js';
import { loraKeys, modelKeys } from './model.js';
import { engineKeys, evalAndSaveKeys, trainingKeys } from './training.js';

/** The keys by subject, in the order of the documentation and of a resolved config. */
export const sections = [
  { title: 'Model and tokenizer', keys: modelKeys },
  { title: 'LoRA', keys: loraKeys },
  { title: 'Data', keys: dataKeys },
  { title: 'Training', keys: trainingKeys },
  { title: 'Reinforcement learning', keys: rlKeys },
  { title: 'Evaluation, checkpoints and output', keys: evalAndSaveKeys },
  { title: 'Engine', keys: engineKeys },
] as const;

export const schema = z.strictObject({
  ...modelKeys,
  ...loraKeys,
  ...dataKeys,
  ...trainingKeys,
  ...rlKeys,
  ...evalAndSaveKeys,
  ...engineKeys,
});

/** Every key with its own default filled in; values that depend on other keys are still null. */
export type ParsedConfig = z.output<typeof schema>;
export type ParsedDataset = ParsedConfig['datasets'][number];
