import { readdir } from 'node:fs/promises';
import { UserError } from '../config/index.js';
import { listCheckpoints } from './checkpoint.js';
import { makeDirectory } from './files.js';
import { explainWriteError } from './write-errors.js';

/** What a run leaves before it has anything to lose; a new run may start over it (old metrics are moved aside). */
const leftovers = /^(config\.yaml|debug\.log|metrics(-\d+)?\.jsonl|runs|bad-batch\.json|\..*)$/;

/**
 * Makes the output directory of a new run. Refuses one that holds anything of worth, such as another run's model or
 * checkpoints: nothing is ever overwritten or moved without being asked for.
 */
export async function claimOutputDirectory(path: string): Promise<void> {
  let names: string[];
  try {
    await makeDirectory(path);
    names = await readdir(path);
  } catch (error) {
    throw explainWriteError(error, 'output_dir', path);
  }
  const found = names.filter((name) => !leftovers.test(name)).sort();
  if (found.length === 0) return;
  const shown = found.length > 5 ? `${found.slice(0, 5).join(', ')} and ${found.length - 5} more` : found.join(', ');
  const resumable = (await listCheckpoints(path)).length > 0;
  const resume = resumable ? ' To continue the run in it, add --auto-resume-from-checkpoints.' : '';
  throw new UserError(
    `output_dir ${path} is not empty: it holds ${shown}. Nothing was touched.${resume} ` +
      `${resumable ? 'For a new run, choose' : 'Choose'} another output_dir (--output-dir NAME), or remove what is in it.`,
  );
}
