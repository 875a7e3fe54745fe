import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { type AdamwJob, createAdamwPool } from '../../src/engine/local/adamw-pool.js';

const params = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, maxGradNorm: 1 };

function jobs(): AdamwJob[] {
  return [1_500_001, 7, 900_000, 64].map((length, n) => ({
    name: `p${n}`,
    weights: Float32Array.from({ length }, (_, i) => Math.sin(i + n)),
    gradient: Float32Array.from({ length }, (_, i) => Math.cos(i * 3 + n)),
    moments: { m: new Float32Array(length).fill(0.1), v: new Float32Array(length).fill(0.2) },
  }));
}

const sameBytes = (a: Float32Array<ArrayBuffer>, b: Float32Array<ArrayBuffer>): boolean =>
  Buffer.from(a.buffer).equals(Buffer.from(b.buffer));

it('several threads update every parameter to the same bytes as one', async () => {
  const one = createAdamwPool(1);
  const three = createAdamwPool(3);
  let [a, b]: (readonly AdamwJob[])[] = [jobs(), jobs()];
  for (const step of [1, 2]) {
    const [alone, together] = [await one.run({ jobs: a!, params, step }), await three.run({ jobs: b!, params, step })];
    expect(together.gradNorm).toBe(alone.gradNorm);
    expect(alone.gradNorm).toBeGreaterThan(1000);
    [a, b] = [alone, together].map(({ jobs }) => jobs.toSorted((x, y) => (x.name < y.name ? -1 : 1)));
  }
  expect(b!.map(({ name }) => name)).toEqual(a!.map(({ name }) => name));
  a!.forEach(({ weights, moments }, i) => {
    for (const [mine, theirs] of [
      [weights, b![i]!.weights],
      [moments.m, b![i]!.moments.m],
      [moments.v, b![i]!.moments.v],
    ] as const) {
      expect(sameBytes(theirs, mine)).toBe(true);
    }
  });
  await Promise.all([one.dispose(), three.dispose()]);
});

it.each([1, 3])('a gradient that is not finite updates nothing, on %i threads', async (threads) => {
  const pool = createAdamwPool(threads);
  const before = jobs();
  before[2]!.gradient[899_999] = Number.NaN;
  const { gradNorm, jobs: after } = await pool.run({ jobs: before, params, step: 1 });
  expect(gradNorm).toBeNaN();
  const untouched = new Map(jobs().map((job) => [job.name, job]));
  for (const { name, weights, moments } of after) {
    const { weights: w, moments: m } = untouched.get(name)!;
    expect(sameBytes(weights, w) && sameBytes(moments.m, m.m) && sameBytes(moments.v, m.v), name).toBe(true);
  }
  await pool.dispose();
});

it('a thread that ends in the middle fails the update', async () => {
  vi.resetModules();
  vi.doMock('../../src/engine/local/start-worker.js', () => ({
    startWorker: () => new Worker('process.exit(7)', { eval: true }),
  }));
  const { createAdamwPool } = await import('../../src/engine/local/adamw-pool.js');
  vi.doUnmock('../../src/engine/local/start-worker.js');
  const pool = createAdamwPool(2);
  await expect(pool.run({ jobs: jobs(), params, step: 1 })).rejects.toThrow('has ended (exit code 7)');
  await pool.dispose();
});
