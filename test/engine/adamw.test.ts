import { describe, expect, it } from 'vitest';
import { adamwUpdate, clipScale, type Moments, squaredNorm } from '../../src/engine/local/adamw.js';
import { readGoldenJson } from '../golden/read-golden.js';
import { relativeError } from './golden-batch.js';

type Tensors = Readonly<Record<string, readonly number[]>>;

interface Golden {
  readonly cases: readonly {
    readonly name: string;
    readonly options: {
      readonly betas: readonly [number, number];
      readonly eps: number;
      readonly weight_decay: number;
      readonly max_grad_norm: number | null;
    };
    readonly initial: Tensors;
    readonly steps: readonly {
      readonly lr: number;
      readonly gradients: Tensors;
      readonly gradientNorm: number;
      readonly parameters: Tensors;
      readonly firstMoment: Tensors;
      readonly secondMoment: Tensors;
    }[];
  }[];
}

const { cases } = readGoldenJson<Golden>('adamw/adamw.json');

describe.each(cases)('AdamW against PyTorch: $name', ({ options, initial, steps }) => {
  it('gives the same parameters and moments after every step', () => {
    const names = Object.keys(initial);
    const parameters = new Map(names.map((name) => [name, Float32Array.from(initial[name]!)]));
    const moments = new Map<string, Moments>(
      names.map((name) => {
        const { length } = initial[name]!;
        return [name, { m: new Float32Array(length), v: new Float32Array(length) }];
      }),
    );
    let clipped = 0;
    steps.forEach((step, i) => {
      const gradients = names.map((name) => Float32Array.from(step.gradients[name]!));
      const norm = Math.sqrt(gradients.reduce((total, gradient) => total + squaredNorm(gradient), 0));
      expect(Math.abs(norm - step.gradientNorm)).toBeLessThan(1e-6 * norm);
      const scale = clipScale(norm, options.max_grad_norm ?? 0);
      if (scale < 1) clipped++;
      names.forEach((name, n) => {
        adamwUpdate(
          parameters.get(name)!,
          gradients[n]!,
          moments.get(name)!,
          {
            learningRate: step.lr,
            beta1: options.betas[0],
            beta2: options.betas[1],
            epsilon: options.eps,
            weightDecay: options.weight_decay,
            maxGradNorm: options.max_grad_norm ?? 0,
          },
          i + 1,
          scale,
        );
        const { m, v } = moments.get(name)!;
        const where = `${name}, step ${i + 1}`;
        expect(relativeError(parameters.get(name)!, step.parameters[name]!), where).toBeLessThan(1e-6);
        expect(relativeError(m, step.firstMoment[name]!), where).toBeLessThan(1e-6);
        expect(relativeError(v, step.secondMoment[name]!), where).toBeLessThan(1e-6);
      });
    });
    expect(clipped > 0).toBe(options.max_grad_norm !== null);
  });
});

it('adds squares up in float64', () => {
  const values = new Float32Array(100_001).fill(0.1);
  expect(squaredNorm(values)).toBeCloseTo(100_001 * Math.fround(0.1) ** 2, 8);
});
