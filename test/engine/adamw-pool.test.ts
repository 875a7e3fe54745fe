import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { createAdamwPool } from '../../src/engine/local/adamw-pool.js';
import { allocateParameters, type TrainedParameters } from '../../src/engine/local/trained-parameters.js';

const params = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, maxGradNorm: 1 };

/** `limit` bytes of a memory: the largest parameter of the default is alone and too large for one. */
function allocate(limit = 16_000_000): TrainedParameters {
  const weights = [1_500_001, 7, 900_000, 64].map((length, n) => ({
    data: Float32Array.from({ length }, (_, i) => Math.sin(i + n)),
    shape: [length],
  }));
  const parameters = allocateParameters(new Map(weights.map((weight, n) => [`p${n}`, weight])), limit);
  let n = 0;
  for (const { gradient, m, v } of parameters.values()) {
    gradient.forEach((_, i) => {
      gradient[i] = Math.cos(i * 3 + n);
    });
    n++;
    m.fill(0.1);
    v.fill(0.2);
  }
  return parameters;
}

const bytesOf = (parameters: TrainedParameters): Buffer[] =>
  [...parameters.values()].flatMap(({ weights, m, v }) =>
    [weights, m, v].map((array) => Buffer.from(array.slice().buffer)),
  );

const namesOf = (parameters: TrainedParameters): string[] => [...parameters.keys()];

it('several threads update every parameter to the same bytes as one', async () => {
  const [a, b] = [allocate(), allocate()];
  const [one, three] = [createAdamwPool(a, 1), createAdamwPool(b, 3)];
  const before = bytesOf(a);
  for (const step of [1, 2]) {
    const alone = await one.run({ names: namesOf(a), params, step });
    expect(await three.run({ names: namesOf(b), params, step })).toBe(alone);
    expect(alone).toBeGreaterThan(1000);
  }
  const [alone, together] = [bytesOf(a), bytesOf(b)];
  alone.forEach((bytes, i) => {
    expect(bytes.equals(together[i]!)).toBe(true);
    expect(bytes.equals(before[i]!)).toBe(false);
  });
  await Promise.all([one.dispose(), three.dispose()]);
});

it('only parameters with a gradient are updated', async () => {
  const parameters = allocate();
  const pool = createAdamwPool(parameters, 2);
  const before = bytesOf(parameters);
  await pool.run({ names: ['p1', 'p2'], params, step: 1 });
  const updated = bytesOf(parameters).map((bytes, i) => !bytes.equals(before[i]!));
  expect(updated).toEqual([0, 1, 1, 0].flatMap((changed) => new Array(3).fill(changed === 1)));
  await pool.dispose();
});

it.each([1, 3])('a gradient that is not finite updates nothing, on %i threads', async (threads) => {
  const parameters = allocate();
  const pool = createAdamwPool(parameters, threads);
  parameters.get('p2')!.gradient[899_999] = Number.NaN;
  expect(await pool.run({ names: namesOf(parameters), params, step: 1 })).toBeNaN();
  const untouched = bytesOf(allocate());
  bytesOf(parameters).forEach((bytes, i) => {
    expect(bytes.equals(untouched[i]!)).toBe(true);
  });
  await pool.dispose();
});

it('a thread that ends in the middle fails the update and takes no parameters with it', async () => {
  vi.resetModules();
  vi.doMock('../../src/engine/local/start-worker.js', () => ({
    startWorker: () => new Worker('process.exit(7)', { eval: true }),
  }));
  const { createAdamwPool } = await import('../../src/engine/local/adamw-pool.js');
  vi.doUnmock('../../src/engine/local/start-worker.js');
  const parameters = allocate();
  const pool = createAdamwPool(parameters, 2);
  const run = () => pool.run({ names: namesOf(parameters), params, step: 1 });
  await expect(run()).rejects.toThrow('an optimizer thread has ended (exit code 7)');
  await expect(run()).rejects.toThrow('an optimizer thread has ended');
  const untouched = bytesOf(allocate());
  bytesOf(parameters).forEach((bytes, i) => {
    expect(bytes.equals(untouched[i]!)).toBe(true);
  });
  await pool.dispose();
});
