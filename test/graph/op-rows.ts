import fc from 'fast-check';
import * as graph from '../../src/graph/index.js';
import { addDims, type Dim, type DType, multiplyDims, type Tensor } from '../../src/graph/index.js';
import * as reference from './reference.js';
import { concat, count, indices, pointwise, reduce, tabulate, transpose, window } from './reference.js';
import type { Value } from './run.js';

/** How the elements of an input are drawn. `grid` puts whole numbers plus an offset, so that two grids never tie. */
export type Elements =
  | { readonly kind: 'any' | 'positive' | 'nonzero' }
  | { readonly kind: 'grid'; readonly offset: number }
  | { readonly kind: 'given'; readonly data: readonly number[] };

export interface InputSpec {
  readonly dtype: DType;
  readonly shape: readonly Dim[];
  readonly elements: Elements;
  /** A float input that wants no gradient. */
  readonly frozen?: boolean;
}

/** One use of an op: its inputs, the graph, and the same in plain loops. */
export interface Instance {
  readonly inputs: readonly InputSpec[];
  build(tensors: readonly Tensor[]): readonly Tensor[];
  reference(values: readonly Value[]): readonly Value[];
}

/** Turns a size into a dimension: itself, or a symbol that stands for it. */
export type ToDim = (size: number) => Dim;

export interface OpRow {
  /** The registered ops that the row exercises. */
  readonly ops: readonly string[];
  readonly label: string;
  /** Whether a gradient flows to the float inputs; where not, none may be returned. */
  readonly differentiable: boolean;
  readonly instances: fc.Arbitrary<(dim: ToDim) => Instance>;
}

const row = <P>(
  ops: string | readonly string[],
  params: fc.Arbitrary<P>,
  make: (params: P, dim: ToDim) => Instance,
  { differentiable = true, label = '' } = {},
): OpRow => {
  const names = typeof ops === 'string' ? [ops] : ops;
  const instances = params.map((p) => (dim: ToDim) => make(p, dim));
  return { ops: names, label: label || names.join(', '), differentiable, instances };
};

const size = fc.integer({ min: 1, max: 4 });
const shapeOf = (minLength: number, maxLength: number): fc.Arbitrary<number[]> =>
  fc.array(size, { minLength, maxLength });

const any: Elements = { kind: 'any' };
const float = (shape: readonly Dim[], elements: Elements = any): InputSpec => ({ dtype: 'float32', shape, elements });
const ints = (shape: readonly Dim[], data: readonly number[]): InputSpec => ({
  dtype: 'int64',
  shape,
  elements: { kind: 'given', data },
});
const bools = (shape: readonly Dim[], data: readonly boolean[]): InputSpec => ({
  dtype: 'bool',
  shape,
  elements: { kind: 'given', data: data.map(Number) },
});
const below = (limit: number, length: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: 0, max: limit - 1 }), { minLength: length, maxLength: length });

function unary(
  op: string,
  build: (x: Tensor) => Tensor,
  f: (x: number) => number,
  elements: Elements = any,
  differentiable = true,
): OpRow {
  return row(
    op,
    shapeOf(0, 3),
    (shape, dim) => ({
      inputs: [float(shape.map(dim), elements)],
      build: ([x]) => [build(x!)],
      reference: ([x]) => [pointwise(f, x!)],
    }),
    { differentiable },
  );
}

/** Shapes that broadcast against each other: each drops leading axes of a common one and shrinks some axes to 1. */
const broadcasting = (operands: number): fc.Arbitrary<number[][]> =>
  shapeOf(0, 3).chain((full) =>
    fc.array(
      fc
        .record({
          drop: fc.integer({ min: 0, max: full.length }),
          ones: fc.array(fc.boolean(), { minLength: full.length, maxLength: full.length }),
        })
        .map(({ drop, ones }) => full.map((n, i) => (ones[i] ? 1 : n)).slice(drop)),
      { minLength: operands, maxLength: operands },
    ),
  );

