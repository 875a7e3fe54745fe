import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTrajectories, type Trajectory, writeTrajectories } from '../../src/rollout/index.js';

const trajectory: Trajectory = {
  id: '5-0-1',
  step: 5,
  group: 0,
  generation: 1,
  promptId: 'data.jsonl:1',
  prompt: [{ role: 'user', content: 'a\nb' }],
  promptText: 'a\nb',
  seed: 4294967295,
  spans: [
    { kind: 'prompt', tokens: Int32Array.of(1, 2) },
    {
      kind: 'assistant',
      tokens: Int32Array.of(3, 4),
      logprobs: Float32Array.of(-0.1, -1e-8),
      samplingLogprobs: Float32Array.of(-1 / 3, -16.635532),
      policyVersion: 5,
    },
  ],
  text: 'é\u2028"',
  finishReason: 'stop',
  timings: { sampleMs: 12.5 },
  verdict: { kind: 'scored', reward: 0.5 },
  rewards: { gsm8k: 1, length: null },
  advantage: -0.25,
};
const unjudged: Trajectory = {
  ...trajectory,
  verdict: { kind: 'noVerdict', cause: 'reward failed' },
  rewards: {},
  advantage: null,
};

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trajectories-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('the file of a step’s trajectories', () => {
  it('gives every field back, log-probabilities to the bit', async () => {
    const path = await writeTrajectories(directory, 5, [trajectory, unjudged]);
    expect(path).toBe(join(directory, 'rollouts', 'step-5.jsonl'));
    expect(await readTrajectories(path)).toEqual([trajectory, unjudged]);
  });

  it('is one JSON object with a schema version per line', async () => {
    const path = await writeTrajectories(directory, 5, [trajectory, unjudged]);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).schema)).toEqual([1, 1]);
    expect(JSON.parse(lines[0]!).spans[1].tokens).toEqual([3, 4]);
  });

  it('stays as it was when writing fails, and nothing else is left behind', async () => {
    const path = await writeTrajectories(directory, 5, [trajectory]);
    const failing = (function* () {
      yield unjudged;
      throw new Error('out of luck');
    })();
    await expect(writeTrajectories(directory, 5, failing)).rejects.toThrow('out of luck');
    expect(await readTrajectories(path)).toEqual([trajectory]);
    expect(await readdir(join(directory, 'rollouts'))).toEqual(['step-5.jsonl']);
  });

  it('is refused with file and line when a line is broken or of another version', async () => {
    const path = await writeTrajectories(directory, 5, [trajectory]);
    const good = await readFile(path, 'utf8');
    await writeFile(path, `${good}{"schema":`);
    await expect(readTrajectories(path)).rejects.toThrow(/step-5\.jsonl:2: not a JSON object/);
    await writeFile(path, '{"schema":99}\n');
    await expect(readTrajectories(path)).rejects.toThrow(/:1: trajectory schema 99; this version reads 1/);
  });
});
