import { expect, it } from 'vitest';
import { type AdamwJob, createAdamwPool } from '../../src/engine/local/adamw-pool.js';

const params = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, maxGradNorm: 0 };

function jobs(): AdamwJob[] {
  return [1_500_001, 7, 900_000, 64].map((length, n) => ({
    name: `p${n}`,
    weights: Float32Array.from({ length }, (_, i) => Math.sin(i + n)),
    gradient: Float32Array.from({ length }, (_, i) => Math.cos(i * 3 + n)),
    moments: { m: new Float32Array(length).fill(0.1), v: new Float32Array(length).fill(0.2) },
  }));
}

it('several threads update every parameter to the same bytes as one', async () => {
  const one = createAdamwPool(1);
  const three = createAdamwPool(3);
  let [a, b]: (readonly AdamwJob[])[] = [jobs(), jobs()];
  for (const step of [1, 2]) {
    a = await one.run({ jobs: a!, params, step, scale: 0.5 });
    b = (await three.run({ jobs: b!, params, step, scale: 0.5 })).toSorted((x, y) => (x.name < y.name ? -1 : 1));
  }
  expect(b!.map(({ name }) => name)).toEqual(a!.map(({ name }) => name));
  a!.forEach(({ weights, moments }, i) => {
    for (const [mine, theirs] of [
      [weights, b![i]!.weights],
      [moments.m, b![i]!.moments.m],
      [moments.v, b![i]!.moments.v],
    ] as const) {
      expect(Buffer.from(theirs.buffer).equals(Buffer.from(mine.buffer))).toBe(true);
    }
  });
  await Promise.all([one.dispose(), three.dispose()]);
});
