import { describe, expect, it } from 'vitest';
import * as graph from '../../src/graph/index.js';
import {
  add,
  clamp,
  concat,
  constant,
  constantInt,
  divide,
  exp,
  fill,
  gatherRows,
  gemm,
  gradients,
  input,
  less,
  log,
  logSigmoid,
  matmul,
  maximum,
  minimum,
  multiply,
  reshape,
  scatterRows,
  silu,
  softmax,
  softplus,
  split,
  sqrt,
  stopGradient,
  subtract,
  sum,
  swapLast,
  symbol,
  type Tensor,
  where,
} from '../../src/graph/index.js';
import { type Feeds, prepare, run, type Value } from './run.js';
import { smallTransformer } from './small-transformer.js';

const vector = (...data: number[]): Value => ({ shape: [data.length], data });
const x = input('x', 'float32', [3]);

/** Gradient of the sum of f(x) at the given points. */
async function slope(f: (x: Tensor) => Tensor, ...points: number[]): Promise<number[]> {
  const at = input('x', 'float32', [points.length]);
  const y = f(at);
  const [gradient] = gradients([[y, fill(1, y.shape)]], [at]);
  return (await run({ gradient: gradient! }, { x: vector(...points) })).gradient!.data as number[];
}

describe('a tensor used twice gets both gradients', () => {
  it.each<[string, (x: Tensor) => Tensor, (x: number) => number]>([
    ['add', (x) => add(x, x), () => 2],
    ['subtract', (x) => subtract(x, x), () => 0],
    ['multiply', (x) => multiply(x, x), (x) => 2 * x],
    ['divide', (x) => divide(x, x), () => 0],
    ['minimum', (x) => minimum(x, x), () => 1],
    ['maximum', (x) => maximum(x, x), () => 1],
    ['where', (x) => where(less(x, constant(0)), x, x), () => 1],
    ['concat', (x) => concat([x, x], 0), () => 2],
    ['clamp', (x) => clamp(x, x, x), () => 1],
    ['gemm', (x) => gemm(reshape(x, [3, 1]), reshape(x, [3, 1]), true, false), (x) => 2 * x],
    ['matmul', (x) => matmul(reshape(x, [1, 3]), swapLast(reshape(x, [1, 3]))), (x) => 2 * x],
    ['split', (x) => multiply(...(split(concat([x, x], 0), 0, [3, 3]) as [Tensor, Tensor])), (x) => 2 * x],
    ['four consumers', (x) => add(add(exp(x), x), multiply(x, stopGradient(x))), (x) => Math.exp(x) + 1 + x],
  ])('%s', async (_, f, expected) => {
    const points = [-0.5, 0.5, 1.5];
    const got = await slope(f, ...points);
    got.forEach((value, i) => {
      expect(value).toBeCloseTo(expected(points[i]!), 5);
    });
  });
});

describe('kinks', () => {
  it('a tie of minimum or maximum gives half to each', async () => {
    expect(await slope((x) => minimum(x, constant(0)), -1, 0, 1)).toEqual([1, 0.5, 0]);
    expect(await slope((x) => minimum(constant(0), x), -1, 0, 1)).toEqual([1, 0.5, 0]);
    expect(await slope((x) => maximum(x, constant(0)), -1, 0, 1)).toEqual([0, 0.5, 1]);
    expect(await slope((x) => maximum(constant(0), x), -1, 0, 1)).toEqual([0, 0.5, 1]);
  });

  it('clamp passes the gradient at its bounds and stops it outside', async () => {
    expect(await slope((x) => clamp(x, -1, 1), -2, -1, 0, 1, 2)).toEqual([0, 1, 1, 1, 0]);
  });

  it('a clamped value hands its gradient to the bound', async () => {
    const high = input('high', 'float32', []);
    const y = clamp(x, -1, high);
    const [gx, gHigh] = gradients([[y, fill(1, [3])]], [x, high]);
    const { a, b } = await run({ a: gx!, b: gHigh! }, { x: vector(0, 3, 4), high: { shape: [], data: [2] } });
    expect([a!.data, b!]).toEqual([[1, 0, 0], { shape: [], data: [2] }]);
  });
});

