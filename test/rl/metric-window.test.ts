import { expect, it } from 'vitest';
import { addToWindow, type MetricWindow, windowMetrics } from '../../src/rl/index.js';

it('a logged line holds means over its steps, extremes, sums of what was left out, and where the run stands', () => {
  const steps = [
    { reward: 0.2, 'completions/no_verdict': 1, skipped_truncated: 2, 'x/max': 5, 'x/min': 1, num_tokens: 10 },
    { reward: 0.6, 'completions/no_verdict': 3, skipped_truncated: 0, 'x/max': 4, 'x/min': 2, num_tokens: 30, loss: 1 },
  ];
  // Through JSON, as a checkpoint keeps it.
  const window = steps.reduce<MetricWindow>((sum, step) => JSON.parse(JSON.stringify(addToWindow(sum, step))), {});
  expect(windowMetrics(window)).toEqual({
    reward: 0.4,
    'completions/no_verdict': 4,
    skipped_truncated: 2,
    'x/max': 5,
    'x/min': 1,
    num_tokens: 30,
    loss: 1,
  });
});
