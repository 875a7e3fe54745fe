import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRunner } from '../../../src/gym/runner/index.js';
import type { CallJob, Runner } from '../../../src/gym/runner/types.js';
import type { Value } from '../../../src/gym/value.js';
import { describeIsolated, hasBubblewrap } from '../support.js';
import { job, outcomes, ownProcesses, processesWith, short, watchTemporaryFiles } from './jobs.js';

const temporaryFiles = watchTemporaryFiles();

for (const sandbox of ['local', 'none'] as const) {
  const group = sandbox === 'local' ? describeIsolated : describe;
  group(`JavaScript answers, sandbox ${sandbox}`, () => {
    let runner: Runner;
    beforeAll(async () => {
      runner = await openRunner({ sandbox, workers: 2 });
    });
    afterAll(async () => {
      await runner.dispose();
      expect(temporaryFiles()).toEqual([]);
    });
    const run = (
      source: string,
      calls: readonly (readonly Value[])[] = [[]],
      changed: Partial<CallJob['limits']> = {},
    ) => runner.run(job('javascript', source, calls, changed));
    const value = async (source: string, ...given: Value[]) => outcomes(await run(source, [given]))[0];

    it.each([
      ['a declaration', 'function f(x) { return x + 1 }'],
      ['a constant', 'const f = (x) => x + 1 // the end'],
      ['a class member', 'class A { static f(x) { return x + 1 } }\nlet f = A.f'],
      ['CommonJS', 'module.exports = { f: (x) => x + 1 }'],
      ['CommonJS, one function', 'module.exports = function (x) { return x + 1 }'],
      ['CommonJS, by name', 'exports.f = (x) => require("node:path").join("a").length + x'],
      ['an export', 'let one = 1; export const f = (x) => x + one'],
      ['a default export', 'export default function (x) { return x + 1 }'],
      ['an export list', 'const g = (x) => x + 1;\nexport { g as f };'],
      [
        'an import without export',
        'import { inc } from "data:text/javascript,export const inc = (x) => x + 1";\nconst f = inc;',
      ],
      ['an async function', 'export async function f(x) { await null; return x + 1 }'],
      ['await at the top', 'const one = await Promise.resolve(1);\nconst f = (x) => x + one'],
      ['strict mode', '"use strict";\nfunction f(x) { return x + 1 }'],
    ])('calls %s', async (_, source) => {
      expect(await value(source, 1)).toBe(2);
    });

    it('carries values both ways', async () => {
      const values: Value[] = [
        null,
        true,
        1,
        -(2 ** 53) + 1,
        'text \u0000 \ud800 \u{1f600}',
        { i: `1${'0'.repeat(50)}` },
        { f: '1.5' },
        { f: '-0.0' },
        { f: 'nan' },
        { f: '-inf' },
        { f: '1e+300' },
        { f: '9007199254740992.0' },
        [1, [true, [null]]],
        { s: [1, 'a'] },
        {
          d: [
            ['a', 1],
            ['__proto__', { d: [] }],
          ],
        },
        { d: [[1, 'a']] },
        { b: 'AP8=' },
      ];
      expect(
        outcomes(
          await run(
            'const f = (x) => x',
            values.map((x) => [x]),
          ),
        ),
      ).toEqual(values);
    });

    it('says in a Value what JavaScript has besides', async () => {
      const source =
        'const f = () => [undefined, , 5n, new Map([[{a: 1}, new Set([2])]]), new Float64Array([1, 0.5]), new BigInt64Array([3n]), Object.create(null), 1e21]';
      expect(await value(source)).toEqual([
        null,
        null,
        5,
        { d: [[{ d: [['a', 1]] }, { s: [2] }]] },
        [1, { f: '0.5' }],
        [3],
        { d: [] },
        { f: '1e+21' },
      ]);
    });

    it.each([
      ['() => 1', 'cannot return a function'],
      ['[Symbol()]', 'cannot return a symbol'],
      ['new Date(0)', 'cannot return a Date'],
      ['new (class P {})()', 'cannot return a P'],
      ['[1].values()', 'cannot return an iterator; return an array'],
      ['(() => { const a = []; a.push(a); return a })()', 'cannot return a value that contains itself'],
      [
        '(() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a })()',
        'cannot return a value nested deeper than 200',
      ],
      [
        '(() => { let a = []; for (let i = 0; i < 30; i++) a = [a, a]; return a })()',
        'cannot return more than 1000000 values',
      ],
    ])('does not take %s for an answer', async (expression, message) => {
      const result = await run(`const f = () => (${expression})`, [[]], { caseSeconds: 20 });
      expect(outcomes(result)).toEqual([`error TypeError: ${message}`]);
    });

    it('says what was thrown, wherever', async () => {
      const source = `
async function f(x) {
  if (x === 0) throw new RangeError('out');
  if (x === 1) throw 'text';
  if (x === 2) setTimeout(() => { throw new TypeError('late') });
  if (x === 3) Promise.reject(new Error('unhandled'));
  if (x < 4) await new Promise((done) => setTimeout(done, 20000));
  if (x === 5) await new Promise(() => {});
  if (x === 6) throw { get message() { throw 1 } };
  return x;
}`;
      expect(outcomes(await run(source, [[0], [1], [2], [3], [4], [5], [6], [7]]))).toEqual([
        'error RangeError: out',
        'error Error: threw text',
        'error TypeError: late',
        'error Error: unhandled',
        4,
        'error Error: it awaits what nothing will ever settle',
        'error Error: an error that cannot be described',
        7,
      ]);
    });

    it.each([
      ['const f = (', 'load-failed', /^SyntaxError: /],
      ['export const f = (', 'load-failed', /^SyntaxError: /],
      ['export const f = 1;\nexport const f = 2', 'load-failed', /^SyntaxError: (?!.*base64)/],
      ['import "nothing-of-that-name"', 'load-failed', /nothing-of-that-name/],
      ['throw new TypeError("no")', 'load-failed', /^TypeError: no$/],
      ['await Promise.reject(new TypeError("no"))', 'load-failed', /^TypeError: no$/],
      ['process.exit(4)', 'load-failed', /^importing it ended the process \(exit code 4\)$/],
      ['await new Promise(() => {})', 'load-failed', /settle/],
      ['const g = 1', 'no-function', /^null$/],
      ['const f = 1', 'no-function', /^null$/],
    ])('tells a module that cannot be used: %j', async (source, kind, problem) => {
      const result = await run(source);
      expect(result.kind).toBe(kind);
      expect(String(result.problem)).toMatch(problem);
    });

    it('loads an answer of 10 MB', async () => {
      expect(await value(`const x = "${'a'.repeat(10e6)}"; function f() { return x.length }`)).toBe(10e6);
      expect(await value(`const x = "${'a'.repeat(10e6)}"; export function f() { return x.length }`)).toBe(10e6);
    });

    it('kills endless loops, also of promises, and makes the other calls', async () => {
      const source = `
async function f(x) {
  while (x === 1);
  while (x === 2) await null;
  return x;
}`;
      expect(outcomes(await run(source, [[0], [1], [2], [3]], short))).toEqual([0, 'timeout', 'timeout', 3]);
    });

    it('tells how a process ended, and makes the other calls', async () => {
      const source = `
function f(x) {
  if (x === 1) process.exit(3);
  if (x === 2) process.kill(process.pid, 'SIGKILL');
  if (x === 3) process.abort();
  return x;
}`;
      expect(outcomes(await run(source, [[0], [1], [2], [3], [4]]))).toEqual([
        0,
        'crash exit code 3',
        'crash killed by SIGKILL',
        'crash killed by SIGABRT',
        4,
      ]);
    });

    it('takes rubbish and floods on the channel for a crash', async () => {
      const channel = sandbox === 'local' ? 4 : 3;
      const source = `
const { writeSync } = require('node:fs');
function f(x) {
  if (x === 1) writeSync(${channel}, 'junk\\n');
  while (x === 2) writeSync(${channel}, 'x'.repeat(65536));
  return x;
}`;
      expect(outcomes(await run(source, [[0], [1], [2], [3]]))).toEqual([
        0,
        'crash wrote rubbish to the channel',
        'crash wrote too much to the channel',
        3,
      ]);
    });

    it('keeps the start of what is printed', async () => {
      const result = await run('function f() { console.log("x".repeat(1e6)); console.error("e"); return 1 }', [[]], {
        outputKb: 2,
      });
      expect(outcomes(result)).toEqual([1]);
      expect(result.stdout).toBe('x'.repeat(2048));
      expect(result.stderr).toBe('e\n');
    });

    it('bounds memory, in the heap and beside it', async () => {
      const source = `
const held = [];
function f(x) {
  while (x === 1) held.push(new Array(1e6).fill(0.5));
  while (x === 2) held.push(Buffer.alloc(1e7, 1));
  return x;
}`;
      const result = outcomes(await run(source, [[1], [2], [3]], { memoryMb: 64, caseSeconds: 30, totalSeconds: 60 }));
      // An allocation beside the heap that the limit of the process refuses is an error of the answer's.
      expect(result[0]).toBe('crash memory limit');
      expect(result[1]).toMatch(/memory limit|ERR_MEMORY|allocation failed|SIG/);
      expect(result[2]).toBe(3);
    });

    it('leaves no process of an answer behind', async () => {
      const mark = `mark${process.pid}j`;
      const source = `
const { spawn } = require('node:child_process');
function f() {
  spawn('/bin/sleep', ['${mark}', '1000'], { detached: true, stdio: 'inherit', argv0: '${mark}' }).unref();
  return 1;
}`;
      expect(await value(source)).toBe(1);
      expect(processesWith(mark)).toEqual([]);
    });

    it('runs trusted sources in a process that stays', async () => {
      const source =
        'globalThis.count ??= 0; function f(x) { if (x < 0) throw new Error("no"); return ++globalThis.count }';
      const trusted = (...calls: Value[]) =>
        runner.run({
          ...job(
            'javascript',
            source,
            calls.map((x) => [x]),
          ),
          trusted: true,
        });
      expect(outcomes(await trusted(1, 1))).toEqual([1, 2]);
      expect(outcomes(await trusted(1))).toEqual([3]);
      expect(outcomes(await trusted(-1))).toEqual(['error Error: no']);
      expect(outcomes(await trusted(1)), 'after an error, another process').toEqual([1]);
    });
  });
}

