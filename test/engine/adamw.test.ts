import { describe, expect, it } from 'vitest';
import { adamwUpdate, clipScale } from '../../src/engine/local/adamw.js';
import { addFurther, squaredNorm } from '../../src/engine/local/optimizer-kernels.js';
import { allocateParameters, type TrainedParameters } from '../../src/engine/local/trained-parameters.js';
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

/** In a memory that kernels work on where they lie, and too large for one. */
const places = [
  { place: 'in place', limit: undefined },
  { place: 'on copies', limit: 0 },
];

const allocate = (weights: Readonly<Record<string, readonly number[]>>, limit: number | undefined): TrainedParameters =>
  allocateParameters(
    new Map(
      Object.entries(weights).map(([name, data]) => [name, { data: Float32Array.from(data), shape: [data.length] }]),
    ),
    limit,
  );

const variants = cases.flatMap((golden) => places.map((place) => ({ ...golden, ...place })));

describe.each(variants)('AdamW against PyTorch $place: $name', ({ options, initial, steps, limit }) => {
  it('gives the same parameters and moments after every step', () => {
    const parameters = allocate(initial, limit);
    let clipped = 0;
    steps.forEach((step, i) => {
      for (const [name, { gradient }] of parameters) gradient.set(step.gradients[name]!);
      const norm = Math.sqrt([...parameters.values()].reduce((total, parameter) => total + squaredNorm(parameter), 0));
      expect(Math.abs(norm - step.gradientNorm)).toBeLessThan(1e-6 * norm);
      const scale = clipScale(norm, options.max_grad_norm ?? 0);
      if (scale < 1) clipped++;
      for (const [name, parameter] of parameters) {
        adamwUpdate(
          parameter,
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
        const where = `${name}, step ${i + 1}`;
        expect(relativeError(parameter.weights, step.parameters[name]!), where).toBeLessThan(1e-6);
        expect(relativeError(parameter.m, step.firstMoment[name]!), where).toBeLessThan(1e-6);
        expect(relativeError(parameter.v, step.secondMoment[name]!), where).toBeLessThan(1e-6);
      }
    });
    expect(clipped > 0).toBe(options.max_grad_norm !== null);
  });
});

describe.each(places)('kernels $place', ({ limit }) => {
  const length = 100_001;
  const parameterOf = (gradient: number) => {
    const parameter = allocate({ p: new Array<number>(length).fill(1), q: [1, 2, 3] }, limit).get('p')!;
    parameter.gradient.fill(gradient);
    return parameter;
  };

  it('add squares up in float64', () => {
    expect(squaredNorm(parameterOf(0.1))).toBeCloseTo(length * Math.fround(0.1) ** 2, 8);
  });

  it('add a gradient to every element and to nothing else', () => {
    const parameter = parameterOf(0.5);
    parameter.further.forEach((_, i) => {
      parameter.further[i] = i;
    });
    addFurther(parameter);
    expect(parameter.gradient.every((value, i) => value === i + 0.5)).toBe(true);
    expect(parameter.weights.every((value) => value === 1)).toBe(true);
    expect(parameter.m.every((value) => value === 0)).toBe(true);
  });
});

describe('memory of trained parameters', () => {
  const weights = { a: [1, 2, 3], b: [4], c: new Array<number>(17).fill(5), d: [6, 7] };
  // Five arrays of one cache line each, or of two.
  const [small, large] = [320, 640];

  it.each([
    { limit: undefined, memories: ['abcd'] },
    { limit: 2 * small + large, memories: ['abc', 'd'] },
    { limit: large, memories: ['ab', 'c', 'd'] },
    { limit: small, memories: ['a', 'b', '', 'd'] },
  ])('holds as many as $limit bytes allow: $memories', ({ limit, memories }) => {
    const parameters = allocate(weights, limit);
    const together: Record<string, string>[] = [];
    let last: unknown;
    for (const [name, { memory, weights: array }] of parameters) {
      if (array.buffer !== last) together.push({});
      last = array.buffer;
      together.at(-1)![name] = memory ? name : '';
      expect(Array.from(array)).toEqual(weights[name as keyof typeof weights]);
    }
    expect(together.map((names) => Object.values(names).join(''))).toEqual(memories);
  });
});
