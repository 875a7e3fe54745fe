import { statSync } from 'node:fs';
import { loadConfig, UserError } from '../config/index.js';
import type { Console } from '../observe/index.js';
import { findModel, findModelOfRun, type TrainedModel } from '../run/index.js';

export interface ModelArgument {
  readonly model: TrainedModel;
  /** Where results of a run go; null when a model was named without a config. */
  readonly outputDir: string | null;
}

/** What a command line names: the config of a run, or a model or adapter (directory, GGUF file, hub id). */
export async function openModelArgument(
  target: string,
  overrides: readonly string[],
  console: Console,
): Promise<ModelArgument> {
  const info = statSync(target, { throwIfNoEntry: false });
  if (/\.ya?ml$/.test(target) || (info?.isFile() && !target.endsWith('.gguf'))) {
    const { config } = loadConfig(target, overrides);
    return { model: await findModelOfRun(config, console), outputDir: config.output_dir };
  }
  if (overrides.length > 0) {
    throw new UserError(
      `${overrides[0]} is no option of this command. If it sets a key of a config: ${target} is a model, and keys need a YAML file.`,
    );
  }
  return { model: await findModel(target, console), outputDir: info?.isDirectory() ? target : null };
}