function binary(
  op: string,
  build: (a: Tensor, b: Tensor) => Tensor,
  f: (a: number, b: number) => number,
  elements: readonly [Elements, Elements] = [any, any],
  differentiable = true,
): OpRow {
  return row(
    op,
    broadcasting(2),
    ([a, b], dim) => ({
      inputs: [float(a!.map(dim), elements[0]), float(b!.map(dim), elements[1])],
      build: ([x, y]) => [build(x!, y!)],
      reference: ([x, y]) => [pointwise(f, x!, y!)],
    }),
    { differentiable },
  );
}

const grids: readonly [Elements, Elements] = [
  { kind: 'grid', offset: 0.25 },
  { kind: 'grid', offset: 0.75 },
];
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

const elementwise: readonly OpRow[] = [
  binary('add', graph.add, (a, b) => a + b),
  binary('subtract', graph.subtract, (a, b) => a - b),
  binary('multiply', graph.multiply, (a, b) => a * b),
  binary('divide', graph.divide, (a, b) => a / b, [any, { kind: 'nonzero' }]),
  binary('greater', graph.greater, (a, b) => Number(a > b), grids, false),
  binary('less', graph.less, (a, b) => Number(a < b), grids, false),
  binary('minimum', graph.minimum, Math.min, grids),
  binary('maximum', graph.maximum, Math.max, grids),
  unary('negate', graph.negate, (x) => -x),
  unary('exp', graph.exp, Math.exp),
  unary('log', graph.log, Math.log, { kind: 'positive' }),
  unary('sqrt', graph.sqrt, Math.sqrt, { kind: 'positive' }),
  unary('sigmoid', graph.sigmoid, sigmoid),
  unary('softplus', graph.softplus, (x) => Math.log1p(Math.exp(x))),
  unary('tanh', graph.tanh, Math.tanh),
  unary('silu', graph.silu, (x) => x * sigmoid(x)),
  unary('stopGradient', graph.stopGradient, (x) => x, any, false),
  row(
    'where',
    broadcasting(3).chain((shapes) =>
      fc.tuple(
        fc.constant(shapes),
        fc.array(fc.boolean(), { minLength: count(shapes[0]!), maxLength: count(shapes[0]!) }),
      ),
    ),
    ([[condition, a, b], chosen], dim) => ({
      inputs: [bools(condition!.map(dim), chosen), float(a!.map(dim)), float(b!.map(dim))],
      build: ([c, x, y]) => [graph.where(c!, x!, y!)],
      reference: ([c, x, y]) => [pointwise((p, q, r) => (p ? q! : r!), c!, x!, y!)],
    }),
  ),
  row(
    'where',
    fc.tuple(broadcasting(3), fc.boolean()),
    ([[shape, low, high], numbers], dim) => ({
      inputs: [
        float(shape!.map(dim), { kind: 'grid', offset: 0.5 }),
        ...(numbers
          ? []
          : [
              float(low!.map(dim), { kind: 'given', data: tabulate(low!, ([i]) => -2 + ((i ?? 0) % 2)).data }),
              float(high!.map(dim), { kind: 'given', data: tabulate(high!, ([i]) => 2 - ((i ?? 0) % 2)).data }),
            ]),
      ],
      build: ([x, a, b]) => [graph.clamp(x!, a ?? -1, b ?? 1)],
      reference: ([x, a = { shape: [], data: [-1] }, b = { shape: [], data: [1] }]) => [
        pointwise((p, q, r) => Math.min(Math.max(p!, q!), r!), x!, a, b),
      ],
    }),
    { label: 'clamp' },
  ),
];

/** A shape and some of its axes, each counted from the front or from the back. */
const withAxes = (least: number): fc.Arbitrary<{ shape: number[]; axes: number[]; keep: boolean }> =>
  shapeOf(least, 4).chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      keep: fc.boolean(),
      axes: fc
        .shuffledSubarray(
          shape.map((_, i) => i),
          { minLength: least },
        )
        .chain((axes) =>
          fc
            .array(fc.boolean(), { minLength: axes.length, maxLength: axes.length })
            .map((back) => axes.map((axis, i) => (back[i] ? axis - shape.length : axis))),
        ),
    }),
  );

