import { describe, expect, it } from 'vitest';
import {
  add,
  after as afterwards,
  compile,
  constant,
  exp,
  gradients,
  input,
  linear,
  multiply,
  region,
  sigmoid,
  split,
  stopGradient,
  sum,
  symbol,
  type Tensor,
  tanh,
} from '../../src/graph/index.js';
import { uniform } from './check-instance.js';
import { opCounts } from './decode-onnx.js';
import { run, type Value } from './run.js';

const N = symbol('N');
const x = input('x', 'float32', [N, 3]);
const random = uniform(3);
const matrix = (rows: number): Value => ({
  shape: [rows, 3],
  data: Array.from({ length: rows * 3 }, () => Math.fround(2 * random() - 1)),
});
const weights = ['a', 'b', 'c', 'shared'].map((name) => input(name, 'float32', [3, 3]));
const [a, b, c, shared] = weights as [Tensor, Tensor, Tensor, Tensor];
const feeds = { x: matrix(4), a: matrix(3), b: matrix(3), c: matrix(3), shared: matrix(3) };
const options = { symbols: { N: 4 } };

type Mode = 'plain' | 'kept' | 'recomputed';
type Wrap = (x: Tensor, f: (x: Tensor) => Tensor) => Tensor;
const wrapper = (mode: Mode): Wrap =>
  mode === 'plain' ? (x, f) => f(x) : (x, f) => region(x, f, { recompute: mode === 'recomputed' });

const layer =
  (w: Tensor) =>
  (h: Tensor): Tensor =>
    add(h, multiply(tanh(linear(h, w)), sigmoid(linear(h, shared))));

const models: Record<string, (wrap: Wrap, inner: Wrap) => Tensor> = {
  'one region': (wrap) => wrap(x, layer(a)),
  'a chain': (wrap) => [a, b, c].reduce((h, w) => wrap(h, layer(w)), x),
  'a chain with work between': (wrap) => [a, b, c].reduce((h, w) => exp(multiply(wrap(h, layer(w)), 0.1)), tanh(x)),
  'regions inside a region': (wrap, inner) =>
    wrap(tanh(x), (h) => inner(inner(linear(h, c), layer(a)), (k) => add(layer(b)(k), linear(h, shared)))),
  'three levels': (wrap, inner) =>
    wrap(x, (h) => inner(layer(a)(h), (k) => wrap(layer(b)(k), (m) => inner(m, layer(c))))),
  'the output of a region used twice': (wrap) => {
    const h = wrap(x, layer(a));
    return multiply(wrap(h, layer(b)), h);
  },
  'two regions on one tensor': (wrap) => {
    const h = tanh(x);
    return add(wrap(h, layer(a)), wrap(h, layer(b)));
  },
  'a captured tensor made from a weight': (wrap) => {
    const scaled = multiply(a, b);
    return wrap(
      wrap(x, (h) => linear(h, scaled)),
      (h) => linear(tanh(h), scaled),
    );
  },
  'the input itself captured': (wrap) => wrap(x, (h) => multiply(h, x)),
  'a region that returns its argument': (wrap) => wrap(tanh(x), (h) => h),
};

const wrt = [x, ...weights];

function training(build: (wrap: Wrap, inner: Wrap) => Tensor, mode: Mode, inner: Mode): Record<string, Tensor> {
  const y = build(wrapper(mode), wrapper(inner));
  const outputs: Record<string, Tensor> = { y };
  gradients([[sum(multiply(y, y)), constant(1)]], wrt).forEach((gradient, i) => {
    if (gradient) outputs[`gradient${i}`] = gradient;
  });
  return outputs;
}

describe.each(Object.entries(models))('%s', (_, build) => {
  it.each<[Mode, Mode]>([
    ['kept', 'kept'],
    ['recomputed', 'recomputed'],
    ['kept', 'recomputed'],
    ['recomputed', 'kept'],
  ])('has the same value and gradients %s, with inner regions %s', async (mode, inner) => {
    const expected = await run(training(build, 'plain', 'plain'), feeds, options);
    const got = await run(training(build, mode, inner), feeds, options);
    expect(Object.keys(got)).toEqual(Object.keys(expected));
    for (const [name, value] of Object.entries(expected)) {
      expect(got[name]!.shape).toEqual(value.shape);
      got[name]!.data.forEach((element, i) => {
        expect(Math.abs(element - value.data[i]!), name).toBeLessThan(1e-5 * (1 + Math.abs(value.data[i]!)));
      });
    }
  });
});

