// Many answers, one in ten hostile, through one gym in a process of its own: prints one JSON object.
//   gym-load.ts <answers>
// Fails where a verdict is lost, doubled, out of order or wrong, where memory grows, or where a process or file is left.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CallJob, JobResult } from '../../src/gym/runner/index.js';
import { openRunner } from '../../src/gym/runner/index.js';
import { hostile } from '../hostile.js';

const count = Number(process.argv[2] ?? 1000);
const workers = 2;
const directory = mkdtempSync(join(tmpdir(), 'anneal-load-'));
process.env.TMPDIR = directory;

const limits = { caseSeconds: 0.25, totalSeconds: 2, memoryMb: 128, processes: 16, outputKb: 8 };
const kinds = Object.entries(hostile);

/** What an answer is, is in its number. */
function jobOf(index: number): CallJob {
  const [, attack] = kinds[Math.floor(index / 10) % kinds.length]!;
  const body = index % 10 === 9 ? attack : `return x * ${index}`;
  const source = `import os, time\ndef f(x):\n${body.replace(/^/gm, '    ')}\n`;
  return { language: 'python', source, functionName: 'f', calls: [[1], [2]], limits };
}

/** A hostile answer gets nothing. An honest one is asked again, with more time, where the machine was too busy for the short time of a call. */
function isRight(index: number, result: JobResult): boolean {
  if (index % 10 === 9) return result.calls.every((call) => call.kind !== 'value' || call.value !== index);
  return result.calls.every((call, i) => call.kind === 'value' && call.value === index * (i + 1));
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024;
const below = (pid: string): string[] => {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return [...children, ...children.flatMap(below)];
  } catch {
    return [];
  }
};

const runner = await openRunner({ sandbox: 'local', workers });
const before = below(String(process.pid));
const start = performance.now();
const memory: number[] = [];
let again = 0;
const order: number[] = [];
const width = 64;
for (let first = 0; first < count; first += width) {
  const indices = Array.from({ length: Math.min(width, count - first) }, (_, i) => first + i);
  const results = await Promise.all(indices.map((index) => runner.run(jobOf(index))));
  for (const [i, result] of results.entries()) {
    const index = indices[i]!;
    order.push(index);
    if (isRight(index, result)) continue;
    again++;
    const second = await runner.run({ ...jobOf(index), limits: { ...limits, caseSeconds: 5, totalSeconds: 10 } });
    if (!isRight(index, second)) throw new Error(`answer ${index}: ${JSON.stringify(second).slice(0, 500)}`);
  }
  collect();
  memory.push(residentMb());
}
const seconds = (performance.now() - start) / 1000;
if (order.length !== count || order.some((index, i) => index !== i)) throw new Error('verdicts lost or out of order');
await runner.dispose();
const left = below(String(process.pid)).filter((pid) => !before.includes(pid));
if (left.length > 0) throw new Error(`processes left: ${left.join(' ')}`);
const files = readdirSync(directory).filter((name) => !name.startsWith('anneal-gym-'));
if (files.length > 0) throw new Error(`files left: ${files.join(' ')}`);
rmSync(directory, { recursive: true, force: true });
const settled = memory.slice(Math.floor(memory.length / 4));
const half = Math.ceil(settled.length / 2);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
console.log(
  JSON.stringify({
    answersPerSecond: count / seconds,
    seconds,
    askedAgain: again,
    residentMbFirstHalf: most(settled.slice(0, half)),
    residentMbSecondHalf: most(settled.slice(half)),
  }),
);