const plus = (a: number, b: number): number => a + b;

const reductions: readonly OpRow[] = [
  row('sum', withAxes(0), ({ shape, axes, keep }, dim) => ({
    inputs: [float(shape.map(dim))],
    build: ([x]) => [graph.sum(x!, axes, { keep }), graph.sum(x!)],
    reference: ([x]) => [
      reduce(x!, axes, keep, plus),
      reduce(
        x!,
        shape.map((_, i) => i),
        false,
        plus,
      ),
    ],
  })),
  row(
    ['sum', 'size'],
    withAxes(0),
    ({ shape, axes, keep }, dim) => ({
      inputs: [float(shape.map(dim))],
      build: ([x]) => [graph.mean(x!, axes, { keep })],
      reference: ([x]) => {
        const cells = axes.map((axis) => shape.at(axis)!).reduce((a, b) => a * b, 1);
        return [pointwise((total) => total / cells, reduce(x!, axes, keep, plus))];
      },
    }),
    { label: 'mean' },
  ),
  row(
    'max',
    withAxes(0),
    ({ shape, axes, keep }, dim) => ({
      inputs: [float(shape.map(dim))],
      build: ([x]) => [graph.max(x!, axes, { keep })],
      reference: ([x]) => [reduce(x!, axes, keep, Math.max)],
    }),
    { differentiable: false },
  ),
  row(
    'size',
    shapeOf(0, 3),
    (shape, dim) => ({
      inputs: [],
      build: () => [graph.sizeOf(shape.map(dim)), graph.sizeOf(shape.map(dim), 'int64')],
      reference: () => [
        { shape: [], data: [count(shape)] },
        { shape: [], data: [count(shape)] },
      ],
    }),
    { differentiable: false },
  ),
];

const factor = fc.constantFrom(1, 0.5, -2);

const matrices: readonly OpRow[] = [
  row('matmul', fc.tuple(broadcasting(2), size, size, size), ([[a, b], m, k, n], dim) => ({
    inputs: [float([...a!, m, k].map(dim)), float([...b!, k, n].map(dim))],
    build: ([x, y]) => [graph.matmul(x!, y!)],
    reference: ([x, y]) => [reference.matmul(x!, y!)],
  })),
  row('gemm', fc.tuple(size, size, size, fc.boolean(), fc.boolean(), factor), ([m, k, n, ta, tb, scale], dim) => ({
    inputs: [float((ta ? [k, m] : [m, k]).map(dim)), float((tb ? [n, k] : [k, n]).map(dim))],
    build: ([x, y]) => [graph.gemm(x!, y!, ta, tb, scale)],
    reference: ([x, y]) => [
      pointwise(
        (value) => scale * value,
        reference.matmul(ta ? transpose(x!, [1, 0]) : x!, tb ? transpose(y!, [1, 0]) : y!),
      ),
    ],
  })),
  row(
    ['gemm', 'transpose'],
    fc.tuple(size, size, size),
    ([m, k, n], dim) => ({
      inputs: [float([m, k].map(dim)), float([n, k].map(dim))],
      build: ([x, w]) => [graph.linear(x!, w!), graph.swapLast(w!)],
      reference: ([x, w]) => [reference.matmul(x!, transpose(w!, [1, 0])), transpose(w!, [1, 0])],
    }),
    { label: 'linear, swapLast' },
  ),
];

