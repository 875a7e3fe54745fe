import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run as traces } from '../../../src/cli/traces.js';
import { type ExportOptions, openTraceStore, type RowKind, type Trace } from '../../../src/gym/trace/index.js';
import { episode, run } from './samples.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anneal-rows-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Rows and report, once as JSON Lines and once as Parquet, which say the same. */
async function exported(stored: readonly Trace[], kind: RowKind, options: ExportOptions = {}) {
  const store = openTraceStore(join(folder, 'traces'));
  for (const trace of stored) await store.append(trace);
  const lines = join(folder, 'out', 'rows.jsonl');
  const report = await store.exportRows(kind, lines, options);
  const rows = (await readFile(lines, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const parquet = join(folder, 'out', 'rows.parquet');
  await store.exportRows(kind, parquet, options);
  expect(await parquetReadObjects({ file: await asyncBufferFromFile(parquet) })).toEqual(rows);
  expect((await readdir(join(folder, 'out'))).sort()).toEqual(['rows.jsonl', 'rows.parquet']);
  return { rows, report };
}

describe('rl rows', () => {
  it('hold the rewards of each step, their sum and the verdict, and leave out what has no verdict', async () => {
    const walk = episode(['ls', 'sed -i s/a/b/ x.py'], [0.25, 0.75], true);
    const { rows, report } = await exported([run(0.5), run(null), run(null), walk], 'rl');
    expect(rows.map((row) => [row.kind, row.step_rewards, row.reward, row.score, row.passed])).toEqual([
      ['run', [0.5], 0.5, 0.5, false],
      ['episode', [0.25, 0.75], 1, 1, true],
    ]);
    expect(rows[1]).toMatchObject({ id: walk.id, seed: 1, model: null, actions: walk.actions, verdict: walk.verdict });
    expect(rows[0].messages.map((message: { role: string }) => message.role)).toEqual(['user', 'assistant']);
    expect(report).toMatchObject({ traces: 4, rows: 2, leftOut: { 'no verdict: sandbox': 2 }, problems: [] });
  });

  it('hold tools, empty lists, and more rows than one row group', async () => {
    const tool = {
      ...episode([], [], true),
      actions: [{ type: 'tool', name: 'grep', arguments: { x: [1] } }],
    } as Trace;
    const { rows } = await exported([tool, ...Array.from({ length: 1100 }, (_, at) => run(1, `${at}`))], 'rl');
    expect(rows).toHaveLength(1101);
    expect(rows[0].actions).toEqual([{ type: 'tool', name: 'grep', arguments: { x: [1] } }]);
    expect(rows[0].step_rewards).toEqual([]);
  });
});

describe('sft rows', () => {
  it('are the conversations that passed, up to the last thing that the model said', async () => {
    const { rows, report } = await exported(
      [run(1, 'good'), run(0.9, 'bad'), run(null), episode(['ls'], [1], true)],
      'sft',
    );
    expect(rows).toEqual([
      {
        messages: [
          { role: 'user', content: 'Write coin_change.' },
          { role: 'assistant', content: 'good' },
        ],
      },
      {
        messages: [
          { role: 'user', content: 'Fix it.' },
          { role: 'assistant', content: '```bash\nls\n```' },
        ],
      },
    ]);
    expect(report.leftOut).toEqual({ 'not passed': 1, 'no verdict: sandbox': 1 });
  });
});

describe('prm rows', () => {
  const steps = ['a', 'b', 'c', 'd'];

  it('label steps by a threshold of their rewards', async () => {
    const { rows } = await exported([episode(steps, [0.5, 0.1, -1, 0.9], true)], 'prm', { threshold: 0.5 });
    expect(rows).toEqual([
      {
        prompt: 'Fix it.',
        completions: [
          '```bash\na\n```',
          'ran a\n\n```bash\nb\n```',
          'ran b\n\n```bash\nc\n```',
          'ran c\n\n```bash\nd\n```',
        ],
        labels: [true, false, false, true],
      },
    ]);
  });

  it('label steps by improvement: winning back what was lost is none', async () => {
    const { rows } = await exported([episode(steps, [0.4, -0.2, 0.2, 0.1], true)], 'prm', { labels: 'improvement' });
    expect(rows[0].labels).toEqual([true, false, false, true]);
  });

  it('label steps by the share of roll-outs from them that passed', async () => {
    const stored = [
      episode(['a', 'b', 'c'], [0, 0, 1], true),
      episode(['a', 'b', 'd'], [0, 0, 0], false),
      episode(['a', 'e', 'd'], [0, 0, 0], false),
      episode(['a', 'e', 'd'], [0, 0, 0], false),
      run(null),
    ];
    const { rows, report } = await exported(stored, 'prm', { labels: 'rollouts', threshold: 0.5 });
    // After a: 1 of 4 passed; after a, b: 1 of 2; after a, b, c: 1 of 1.
    expect(rows.map((row) => row.labels)).toEqual([
      [false, true, true],
      [false, true, false],
      [false, false, false],
    ]);
    expect(report).toMatchObject({ repeated: 1, singleRollouts: 2, leftOut: { 'no verdict: sandbox': 1 } });
    const strict = await openTraceStore(join(folder, 'traces')).exportRows('prm', join(folder, 'strict.jsonl'), {
      labels: 'rollouts',
      threshold: 0.2,
    });
    expect(strict.rows).toBe(3);
    expect(JSON.parse((await readFile(strict.file, 'utf8')).split('\n')[0]!).labels).toEqual([true, true, true]);
  });

  it('count and name what cannot be used', async () => {
    const { rows, report } = await exported([episode([], [], true), episode(['a', 'b'], [1], true), run(null)], 'prm');
    expect(rows).toEqual([]);
    expect(report.leftOut).toEqual({
      'no actions': 1,
      'not one reward for each step': 1,
      'no verdict: sandbox': 1,
    });
  });
});

describe('anneal traces export', () => {
  it('writes the file and says what became of the traces', async () => {
    const store = openTraceStore(join(folder, 'traces'));
    await store.append(run(1));
    const output = join(folder, 'rows.jsonl');
    const before = process.stdout.write;
    let shown = '';
    process.stdout.write = ((text: string) => {
      shown += text;
      return true;
    }) as typeof process.stdout.write;
    try {
      expect(await traces(['export', store.directory, '--rows', 'sft', '--output', output, '--json'])).toBe(0);
      expect(
        await traces(['export', store.directory, '--rows', 'sft', '--output', output, '--model', 'x', '--json']),
      ).toBe(1);
    } finally {
      process.stdout.write = before;
    }
    expect(
      shown
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).rows),
    ).toEqual([1, 0]);
  });

  it.each([
    [['list'], 'no list'],
    [['export'], 'one folder'],
    [['export', 'x'], '--rows'],
    [['export', 'x', '--rows', 'sfd', '--output', 'a.jsonl'], 'did you mean "sft"?'],
    [['export', 'x', '--rows', 'sft'], '--output'],
    [['export', 'x', '--rows', 'sft', '--output', 'a.csv'], '.parquet'],
    [['export', 'x', '--row', 'sft'], 'did you mean "--rows"?'],
    [['export', 'x', '--rows', 'prm', '--threshold', 'high', '--output', 'a.jsonl'], 'wanted is a number'],
    [['export', 'x', '--rows', 'rl', '--threshold', '1', '--output', 'a.jsonl'], 'for --rows prm'],
  ])('refuses %j', async (args, message) => {
    await expect(traces(args as string[])).rejects.toThrow(message as string);
  });
});
