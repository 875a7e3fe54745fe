import {
  add,
  bindDim,
  constant,
  type Dim,
  gradients,
  input,
  multiply,
  sum,
  symbol,
  type Tensor,
} from '../../src/graph/index.js';
import type { Instance, ToDim } from './op-rows.js';
import { count } from './reference.js';
import type { Value } from './run.js';

/** Repeatable numbers in [0, 1). */
export function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function draw({ elements }: Instance['inputs'][number], shape: readonly number[], random: () => number): Value {
  const one = (): number => {
    switch (elements.kind) {
      case 'any':
        return 4 * random() - 2;
      case 'positive':
        return 0.5 + 2 * random();
      case 'nonzero':
        return (random() < 0.5 ? -1 : 1) * (0.5 + 1.5 * random());
      case 'grid':
        return Math.floor(6 * random()) - 3 + elements.offset;
      default:
        throw new Error('given');
    }
  };
  if (elements.kind === 'given') return { shape, data: elements.data };
  return { shape, data: Array.from({ length: count(shape) }, () => Math.fround(one())) };
}

/** Sizes as they are. */
export const bound: ToDim = (size) => size;
/** A symbol for each size but 0 and 1; equal sizes share one. */
export const symbolic: ToDim = (size) => (size <= 1 ? size : symbol(`S${size}`));
export const sizes = Object.fromEntries(Array.from({ length: 20 }, (_, size) => [`S${size}`, size]));

const numbers = (shape: readonly Dim[]): number[] => shape.map((dim) => bindDim(dim, sizes) as number);

export interface Problem {
  /** The op's outputs, a scalar loss over them, and the gradient of each float input. */
  readonly outputs: Readonly<Record<string, Tensor>>;
  readonly feeds: Readonly<Record<string, Value>>;
  readonly expected: Readonly<Record<string, Value>>;
  /** Float inputs that got no gradient. */
  readonly withoutGradient: readonly string[];
}

/**
 * Wraps an instance in loss = Σ c·y + ½ Σ y², which uses every output twice, and works out what the graph must return:
 * values in float64 and gradients as central differences of the float64 loss.
 */
export function problem(make: (dim: ToDim) => Instance, dim: ToDim, seed: number): Problem {
  const instance = make(dim);
  const random = uniform(seed);
  const names = instance.inputs.map((_, i) => `x${i}`);
  const tensors = instance.inputs.map(({ dtype, shape }, i) => input(names[i]!, dtype, shape));
  const values = instance.inputs.map((spec) => draw(spec, numbers(spec.shape), random));
  const built = instance.build(tensors);
  const referenced = instance.reference(values);

  const outputs: Record<string, Tensor> = {};
  const expected: Record<string, Value> = {};
  const feeds: Record<string, Value> = Object.fromEntries(names.map((name, i) => [name, values[i]!]));
  built.forEach((tensor, i) => {
    outputs[`y${i}`] = tensor;
    expected[`y${i}`] = referenced[i]!;
  });

  const floats = built.flatMap((tensor, i) => (tensor.dtype === 'float32' ? [i] : []));
  const wanted = instance.inputs.flatMap(({ dtype, frozen }, i) => (dtype === 'float32' && !frozen ? [i] : []));
  if (floats.length === 0 || wanted.length === 0) {
    return { outputs, feeds, expected, withoutGradient: wanted.map((i) => names[i]!) };
  }

  const weights = floats.map((i) => draw({ elements: { kind: 'any' } } as never, referenced[i]!.shape, random));
  floats.forEach((i, k) => {
    feeds[`c${i}`] = weights[k]!;
  });
  const loss = floats
    .map((i) => {
      const y = built[i]!;
      return add(sum(multiply(y, input(`c${i}`, 'float32', y.shape))), multiply(0.5, sum(multiply(y, y))));
    })
    .reduce((a, b) => add(a, b));
  const lossOf = (point: readonly Value[]): number => {
    const y = instance.reference(point);
    return floats
      .flatMap((i, k) => y[i]!.data.map((value, j) => weights[k]!.data[j]! * value + 0.5 * value * value))
      .reduce((a, b) => a + b, 0);
  };
  outputs.loss = loss;
  expected.loss = { shape: [], data: [lossOf(values)] };

  const given = gradients(
    [[loss, constant(1)]],
    wanted.map((i) => tensors[i]!),
  );
  const step = 1e-5;
  wanted.forEach((i, k) => {
    const gradient = given[k];
    if (!gradient) return;
    outputs[`g${i}`] = gradient;
    const { shape, data } = values[i]!;
    const moved = (j: number, by: number): number =>
      lossOf(values.map((value, n) => (n === i ? { shape, data: data.with(j, data[j]! + by) } : value)));
    expected[`g${i}`] = { shape, data: data.map((_, j) => (moved(j, step) - moved(j, -step)) / (2 * step)) };
  });
  return { outputs, feeds, expected, withoutGradient: wanted.filter((_, k) => !given[k]).map((i) => names[i]!) };
}

/** Largest |a − b| / (1 + |b|); infinite when the shapes differ. */
export function difference(a: Value, b: Value): number {
  if (a.shape.join() !== b.shape.join()) return Number.POSITIVE_INFINITY;
  return Math.max(
    0,
    ...a.data.map((x, i) => (Object.is(x, b.data[i]) ? 0 : Math.abs(x - b.data[i]!) / (1 + Math.abs(b.data[i]!)))),
  );
}