/** A matrix product plus something, which may be written as one node. */
const sums: readonly OpRow[] = [
  row(
    ['gemm', 'add'],
    fc.tuple(
      size,
      size,
      size,
      factor,
      fc.constantFrom('bias', 'matrix', 'column', 'scalar', 'product', 'itself'),
      fc.boolean(),
    ),
    ([m, k, n, scale, addend, first], dim) => {
      const extra: Record<string, number[][]> = {
        bias: [[n]],
        matrix: [[m, n]],
        column: [[m, 1]],
        scalar: [[]],
        product: [
          [m, k],
          [n, k],
        ],
        itself: [],
      };
      return {
        inputs: [[m, k], [n, k], ...extra[addend]!].map((shape) => float(shape.map(dim))),
        build: ([x, w, a, b]) => {
          const product = graph.gemm(x!, w!, false, true, scale);
          const other = a ? (b ? graph.linear(a, b) : a) : product;
          return [first ? graph.add(product, other) : graph.add(other, product)];
        },
        reference: ([x, w, a, b]) => {
          const product = pointwise((value) => scale * value, reference.matmul(x!, transpose(w!, [1, 0])));
          const other = a ? (b ? reference.matmul(a, transpose(b, [1, 0])) : a) : product;
          return [pointwise(plus, product, other)];
        },
      };
    },
    { label: 'sums of a matrix product' },
  ),
];

const withPermutation: fc.Arbitrary<[number[], number[]]> = shapeOf(0, 4).chain((shape) => {
  const axes = shape.map((_, i) => i);
  return fc.tuple(fc.constant(shape), fc.shuffledSubarray(axes, { minLength: axes.length }));
});

const withAxis: fc.Arbitrary<[number[], number]> = shapeOf(1, 4).chain((shape) =>
  fc.tuple(fc.constant(shape), fc.integer({ min: 0, max: shape.length - 1 })),
);

const replace = <T>(list: readonly T[], i: number, item: T): T[] => list.map((old, j) => (j === i ? item : old));