describeIsolated('a runner of JavaScript answers', () => {
  it('shows an answer nothing of the one before, and nothing of the machine', async () => {
    const runner = await openRunner({ sandbox: 'local', workers: 1 });
    const source = `
const fs = require('node:fs');
function f() {
  const found = ['/work', '/tmp', '/dev/shm'].flatMap((d) => fs.readdirSync(d));
  for (const d of ['/work', '/tmp', '/dev/shm']) fs.writeFileSync(d + '/mark', 'x');
  let unwritable = 0;
  for (const d of ['/', '/dev', '/anneal', '/usr', '/etc']) try { fs.writeFileSync(d + '/mark', 'x') } catch { unwritable++ }
  return [found, unwritable, Object.keys(process.env).sort(), process.argv];
}`;
    for (let time = 0; time < 2; time++) {
      const [seen] = outcomes(await runner.run(job('javascript', source, [[]]))) as [Value[]];
      expect(seen.slice(0, 2)).toEqual([[], 5]);
      expect(JSON.stringify(seen[2])).not.toMatch(/KEY|TOKEN|VITEST/);
      expect(seen[3]).toEqual([]);
    }
    await runner.dispose();
  });

  it('ends everything that it started', async () => {
    const before = ownProcesses();
    const runner = await openRunner({ sandbox: 'local', workers: 2 });
    const endless = runner.run(job('javascript', 'function f() { for (;;); }', [[]]));
    const failed = expect(endless).rejects.toMatchObject({ name: 'SandboxError' });
    expect(outcomes(await runner.run(job('javascript', 'function f() { return 1 }', [[]])))).toEqual([1]);
    await runner.dispose();
    await failed;
    expect(ownProcesses().filter((pid) => !before.includes(pid))).toEqual([]);
  });

  it('takes a killed sandbox for a failure of the sandbox', async () => {
    const runner = await openRunner({ sandbox: 'local', workers: 1 });
    expect(outcomes(await runner.run(job('javascript', 'function f() { return 1 }', [[]])))).toEqual([1]);
    const processes = ownProcesses();
    const failing = runner.run(job('javascript', 'function f() { for (;;); }', [[]]));
    const failed = expect(failing).rejects.toMatchObject({ name: 'SandboxError', retryable: true });
    for (const pid of processes) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // it ended with another
      }
    }
    await failed;
    expect(outcomes(await runner.run(job('javascript', 'function f() { return 3 }', [[]])))).toEqual([3]);
    await runner.dispose();
  });
});

it.skipIf(hasBubblewrap)('says what is missing', async () => {
  const runner = await openRunner({ sandbox: 'local', workers: 1 });
  await expect(runner.run(job('javascript', 'function f() {}', [[]]))).rejects.toMatchObject({ name: 'SandboxError' });
  await runner.dispose();
});
