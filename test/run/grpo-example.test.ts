import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import { createRewardScorer, loadRewards } from '../../src/rl/index.js';
import { train } from '../../src/run/index.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { metric, recordingConsole, root, template, tinyRun, writeRows } from './support.js';

test('grpo.yaml trains, with a tiny model in place of its own', async () => {
  const directory = await temporaryDirectory();
  const base = join(directory, 'base');
  writeRows(directory, 8);
  await train(tinyRun(directory, { max_steps: 1, output_dir: base }), { console: recordingConsole() });
  const overrides = ['--max-steps=2', '--engine.threads=1', '--trl.max-completion-length=8', '--num-epochs=1'];
  const result = await train(
    loadConfig(join(root, 'examples/grpo.yaml'), [
      ...overrides,
      '--base-model',
      base,
      '--chat-template-jinja',
      template,
      '--output-dir',
      join(directory, 'example'),
    ]),
    { console: recordingConsole() },
  );
  expect(result).toMatchObject({ status: 'finished', step: 2 });
  expect(metric(join(directory, 'example'), 'rewards/correct/mean')).toHaveLength(2);
  expect(metric(join(directory, 'example'), 'eval_rewards/format_regex')).not.toHaveLength(0);
});

test('its reward judges by the last number and gives no verdict without a solution', async () => {
  const rewards = await loadRewards(['./rewards.ts#correct'], { baseDir: join(root, 'examples') });
  const solved = [{ content: 'How many?' }, { content: '4 + 3 = 7.\n#### 7' }];
  const { verdicts } = await createRewardScorer(rewards).score({
    prompts: ['', '', ''],
    completions: ['So 7 coins.', '4 and 3', '7'],
    columns: { messages: [solved, solved, [{ content: 'none' }]] },
    completionIds: [Int32Array.of(), Int32Array.of(), Int32Array.of()],
  });
  expect(verdicts.map((verdict) => (verdict.kind === 'scored' ? verdict.reward : null))).toEqual([1, 0, null]);
});