const shapes: readonly OpRow[] = [
  row(
    'reshape',
    fc.tuple(shapeOf(3, 3), fc.constantFrom('flat', 'merge', 'cut', 'unsqueeze') as fc.Arbitrary<string>),
    ([[a, b, c], way], dim) => {
      const [A, B, C] = [a!, b!, c!].map(dim) as [Dim, Dim, Dim];
      const ways: Record<string, readonly [Dim[], Dim[], number[]]> = {
        flat: [[A, B, C], [multiplyDims(A, B, C)], [a! * b! * c!]],
        merge: [
          [A, B, C],
          [multiplyDims(A, B), C],
          [a! * b!, c!],
        ],
        cut: [
          [multiplyDims(A, B), C],
          [A, B, C],
          [a!, b!, c!],
        ],
        unsqueeze: [
          [A, B, C],
          [A, 1, B, C, 1],
          [a!, 1, b!, c!, 1],
        ],
      };
      const [from, to, shape] = ways[way]!;
      return {
        inputs: [float(from)],
        build: ([x]) => [graph.reshape(x!, to)],
        reference: ([x]) => [{ shape, data: x!.data }],
      };
    },
  ),
  row(
    'expand',
    broadcasting(1).chain(([shape]) =>
      fc.tuple(fc.constant(shape!), shapeOf(0, 2), shapeOf(shape!.length, shape!.length)),
    ),
    ([shape, lead, wide], dim) => {
      const to = [...lead, ...shape.map((n, i) => (n === 1 ? wide[i]! : n))];
      return {
        inputs: [float(shape.map(dim))],
        build: ([x]) => [graph.expand(x!, to.map(dim))],
        reference: ([x]) => [tabulate(to, (index) => reference.at(x!, index))],
      };
    },
  ),
  row('transpose', withPermutation, ([shape, order], dim) => ({
    inputs: [float(shape.map(dim))],
    build: ([x]) => [graph.transpose(x!, order)],
    reference: ([x]) => [transpose(x!, order)],
  })),
  row(
    'slice',
    fc.tuple(withAxis, fc.integer({ min: 0, max: 2 }), size, fc.integer({ min: 0, max: 2 })),
    ([[shape, axis], before, length, rest], dim) => {
      const [start, end] = [dim(before), addDims(dim(before), dim(length))];
      return {
        inputs: [float(replace(shape.map(dim), axis, addDims(end, dim(rest))))],
        build: ([x]) => [graph.slice(x!, axis, start, end)],
        reference: ([x]) => [window(x!, axis, before, before + length)],
      };
    },
  ),
  row(
    'pad',
    fc.tuple(withAxis, fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
    ([[shape, axis], before, after], dim) => ({
      inputs: [float(shape.map(dim))],
      build: ([x]) => [graph.padAxis(x!, axis, dim(before), dim(after))],
      reference: ([x]) => [window(x!, axis, -before, shape[axis]! + after)],
    }),
  ),
  row('concat', fc.tuple(withAxis, fc.array(size, { minLength: 1, maxLength: 3 })), ([[shape, axis], sizes], dim) => ({
    inputs: sizes.map((n) => float(replace(shape, axis, n).map(dim))),
    build: (parts) => [graph.concat(parts, axis)],
    reference: (parts) => [concat(parts, axis)],
  })),
  row(
    'split',
    fc
      .tuple(withAxis, fc.array(size, { minLength: 1, maxLength: 3 }))
      .chain(([where, sizes]) =>
        fc.tuple(fc.constant(where), fc.constant(sizes), fc.subarray([...sizes.keys()], { minLength: 1 })),
      ),
    ([[shape, axis], sizes, used], dim) => {
      const starts = sizes.map((_, i) => sizes.slice(0, i).reduce(plus, 0));
      return {
        inputs: [float(replace(shape.map(dim), axis, addDims(...sizes.map(dim))))],
        build: ([x]) => {
          const parts = graph.split(x!, axis, sizes.map(dim));
          return used.map((i) => parts[i]!);
        },
        reference: ([x]) => used.map((i) => window(x!, axis, starts[i]!, starts[i]! + sizes[i]!)),
      };
    },
    { label: 'split, some parts unused' },
  ),
];

const gathers: readonly OpRow[] = [
  row(
    'gatherRows',
    fc.tuple(size, shapeOf(0, 2), shapeOf(0, 2)).chain(([rows, rest, index]) =>
      fc.record({
        rows: fc.constant(rows),
        rest: fc.constant(rest),
        index: fc.constant(index),
        at: below(rows, count(index)),
      }),
    ),
    ({ rows, rest, index, at }, dim) => ({
      inputs: [float([rows, ...rest].map(dim)), ints(index.map(dim), at)],
      build: ([x, i]) => [graph.gatherRows(x!, i!)],
      reference: ([x, i]) => [reference.gatherRows(x!, i!)],
    }),
  ),
  row(
    'scatterRows',
    fc.tuple(size, size, shapeOf(0, 2)).chain(([given, rows, rest]) =>
      fc.record({
        given: fc.constant(given),
        rows: fc.constant(rows),
        rest: fc.constant(rest),
        at: below(rows, given),
      }),
    ),
    ({ given, rows, rest, at }, dim) => ({
      inputs: [float([given, ...rest].map(dim)), ints([dim(given)], at)],
      build: ([x, i]) => [graph.scatterRows(x!, i!, dim(rows))],
      reference: ([x, i]) => [reference.scatterRows(x!, i!, rows)],
    }),
  ),
  row(
    'replaceRows',
    shapeOf(1, 3).chain((shape) =>
      fc.record({
        shape: fc.constant(shape),
        at: fc.shuffledSubarray([...new Array(shape[0]!).keys()], { minLength: 1 }),
      }),
    ),
    ({ shape, at }, dim) => ({
      inputs: [float(shape.map(dim)), ints([dim(at.length)], at), float([at.length, ...shape.slice(1)].map(dim))],
      build: ([x, index, rows]) => [graph.replaceRows(x!, index!, rows!)],
      reference: ([x, index, rows]) => [reference.replaceRows(x!, index!, rows!)],
    }),
  ),
  row(
    'pick',
    shapeOf(1, 3).chain((shape) => fc.tuple(fc.constant(shape), below(shape.at(-1)!, count(shape.slice(0, -1))))),
    ([shape, at], dim) => ({
      inputs: [float(shape.map(dim)), ints(shape.slice(0, -1).map(dim), at)],
      build: ([x, i]) => [graph.pick(x!, i!)],
      reference: ([x, i]) => [
        tabulate(shape.slice(0, -1), (index) => reference.at(x!, [...index, reference.at(i!, index)])),
      ],
    }),
  ),
  row(
    'addPicked',
    shapeOf(1, 3).chain((shape) => fc.tuple(fc.constant(shape), below(shape.at(-1)!, count(shape.slice(0, -1))))),
    ([shape, at], dim) => {
      const lead = shape.slice(0, -1);
      return {
        inputs: [float(shape.map(dim)), ints(lead.map(dim), at), float(lead.map(dim))],
        build: ([x, i, value]) => [graph.addPicked(x!, i!, value!)],
        reference: ([x, i, value]) => [
          tabulate(shape, (index) => {
            const m = index.slice(0, -1);
            return reference.at(x!, index) + (reference.at(i!, m) === index.at(-1) ? reference.at(value!, m) : 0);
          }),
        ],
      };
    },
  ),
];

const epsilon = 1e-5;

const neural: readonly OpRow[] = [
  row('softmax', shapeOf(1, 3), (shape, dim) => ({
    inputs: [float(shape.map(dim))],
    build: ([x]) => [graph.softmax(x!)],
    reference: ([x]) => [reference.softmax(x!)],
  })),
  row('rmsNorm', shapeOf(1, 3), (shape, dim) => ({
    inputs: [float(shape.map(dim), { kind: 'nonzero' }), float([dim(shape.at(-1)!)])],
    build: ([x, w]) => [graph.rmsNorm(x!, w!, epsilon)],
    reference: ([x, w]) => {
      const squares = reduce(
        pointwise((a) => a * a, x!),
        [-1],
        true,
        plus,
      );
      return [pointwise((a, b, s) => (a! * b!) / Math.sqrt(s! / shape.at(-1)! + epsilon), x!, w!, squares)];
    },
  })),
  row(
    'rotary',
    fc.record({
      batch: size,
      heads: size,
      length: size,
      half: fc.constantFrom(1, 2, 4),
      extra: fc.integer({ min: 0, max: 2 }),
      flat: fc.boolean(),
      seed: fc.nat(),
    }),
    ({ batch, heads, length, half, extra, flat, seed }, dim) => {
      const width = 2 * half;
      const rows = length + extra;
      const angles = (f: (x: number) => number): Elements => ({
        kind: 'given',
        data: indices([rows, half]).map(([r, c]) => f(r! / 3 ** c!)),
      });
      const [B, H, L] = [batch, heads, length].map(dim) as [Dim, Dim, Dim];
      return {
        inputs: [
          float(flat ? [B, L, multiplyDims(H, width)] : [B, H, L, width]),
          ints(
            [B, L],
            indices([batch, length]).map(([b, l]) => (seed + 3 * b! + 5 * l!) % rows),
          ),
          { ...float([dim(rows), half], angles(Math.cos)), frozen: true },
          { ...float([dim(rows), half], angles(Math.sin)), frozen: true },
        ],
        build: ([x, positions, cos, sin]) => [graph.rotary(x!, positions!, cos!, sin!)],
        reference: ([x, positions, cos, sin]) => [reference.rotary(x!, positions!, cos!, sin!)],
      };
    },
  ),
  row(
    'cumulativeSum',
    shapeOf(1, 3),
    (shape, dim) => ({
      inputs: [float(shape.map(dim))],
      build: ([x]) => [graph.cumulativeSum(x!)],
      reference: ([x]) => [
        tabulate(shape, (index) => {
          let total = 0;
          for (let i = 0; i <= index.at(-1)!; i++) total += reference.at(x!, [...index.slice(0, -1), i]);
          return total;
        }),
      ],
    }),
    { differentiable: false },
  ),
  row(
    'floorToInt',
    shapeOf(0, 3),
    (shape, dim) => ({
      inputs: [float(shape.map(dim), { kind: 'nonzero' })],
      build: ([x]) => [graph.floorToInt(x!)],
      reference: ([x]) => [pointwise((a) => Math.floor(a), x!)],
    }),
    { differentiable: false },
  ),
  row(
    'argmax',
    shapeOf(1, 3),
    (shape, dim) => ({
      inputs: [float(shape.map(dim))],
      build: ([x]) => [graph.argmax(x!)],
      reference: ([x]) => {
        const high = reduce(x!, [-1], false, Math.max);
        return [
          tabulate(shape.slice(0, -1), (index) => {
            const last = [...new Array(shape.at(-1)!).keys()];
            return last.find((i) => reference.at(x!, [...index, i]) === reference.at(high, index))!;
          }),
        ];
      },
    }),
    { differentiable: false },
  ),
];

const leaves: readonly OpRow[] = [
  row(
    'input',
    fc.tuple(shapeOf(0, 3), fc.constantFrom<DType>('float32', 'int64', 'bool')),
    ([shape, dtype], dim) => ({
      inputs: [
        {
          dtype,
          shape: shape.map(dim),
          elements: { kind: 'given', data: indices(shape).map((_, i) => i % 2) },
          frozen: true,
        },
      ],
      build: (inputs) => inputs,
      reference: (values) => values,
    }),
    { differentiable: false },
  ),
  row(
    'constant',
    fc.tuple(
      shapeOf(0, 2).chain((shape) =>
        fc.tuple(fc.constant(shape), fc.array(fc.integer(), { minLength: count(shape), maxLength: count(shape) })),
      ),
      fc.integer(),
    ),
    ([[shape, data], scalar]) => ({
      inputs: [],
      build: () => [
        graph.constantInt(data, shape),
        graph.constantInt(data),
        graph.constant(
          data.map((x) => x % 4096),
          shape,
        ),
        graph.constant(scalar % 4096),
      ],
      reference: () => [
        { shape, data },
        { shape: [data.length], data },
        { shape, data: data.map((x) => x % 4096) },
        { shape: [], data: [scalar % 4096] },
      ],
    }),
    { differentiable: false },
  ),
  row(
    'fill',
    fc.tuple(shapeOf(0, 3), fc.integer({ min: -9, max: 9 })),
    ([shape, value], dim) => ({
      inputs: [],
      build: () => [graph.fill(value, shape.map(dim))],
      reference: () => [tabulate(shape, () => value)],
    }),
    { differentiable: false },
  ),
];

const structure: readonly OpRow[] = [
  row('corner', fc.tuple(shapeOf(0, 3), fc.array(shapeOf(0, 3), { maxLength: 3 })), ([shape, others], dim) => ({
    inputs: [float(shape.map(dim)), ...others.map((other) => ({ ...float(other.map(dim)), frozen: true }))],
    build: ([x, ...rest]) => [graph.after(x!, rest)],
    reference: ([x]) => [x!],
  })),
  row(['region', 'boundary'], fc.tuple(shapeOf(1, 3), fc.boolean()), ([shape, recompute], dim) => ({
    inputs: [float(shape.map(dim)), float([dim(shape.at(-1)!)])],
    build: ([x, w]) => [graph.region(x!, (inside) => graph.tanh(graph.multiply(inside, w!)), { recompute })],
    reference: ([x, w]) => [pointwise((a, b) => Math.tanh(a * b), x!, w!)],
  })),
  row('custom', shapeOf(0, 3), (shape, dim) => ({
    inputs: [float(shape.map(dim)), float(shape.map(dim))],
    build: ([x, y]) => [
      graph.withGradient(graph.multiply(x!, y!), [x!, y!], (g, needs) => [
        needs[0] ? graph.multiply(g, y!) : null,
        needs[1] ? graph.multiply(g, x!) : null,
      ]),
    ],
    reference: ([x, y]) => [pointwise((a, b) => a * b, x!, y!)],
  })),
];

export const opRows: readonly OpRow[] = [
  ...leaves,
  ...elementwise,
  ...reductions,
  ...matrices,
  ...sums,
  ...shapes,
  ...gathers,
  ...neural,
  ...structure,
];
