import { expect, test } from 'vitest';
import { createIdleWatch } from '../../src/run/grpo-report.js';

function warningsOf(losses: readonly (number | null)[]): string[] {
  const lines: string[] = [];
  const watch = createIdleWatch({ warn: (line) => lines.push(line) });
  for (const loss of losses) watch.update(loss === null ? { reward: 1 } : { reward: 1, loss });
  watch.end();
  return lines;
}

test('updates that train nothing are announced once in a row of ten, and at the end when there were no others', () => {
  expect(warningsOf([null, 0.1, null])).toEqual([]);
  expect(warningsOf([])).toEqual([]);
  expect(warningsOf([null, null])).toEqual([expect.stringMatching(/^no step trained anything/)]);
  expect(warningsOf([0.1, ...Array<null>(25).fill(null)])).toEqual([
    expect.stringMatching(/^the last 10 steps trained nothing/),
  ]);
});
