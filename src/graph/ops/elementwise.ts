import { apply, define } from '../apply.js';
import { type Dim, sameDim } from '../dim.js';
import { type DType, fail, type Tensor } from '../tensor.js';
import { constant } from './leaf.js';
import { sumTo } from './reduce.js';

/** Shape of two tensors broadcast against each other by NumPy's rule; null when they do not fit. */
export function broadcastShape(a: readonly Dim[], b: readonly Dim[]): readonly Dim[] | null {
  const rank = Math.max(a.length, b.length);
  const shape: Dim[] = [];
  for (let i = 0; i < rank; i++) {
    const x = a[a.length - rank + i] ?? 1;
    const y = b[b.length - rank + i] ?? 1;
    if (sameDim(x, y) || y === 1) shape.push(x);
    else if (x === 1) shape.push(y);
    else return null;
  }
  return shape;
}

type UnaryGradient = (gradient: Tensor, x: Tensor, y: Tensor) => Tensor;

function unary(name: string, onnx: string, gradient: UnaryGradient): (x: Tensor) => Tensor {
  const definition = define({
    name,
    infer(inputs) {
      const [x] = inputs;
      if (x!.dtype !== 'float32') fail(name, inputs, 'takes float32');
      return [{ dtype: 'float32', shape: x!.shape }];
    },
    gradient: ({ gradients, inputs, outputs }) => [gradient(gradients[0]!, inputs[0]!, outputs[0]!)],
    lower: ({ emit, inputs }) => emit(onnx, inputs),
  });
  return (x) => apply(definition, [x]);
}

type BinaryGradient = (gradient: Tensor, a: Tensor, b: Tensor, y: Tensor) => Tensor;

function binary(
  name: string,
  onnx: string,
  gradients: readonly [BinaryGradient, BinaryGradient] | null,
  result: DType = 'float32',
): (a: Tensor | number, b: Tensor | number) => Tensor {
  const definition = define({
    name,
    infer(inputs) {
      const [a, b] = inputs as readonly [Tensor, Tensor];
      if (a.dtype !== b.dtype || a.dtype === 'bool') fail(name, inputs, 'takes two tensors of one number type');
      const shape = broadcastShape(a.shape, b.shape);
      if (!shape) fail(name, inputs, 'the shapes do not broadcast');
      return [{ dtype: result === 'bool' ? 'bool' : a.dtype, shape }];
    },
    ...(gradients && {
      gradient: ({ gradients: [gy], inputs, outputs, needs }) =>
        gradients.map((rule, i) =>
          needs[i] ? sumTo(rule(gy!, inputs[0]!, inputs[1]!, outputs[0]!), inputs[i]!.shape) : null,
        ),
    }),
    lower: ({ emit, inputs }) => emit(onnx, inputs),
  });
  const lift = (value: Tensor | number): Tensor => (typeof value === 'number' ? constant(value) : value);
  return (a, b) => apply(definition, [lift(a), lift(b)]);
}

export const add = binary('add', 'Add', [(g) => g, (g) => g]);
export const subtract = binary('subtract', 'Sub', [(g) => g, (g) => negate(g)]);
export const multiply = binary('multiply', 'Mul', [(g, _, b) => multiply(g, b), (g, a) => multiply(g, a)]);
export const divide = binary('divide', 'Div', [
  (g, _, b) => divide(g, b),
  (g, _, b, y) => negate(divide(multiply(g, y), b)),
]);
export const greater = binary('greater', 'Greater', null, 'bool');
export const less = binary('less', 'Less', null, 'bool');

/** Gradient goes to the smaller argument; at a tie half to each, as in PyTorch. */
export const minimum = binary('minimum', 'Min', [
  (g, a, b) => multiply(g, tieShare(a, b)),
  (g, a, b) => multiply(g, tieShare(b, a)),
]);
export const maximum = binary('maximum', 'Max', [
  (g, a, b) => multiply(g, tieShare(b, a)),
  (g, a, b) => multiply(g, tieShare(a, b)),
]);

function tieShare(winner: Tensor, loser: Tensor): Tensor {
  return where(less(winner, loser), constant(1), where(less(loser, winner), constant(0), constant(0.5)));
}

export const negate = unary('negate', 'Neg', (g) => negate(g));
export const exp = unary('exp', 'Exp', (g, _, y) => multiply(g, y));
export const log = unary('log', 'Log', (g, x) => divide(g, x));
export const sqrt = unary('sqrt', 'Sqrt', (g, _, y) => divide(g, multiply(2, y)));
export const sigmoid = unary('sigmoid', 'Sigmoid', (g, _, y) => multiply(g, multiply(y, subtract(1, y))));
export const softplus = unary('softplus', 'Softplus', (g, x) => multiply(g, sigmoid(x)));
export const tanh = unary('tanh', 'Tanh', (g, _, y) => multiply(g, subtract(1, multiply(y, y))));

/** log σ(x) without overflow. */
export const logSigmoid = (x: Tensor): Tensor => negate(softplus(negate(x)));

/** x · σ(x) (Ramachandran et al. 2017). */
export const silu = (x: Tensor): Tensor => apply(siluOp, [x]);

const siluOp = define({
  name: 'silu',
  infer(inputs) {
    const [x] = inputs;
    if (x!.dtype !== 'float32') fail('silu', inputs, 'takes float32');
    return [{ dtype: 'float32', shape: x!.shape }];
  },
  gradient({ gradients: [g], inputs: [x], outputs: [y] }) {
    const s = sigmoid(x!);
    return [multiply(g!, add(s, multiply(y!, subtract(1, s))))];
  },
  lower({ emit, inputs }) {
    const [s] = emit('Sigmoid', inputs);
    return emit('Mul', [inputs[0]!, s!]);
  },
});

/** Values between the bounds pass, others stop at them; the gradient is 1 inside (bounds included) and 0 outside. */
export const clamp = (x: Tensor, low: Tensor | number, high: Tensor | number): Tensor => {
  const [lowT, highT] = [low, high].map((bound) => (typeof bound === 'number' ? constant(bound) : bound)) as [
    Tensor,
    Tensor,
  ];
  return where(less(x, lowT), lowT, where(greater(x, highT), highT, x));
};

const whereOp = define({
  name: 'where',
  infer(inputs) {
    const [condition, a, b] = inputs as readonly [Tensor, Tensor, Tensor];
    if (condition.dtype !== 'bool' || a.dtype !== b.dtype) fail('where', inputs, 'takes a bool and two of one type');
    const branches = broadcastShape(a.shape, b.shape);
    const shape = branches && broadcastShape(condition.shape, branches);
    if (!shape) fail('where', inputs, 'the shapes do not broadcast');
    return [{ dtype: a.dtype, shape }];
  },
  gradient: ({ gradients: [g], inputs: [condition, a, b], needs }) => [
    null,
    needs[1] ? sumTo(where(condition!, g!, constant(0)), a!.shape) : null,
    needs[2] ? sumTo(where(condition!, constant(0), g!), b!.shape) : null,
  ],
  lower: ({ emit, inputs }) => emit('Where', inputs),
});

export function where(condition: Tensor, a: Tensor, b: Tensor): Tensor {
  return apply(whereOp, [condition, a, b]);
}

const stopOp = define({
  name: 'stopGradient',
  infer: ([x]) => [x!],
  lower: ({ inputs }) => [inputs[0]!],
});

/** The same value, through which no gradient flows. */
export const stopGradient = (x: Tensor): Tensor => apply(stopOp, [x]);
