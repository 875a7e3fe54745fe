import { describe, expect, it } from 'vitest';
import { parseModelConfig, ropeTables } from '../../src/models/index.js';
import { readGoldenJson } from '../golden/read-golden.js';

type Golden = Record<string, { config: unknown; frequencies: number[]; factor: number }>;

const cases = Object.entries(readGoldenJson<Golden>('checkpoints/rope.json'));

describe('rotary tables turn at the frequencies that transformers computes', () => {
  it.each(cases)('%s', (name, { config, frequencies, factor }) => {
    const length = 300;
    const { cos, sin } = ropeTables(parseModelConfig(config, name), length);
    expect(cos.length).toBe(length * frequencies.length);
    for (let position = 0; position < length; position += 23) {
      for (const [i, frequency] of frequencies.entries()) {
        // transformers' frequencies are float32, so the angle is known to about position · 1e-7.
        expect(cos[position * frequencies.length + i]).toBeCloseTo(factor * Math.cos(position * frequency), 4);
        expect(sin[position * frequencies.length + i]).toBeCloseTo(factor * Math.sin(position * frequency), 4);
      }
    }
  });

  it.each(cases)('%s: each frequency to float32 precision', (name, { config, frequencies, factor }) => {
    const { sin } = ropeTables(parseModelConfig(config, name), 2);
    for (const [i, frequency] of frequencies.entries()) {
      const expected = factor * Math.sin(frequency);
      expect(Math.abs(sin[frequencies.length + i]! / expected - 1)).toBeLessThan(1e-5);
    }
  });
});
