import { expect, test } from 'vitest';
import { nearest } from '../../src/text/index.js';

test('the nearest name, and none for what is far from all', () => {
  expect(nearest('coin_chagne', ['two_sum', 'coin_change'])).toBe('coin_change');
  expect(nearest('', ['two_sum'])).toBeNull();
  expect(nearest('zzzzzz', ['two_sum'])).toBeNull();
});

test('a text that is no name at all is not compared letter by letter', () => {
  expect(nearest('x'.repeat(50_000_000), ['two_sum', 'coin_change'])).toBeNull();
});
