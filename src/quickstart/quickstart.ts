import { join } from 'node:path';
import { loadConfig } from '../config/index.js';
import { type Console, formatPairs } from '../observe/index.js';
import { readTrajectories } from '../rollout/index.js';
import { evaluate, type TrainResult, train } from '../run/index.js';
import { freeFolder, type QuickstartPaths, writeQuickstartFiles } from './files.js';
import type { QuickstartPlan } from './plan.js';
import { formatSideBySide } from './side-by-side.js';

export interface QuickstartOptions {
  readonly plan: QuickstartPlan;
  readonly seed: number;
  /** Default: `quickstart-out`, or the next free name. */
  readonly folder: string | null;
  readonly console: Console;
  readonly signal: AbortSignal;
}

const shownProblems = 3;

/**
 * Makes a small chat model from random weights and trains it on word problems through the ordinary runs of two YAML files:
 * SFT on demonstrations of which some write their steps out and most only state a result, then GRPO, which finds out
 * which of the two is rewarded. Resolves to false when it was stopped before the end.
 */
export async function quickstart(options: QuickstartOptions): Promise<boolean> {
  const { plan, console, signal } = options;
  const started = performance.now();
  const folder = await freeFolder(options.folder);
  const title = (text: string) => console.log(`\n${console.paint('bold', text)}`);

  title(`Word problems, a tokenizer and two YAML files → ${folder}`);
  const paths = await writeQuickstartFiles(folder, plan, options.seed);
  const random = await evaluate(
    loadConfig(paths.grpoConfig, [
      '--base-model=null',
      `--model-config=${paths.modelConfig}`,
      `--tokenizer-config=${paths.tokenizer}`,
    ]),
    { console, signal },
  );

  title(`Supervised fine-tuning: npx anneal train ${paths.sftConfig}`);
  const sft = await train(loadConfig(paths.sftConfig), { console, signal });
  if (sft.status === 'stopped') return false;

  title(`GRPO: npx anneal train ${paths.grpoConfig}`);
  const grpo = await train(loadConfig(paths.grpoConfig), { console, signal });
  if (grpo.status === 'stopped') return false;

  const { first, last } = accuracyOf(grpo);
  const share = (value: number | null) => (value === null ? 'none' : value.toFixed(3));
  title('Three held-out problems, answered before and after GRPO');
  console.log(await sideBySide(paths, grpo.totalSteps));
  title(`Accuracy on ${plan.heldOut} held-out problems`);
  console.log(
    formatPairs([
      ['random weights', share(random.accuracy.value)],
      ['after SFT', share(first)],
      ['after GRPO', share(last)],
    ]),
  );
  title('Written');
  console.log(
    formatPairs([
      ['model', `${paths.grpoOutput}  (try: npx anneal inference ${paths.grpoConfig} --chat)`],
      [
        'configs',
        `${paths.sftConfig}, ${paths.grpoConfig}  (run them again with npx anneal train and another --output-dir)`,
      ],
      ['reward', join(folder, 'rewards.ts')],
      ['sampled answers', join(paths.grpoOutput, 'rollouts')],
      ['metrics', `${join(paths.grpoOutput, 'metrics.jsonl')}, TensorBoard: ${join(paths.grpoOutput, 'runs')}`],
    ]),
  );
  const seconds = (performance.now() - started) / 1000;
  console.log('');
  console.print(`quickstart: accuracy ${share(first)} -> ${share(last)} in ${Math.round(seconds)} s`);
  return true;
}

function accuracyOf({ metrics }: TrainResult): { readonly first: number; readonly last: number } {
  const accuracy = metrics.find(({ name }) => name === 'eval_accuracy');
  if (!accuracy) throw new Error('The GRPO run has measured no accuracy.');
  return accuracy;
}

async function sideBySide({ grpoOutput }: QuickstartPaths, lastStep: number): Promise<string> {
  const answers = (step: number) => readTrajectories(join(grpoOutput, 'eval', 'rollouts', `step-${step}.jsonl`));
  const [before, after] = await Promise.all([answers(0), answers(lastStep)]);
  const wanted = before.slice(0, shownProblems);
  return formatSideBySide(
    wanted.map((trajectory) => ({
      before: trajectory,
      after: after.find(({ promptId }) => promptId === trajectory.promptId)!,
    })),
  );
}
