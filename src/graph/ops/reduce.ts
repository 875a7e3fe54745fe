import { apply, define } from '../apply.js';
import { type Dim, sameDim, sameShape } from '../dim.js';
import { fail, type OpDefinition, type Tensor } from '../tensor.js';
import { divide, stopGradient } from './elementwise.js';
import { constant } from './leaf.js';
import { expand, reshape, sizeOf } from './shape.js';

const normalizeAxes = (axes: readonly number[], rank: number): number[] =>
  axes.map((axis) => (axis < 0 ? axis + rank : axis)).sort((a, b) => a - b);

const keptShape = (shape: readonly Dim[], axes: readonly number[]): Dim[] =>
  shape.map((dim, i) => (axes.includes(i) ? 1 : dim));

function reduction(name: string, onnx: string, gradient?: OpDefinition['gradient']): OpDefinition {
  return define({
    name,
    infer(inputs, { axes, keep }) {
      const { shape, dtype } = inputs[0]!;
      const list = axes as readonly number[];
      if (dtype !== 'float32') fail(name, inputs, 'takes float32');
      const missing = list.find((axis) => axis < 0 || axis >= shape.length);
      if (missing !== undefined) fail(name, inputs, `has no axis ${missing < 0 ? missing - shape.length : missing}`);
      if (new Set(list).size < list.length) fail(name, inputs, `was given an axis twice: ${list.join(', ')}`);
      const kept = keptShape(shape, list);
      return [{ dtype: 'float32', shape: keep ? kept : kept.filter((_, i) => !list.includes(i)) }];
    },
    ...(gradient && { gradient }),
    lower({ emit, inputs, integers, node }) {
      const { axes, keep } = node.attributes;
      return emit(onnx, [inputs[0]!, integers(axes as readonly number[])], { keepdims: keep ? 1 : 0 });
    },
  });
}

const spread = (gradient: Tensor, x: Tensor, axes: readonly number[]): Tensor =>
  expand(reshape(gradient, keptShape(x.shape, axes)), x.shape);

const sumOp = reduction('sum', 'ReduceSum', ({ gradients: [g], inputs: [x], node }) => [
  spread(g!, x!, node.attributes.axes as readonly number[]),
]);
const maxOp = reduction('max', 'ReduceMax');

interface ReduceOptions {
  /** Keep the reduced axes with size 1. Default false. */
  readonly keep?: boolean;
}

const allAxes = (x: Tensor): number[] => x.shape.map((_, i) => i);

export function sum(x: Tensor, axes: readonly number[] = allAxes(x), { keep = false }: ReduceOptions = {}): Tensor {
  if (axes.length === 0) return x;
  return apply(sumOp, [x], { axes: normalizeAxes(axes, x.shape.length), keep });
}

export function mean(x: Tensor, axes: readonly number[] = allAxes(x), options: ReduceOptions = {}): Tensor {
  const list = normalizeAxes(axes, x.shape.length);
  const counts = list.map((axis) => x.shape[axis]!);
  const known = counts.every((count) => typeof count === 'number');
  const total = known ? constant((counts as number[]).reduce((a, b) => a * b, 1)) : sizeOf(counts);
  return divide(sum(x, axes, options), total);
}

/** Largest value along the axes. No gradient flows through it. */
export function max(x: Tensor, axes: readonly number[], { keep = false }: ReduceOptions = {}): Tensor {
  if (axes.length === 0) return stopGradient(x);
  return apply(maxOp, [x], { axes: normalizeAxes(axes, x.shape.length), keep });
}

/** Sums a gradient over the axes along which a tensor of `shape` was broadcast. */
export function sumTo(gradient: Tensor, shape: readonly Dim[]): Tensor {
  if (sameShape(gradient.shape, shape)) return gradient;
  const lead = gradient.shape.length - shape.length;
  const axes = gradient.shape
    .map((dim, i) => (i < lead || (shape[i - lead] === 1 && !sameDim(dim, 1)) ? i : -1))
    .filter((axis) => axis >= 0);
  const summed = axes.length > 0 ? sum(gradient, axes, { keep: true }) : gradient;
  return lead > 0 ? reshape(summed, shape) : sameShape(summed.shape, shape) ? summed : expand(summed, shape);
}
