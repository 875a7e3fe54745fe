import { expect, it } from 'vitest';
import { hostile } from '../../../bench/hostile.js';
import { openRunner } from '../../../src/gym/runner/index.js';
import { describeIsolatedPython } from '../support.js';
import { job, ownProcesses, watchTemporaryFiles } from './jobs.js';

const temporaryFiles = watchTemporaryFiles();

/** What an answer is, is in its number; one in four is hostile. */
function answer(index: number): string {
  const attacks = Object.values(hostile);
  const body = index % 4 === 3 ? attacks[Math.floor(index / 4) % attacks.length]! : `return x * ${index}`;
  return `import os, time\ndef f(x):\n${body.replace(/^/gm, '    ')}\n`;
}

describeIsolatedPython('many answers, some of them hostile', () => {
  it('have one verdict each, in order, and leave nothing', async () => {
    const before = ownProcesses();
    const runner = await openRunner({ sandbox: 'local', workers: 2 });
    const indices = Array.from({ length: 240 }, (_, index) => index);
    const results = await Promise.all(
      indices.map((index) => {
        const caseSeconds = index % 4 === 3 ? 0.2 : 20;
        return runner.run(job('python', answer(index), [[1], [2]], { caseSeconds, totalSeconds: 60, memoryMb: 128 }));
      }),
    );
    for (const index of indices) {
      const values = results[index]!.calls.map((call) => (call.kind === 'value' ? call.value : call.kind));
      if (index % 4 === 3) expect(values).not.toContain(index);
      else expect(values).toEqual([index, index * 2]);
    }
    await runner.dispose();
    expect(ownProcesses().filter((pid) => !before.includes(pid))).toEqual([]);
    expect(temporaryFiles()).toEqual([]);
  });
});