describe('numbers at the edge', () => {
  it('where keeps infinities and NaN of the branch that is not taken out of its value and gradient', async () => {
    const other = input('other', 'float32', [3]);
    const chosen = less(x, constant(0));
    const y = where(chosen, other, x);
    const [gOther, gX] = gradients([[y, fill(1, [3])]], [other, x]);
    const results = await run(
      { y, a: gOther!, b: gX! },
      { x: vector(1, 2, -3), other: vector(Number.NaN, Number.POSITIVE_INFINITY, 7) },
    );
    expect(Object.values(results).map(({ data }) => data)).toEqual([
      [1, 2, 7],
      [0, 0, 1],
      [1, 1, 0],
    ]);
  });

  it('an op that is undefined in the branch not taken needs a safe argument there', async () => {
    const positive = (x: Tensor): Tensor => graph.greater(x, constant(0));
    const guarded = (x: Tensor): Tensor => where(positive(x), log(where(positive(x), x, constant(1))), constant(0));
    expect(await slope(guarded, -1, 0, 2)).toEqual([0, 0, 0.5]);
  });

  it('softplus and log σ neither overflow nor lose small values', async () => {
    const points = [-80, -20, -1, 0, 1, 20, 80, 1000];
    const at = input('x', 'float32', [points.length]);
    const { a, b } = await run({ a: softplus(at), b: logSigmoid(at) }, { x: vector(...points) });
    points.forEach((point, i) => {
      const exact = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
      expect(Math.abs(a!.data[i]! / exact(point) - 1)).toBeLessThan(1e-5);
      expect(Math.abs(b!.data[i]! + exact(-point))).toBeLessThanOrEqual(1e-5 * exact(-point));
    });
    expect(await slope(softplus, -1000, 0, 1000)).toEqual([0, 0.5, 1]);
    expect(await slope(logSigmoid, -1000, 0, 1000)).toEqual([1, 0.5, 0]);
    expect(await slope(silu, -1000, 0, 1000)).toEqual([0, 0.5, 1]);
  });

  it('logarithms and roots near zero keep their steep slopes', async () => {
    expect((await slope(log, 1e-30))[0]! / 1e30).toBeCloseTo(1, 5);
    expect((await slope(sqrt, 1e-30))[0]! / 5e14).toBeCloseTo(1, 5);
    expect(await slope(log, 0)).toEqual([Number.POSITIVE_INFINITY]);
  });

  it('the slope of a quotient is right for tiny and huge divisors', async () => {
    for (const point of [1e-12, -1e-6, 1e12]) {
      const [got] = await slope((x) => divide(constant(3), x), point);
      expect(got! / (-3 / point ** 2)).toBeCloseTo(1, 5);
    }
  });

  it('softmax of large and of masked scores is finite', async () => {
    const y = softmax(x);
    const [gradient] = gradients([[y, constant([1, 2, 3])]], [x]);
    const masked = await run({ y, gradient: gradient! }, { x: vector(1000, Number.NEGATIVE_INFINITY, 1000) });
    expect(masked.y!.data).toEqual([0.5, 0, 0.5]);
    expect(masked.gradient!.data).toEqual([-0.5, 0, 0.5]);
  });
});

it('rows added under one number are all counted, however many threads add them', async () => {
  const [rows, width] = [4096, 64];
  const given = input('x', 'float32', [symbol('M'), width]);
  const numbers = input('i', 'int64', [symbol('M')]);
  const scattered = await prepare(
    { y: scatterRows(given, numbers, 3) },
    { session: { intraOpNumThreads: 4 }, symbols: { M: rows } },
  );
  const index = Array.from({ length: rows }, (_, i) => (i % 8 === 0 ? 2 : 0));
  const feeds = {
    x: { shape: [rows, width], data: new Array<number>(rows * width).fill(1) },
    i: { shape: [rows], data: index },
  };
  for (let repeat = 0; repeat < 30; repeat++) {
    const { y } = await scattered.run(feeds);
    const expected = [(rows * 7) / 8, 0, rows / 8].flatMap((n) => new Array<number>(width).fill(n));
    expect(y!.data).toEqual(expected);
  }
});

