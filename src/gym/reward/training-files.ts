import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gymAsset } from '../assets.js';
import { type GrpoConfigOptions, generateAxolotlConfig } from './axolotl-config.js';
import { type VerlRowsOptions, verlRows } from './verl-rows.js';
import { writeRows } from './write-rows.js';

export type TrainingFilesOptions = Omit<GrpoConfigOptions, 'method' | 'trainer'> & Omit<VerlRowsOptions, 'split'>;

const rewardsModule = `// The reward of grpo.yaml: each answer is judged in the environment that its row names.
import { rowRewardFn } from 'anneal/gym';

export const rowReward = rowRewardFn();
`;

/**
 * Writes all that a GRPO run needs into a folder: the rows, `grpo.yaml` with `rewards.mjs` for `anneal train`, and `axolotl.yaml`
 * with `anneal_gym_rewards.py` for Axolotl. Both runs are started in that folder.
 * @returns the paths written
 */
export async function writeTrainingFiles(options: TrainingFilesOptions, directory: string): Promise<readonly string[]> {
  const { datasetPath = 'data/train.jsonl', variant: _, language: __, repeat: ___, gym: ____, ...training } = options;
  const config = (trainer: 'anneal' | 'axolotl') =>
    generateAxolotlConfig({ ...training, method: 'grpo', trainer, datasetPath }).yaml;
  const configs = { anneal: config('anneal'), axolotl: config('axolotl') };
  const rows = await verlRows(training.environments, options);
  await mkdir(directory, { recursive: true });
  const at = (name: string) => join(directory, name);
  await Promise.all([
    writeRows(rows, at(datasetPath)),
    writeFile(at('grpo.yaml'), configs.anneal),
    writeFile(at('rewards.mjs'), rewardsModule),
    writeFile(at('axolotl.yaml'), configs.axolotl),
    copyFile(gymAsset('python/anneal_gym_rewards.py'), at('anneal_gym_rewards.py')),
  ]);
  return [datasetPath, 'grpo.yaml', 'rewards.mjs', 'axolotl.yaml', 'anneal_gym_rewards.py'].map(at);
}
