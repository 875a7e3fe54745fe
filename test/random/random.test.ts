import { expect, test } from 'vitest';
import { createRandom } from '../../src/random/index.js';
import { xoshiro128 } from '../../src/random/random.js';

test('the numbers are those of xoshiro128**', () => {
  const random = xoshiro128(1, 2, 3, 4);
  expect([random.uint32(), random.uint32(), random.uint32(), random.uint32()]).toEqual([11520, 0, 5927040, 70819200]);
});

test('each number of the key and their order choose the sequence', () => {
  const draws = (...key: number[]) => {
    const random = createRandom(...key);
    return [random.uint32(), random.uint32(), random.uint32()].join();
  };
  expect(draws(1, 2)).toBe(draws(1, 2));
  expect(new Set([draws(1, 2), draws(2, 1), draws(1), draws(1, 2, 0), draws(-1, 2)]).size).toBe(5);
});

test('bounded integers are evenly spread', () => {
  const random = createRandom(1, 2);
  const counts = [0, 0, 0];
  for (let draw = 0; draw < 30_000; draw++) counts[random.below(3)]!++;
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
});