describe('what gets no gradient', () => {
  it('tensors that the output does not depend on, or only through an op without one', () => {
    const other = input('other', 'float32', [3]);
    const y = add(multiply(x, 2), stopGradient(other));
    const picked = gatherRows(constant([1, 2, 3]), graph.argmax(reshape(other, [1, 3])));
    expect(gradients([[y, fill(1, [3])]], [other, input('unused', 'float32', [])])).toEqual([null, null]);
    expect(gradients([[picked, fill(1, [1])]], [other])).toEqual([null]);
    expect(gradients([[graph.max(other, [0]), constant(1)]], [other])).toEqual([null]);
  });

  it('what lies behind a tensor at which the walk stops', async () => {
    const middle = exp(x);
    const y = multiply(middle, middle);
    const [toMiddle, toX] = gradients([[y, fill(1, [3])]], [middle, x], { stopAt: [middle] });
    expect(toX).toBeNull();
    expect((await run({ toMiddle: toMiddle! }, { x: vector(0, 0, 0) })).toMiddle!.data).toEqual([2, 2, 2]);
  });

  it('a frozen weight costs no node of the compiled graph', () => {
    const a = input('a', 'float32', [3, 3]);
    const b = input('b', 'float32', [3, 3]);
    const h = input('h', 'float32', [2, 3]);
    const y = sum(gemm(gemm(h, a), b));
    const nodes = (wrt: Tensor[]): number => {
      const given = gradients([[y, constant(1)]], wrt);
      const { onnx } = graph.compile(Object.fromEntries(given.map((gradient, i) => [`g${i}`, gradient!])));
      return new TextDecoder('latin1').decode(onnx).split(':Gemm').length - 1;
    };
    // b needs h·a; a needs g·bᵀ and its own product.
    expect(nodes([b])).toBe(2);
    expect(nodes([a])).toBe(2);
    expect(nodes([a, b])).toBe(4);
  });
});

it('several outputs are seeded at once', async () => {
  const [gradient] = gradients(
    [
      [exp(x), constant([1, 0, 0])],
      [multiply(x, x), constant([0, 1, 0])],
      [x, constant([0, 0, 5])],
    ],
    [x],
  );
  expect((await run({ gradient: gradient! }, { x: vector(0, 3, 9) })).gradient!.data).toEqual([1, 6, 5]);
});

it('a gradient can be differentiated again', async () => {
  const cube = multiply(x, multiply(x, x));
  const [first] = gradients([[cube, fill(1, [3])]], [x]);
  const [second] = gradients([[first!, fill(1, [3])]], [x]);
  expect((await run({ second: second! }, { x: vector(-1, 0, 2) })).second!.data).toEqual([-6, 0, 12]);
});

it('a small transformer agrees with finite differences of its own loss in ONNX Runtime', async () => {
  const { outputs, feeds, symbols, weights } = smallTransformer({ recompute: false });
  const forward = await prepare({ loss: outputs.loss! }, { symbols });
  const lossAt = async (moved: Feeds): Promise<number> => (await forward.run({ ...feeds, ...moved })).loss!.data[0]!;
  const got = await run(outputs, feeds, { symbols });
  const step = 1e-2;
  for (const name of weights) {
    const { shape, data } = feeds[name]!;
    for (let j = 0; j < data.length; j++) {
      const at = (by: number): Promise<number> => lossAt({ [name]: { shape, data: data.with(j, data[j]! + by) } });
      const numeric = ((await at(step)) - (await at(-step))) / (2 * step);
      expect(Math.abs(got[`gradient:${name}`]!.data[j]! - numeric), `${name}[${j}]`).toBeLessThan(1e-3);
    }
  }
});

it('a small transformer has the same gradients when its layer is recomputed', async () => {
  const kept = smallTransformer({ recompute: false });
  const recomputed = smallTransformer({ recompute: true });
  const { feeds, symbols } = kept;
  expect(await run(recomputed.outputs, feeds, { symbols })).toEqual(await run(kept.outputs, feeds, { symbols }));
});

it('integers have no gradient and keep their values', async () => {
  const rows = constantInt([2, 0]);
  const y = gatherRows(x, rows);
  const [gradient] = gradients([[y, fill(1, [2])]], [x]);
  expect((await run({ gradient: gradient! }, {})).gradient!.data).toEqual([1, 0, 1]);
});