describe('what is computed', () => {
  const counts = (mode: Mode): Record<string, number> =>
    opCounts(compile(training(models['a chain']!, mode, mode)).onnx);

  it('a kept region computes nothing twice, a recomputed one its forward pass', () => {
    expect(counts('plain').Tanh).toBe(3);
    expect(counts('kept').Tanh).toBe(3);
    expect(counts('recomputed').Tanh).toBe(6);
    expect(counts('kept').Gemm).toBe(counts('plain').Gemm);
  });

  it('a region whose weights are frozen and that nothing trained precedes has no backward pass', () => {
    const frozen = region(x, layer(a), { recompute: true });
    const y = region(frozen, layer(b), { recompute: false });
    const [gradient] = gradients([[sum(y), constant(1)]], [b]);
    const { onnx } = compile({ gradient: gradient! });
    // Two matrix products forward in each layer, one for the gradient of b.
    expect(opCounts(onnx)).toMatchObject({ Gemm: 5, Tanh: 2 });
  });

  it('weights that are not asked for get no node in a recomputed region', () => {
    const y = region(tanh(x), (h) => linear(linear(h, a), b), { recompute: true });
    const gemms = (tensors: readonly Tensor[]): number => {
      const given = gradients([[sum(multiply(y, y)), constant(1)]], tensors);
      return opCounts(compile(Object.fromEntries(given.map((g, i) => [`g${i}`, g!]))).onnx).Gemm!;
    };
    // Forward 2, then for b its input again and one product, for a the gradient of that input and one product.
    expect(gemms([b])).toBe(4);
    expect(gemms([a])).toBe(4);
    expect(gemms([a, b])).toBe(6);
  });
});

describe('after', () => {
  it('changes no value and takes any shape', async () => {
    const others = [a, sum(b), x, multiply(c, 1e30)];
    const { y } = await run({ y: afterwards(x, others) }, feeds, options);
    expect(y!.data).toEqual(feeds.x.data);
    expect(afterwards(x, [])).toBe(x);
  });

  it('passes its gradient on unchanged', async () => {
    const y = afterwards(multiply(x, x), [exp(x)]);
    const [gradient] = gradients([[sum(y), constant(1)]], [x]);
    const { g } = await run({ g: gradient! }, feeds, options);
    expect(g!.data).toEqual(feeds.x.data.map((value) => Math.fround(2 * value)));
  });

  it('makes the value depend on the others', () => {
    const { inputs } = compile({ y: afterwards(x, [a]) });
    expect(inputs.map(({ name }) => name).sort()).toEqual(['a', 'x']);
  });

  it('waits for matrices without reshaping them', () => {
    const counts = opCounts(compile({ y: afterwards(x, [a, b]) }).onnx);
    expect(counts).toEqual({ Slice: 2, Concat: 1, ReduceSum: 1, Mul: 1, Add: 1 });
  });
});

describe('a region that would lose a gradient', () => {
  const h = tanh(x);

  it('is refused when its function captures its input', () => {
    expect(() => region(h, (inside) => multiply(inside, h), { recompute: true })).toThrow(
      'region of float32[N, 3]: the function uses its input otherwise than through its argument',
    );
    expect(() => region(h, (inside) => multiply(inside, exp(h)), { recompute: false })).toThrow('otherwise than');
    const [left, right] = split(h, 1, [1, 2]) as [Tensor, Tensor];
    expect(() => region(left, (inside) => multiply(inside, right), { recompute: false })).toThrow('otherwise than');
  });

  it('does not stop a gradient at an inner stopGradient only', async () => {
    const y = region(h, (inside) => multiply(inside, stopGradient(inside)), { recompute: true });
    const [gradient] = gradients([[sum(y), constant(1)]], [h]);
    const { g } = await run({ g: gradient! }, feeds, options);
    g!.data.forEach((value, i) => {
      expect(value).toBeCloseTo(Math.tanh(feeds.x.data[i]!), 5);
    });
  });
});
