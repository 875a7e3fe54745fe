import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTraceStore, type Trace, type TraceProblem, type TraceStore } from '../../../src/gym/trace/index.js';
import { episode, run } from './samples.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anneal-traces-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function all(store: TraceStore, options: Parameters<TraceStore['read']>[0] = {}): Promise<Trace[]> {
  const traces: Trace[] = [];
  for await (const trace of store.read(options)) traces.push(trace);
  return traces;
}

const onlyFile = async () => join(folder, (await readdir(folder))[0]!);

describe('a trace store', () => {
  it('gives back what was stored, runs and episodes', async () => {
    const traces = [run(1), run(null), episode(['ls', 'echo é\u2028\n"'], [0, 1], true)];
    const store = openTraceStore(folder);
    for (const trace of traces) await store.append(trace);
    expect(await all(store)).toEqual(traces);
  });

  it('says where, on what, in which sandbox and with which versions an answer was judged', () => {
    const trace = run(1, 'answer', 'tiny');
    expect(trace).toMatchObject({
      kind: 'run',
      environment: 'coin_change',
      contentHash: 'c0ffee',
      variant: 'train',
      caseSetHash: 'abc',
      seed: 1,
      language: 'python',
      model: 'tiny',
      stepRewards: [1],
      timings: { verdictMs: 3.25, totalMs: null },
      sandbox: { name: 'none', isolated: false, inForce: ['time limit'] },
      versions: { node: process.versions.node, python: '3.11.2', driver: expect.stringMatching(/^[0-9a-f]{16}$/) },
    });
    expect(trace.versions.anneal).toMatch(/^\d+\.\d+\.\d+/);
    expect(Date.parse(trace.createdAt)).not.toBeNaN();
  });

  it('keeps every line whole when many are appended at a time', async () => {
    const store = openTraceStore(folder);
    const traces = Array.from({ length: 500 }, (_, at) => run(1, `${at} ${'x'.repeat(at * 50)}`));
    await Promise.all(traces.map((trace) => store.append(trace)));
    expect((await all(store)).map((trace) => trace.id)).toEqual(traces.map((trace) => trace.id));
  });

  it('is shared by stores that write at the same time', async () => {
    const stores = [openTraceStore(folder), openTraceStore(folder)];
    await Promise.all(stores.flatMap((store) => Array.from({ length: 50 }, () => store.append(run(1)))));
    expect(await all(stores[0]!)).toHaveLength(100);
  });

  it('skips and reports a last line that a crash cut off', async () => {
    const store = openTraceStore(folder);
    await store.append(run(1));
    await store.append(run(0));
    const file = await onlyFile();
    const size = (await readFile(file)).length;
    await truncate(file, size - 30);
    const problems: TraceProblem[] = [];
    expect(await all(store, { onProblem: (problem) => problems.push(problem) })).toHaveLength(1);
    expect(problems).toEqual([{ file, line: 2, kind: 'torn', message: expect.stringContaining('crash') }]);
  });

  it('skips and reports lines that are no traces of a known version', async () => {
    const store = openTraceStore(folder);
    await store.append(run(1));
    const file = await onlyFile();
    await appendFile(
      file,
      `rubbish\n\n{"schemaVersion": 99}\n{"schemaVersion": 1, "id": 4}\n${JSON.stringify(run(0.5))}\n`,
    );
    const problems: TraceProblem[] = [];
    expect(await all(store, { onProblem: (problem) => problems.push(problem) })).toHaveLength(2);
    expect(problems.map(({ line, kind }) => [line, kind])).toEqual([
      [2, 'damaged'],
      [4, 'damaged'],
      [5, 'damaged'],
    ]);
    expect(problems[1]!.message).toContain('version 99');
    expect(problems[2]!.message).toContain('id');
  });

  it('passes over folders, whatever their name', async () => {
    const store = openTraceStore(folder);
    await store.append(run(1));
    await mkdir(join(folder, 'old.jsonl'));
    expect(await all(store)).toHaveLength(1);
  });

  it('filters', async () => {
    const store = openTraceStore(folder);
    for (const trace of [run(1, 'a', 'one'), run(1, 'a', 'two'), episode(['ls'], [1], true)]) await store.append(trace);
    expect(await all(store, { model: 'two' })).toHaveLength(1);
    expect(await all(store, { kind: 'episode' })).toHaveLength(1);
    expect(await all(store, { environment: 'other' })).toHaveLength(0);
  });

  it('says what is wrong with a folder that cannot be read or written', async () => {
    await expect(all(openTraceStore(join(folder, 'nowhere')))).rejects.toThrow('no folder with traces');
    await writeFile(join(folder, 'file'), '');
    await expect(openTraceStore(join(folder, 'file')).append(run(1))).rejects.toThrow('could not be written');
  });
});
