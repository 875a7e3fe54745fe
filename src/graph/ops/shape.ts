import { apply, applyAll, define } from '../apply.js';
import { addDims, type Dim, formatDim, formatShape, multiplyDims, sameDim, sameShape, subtractDims } from '../dim.js';
import { type DType, fail, type Tensor } from '../tensor.js';
import { broadcastShape } from './elementwise.js';
import { fill } from './leaf.js';
import { sumTo } from './reduce.js';

const reshapeOp = define({
  name: 'reshape',
  infer(inputs, { shape }) {
    const [x] = inputs;
    const to = shape as readonly Dim[];
    if (!sameDim(multiplyDims(...x!.shape), multiplyDims(...to))) {
      fail('reshape', inputs, `has another number of elements than ${formatShape(to)}`);
    }
    return [{ dtype: x!.dtype, shape: to }];
  },
  gradient: ({ gradients: [g], inputs: [x] }) => [reshape(g!, x!.shape)],
  lower: ({ emit, inputs, sizes, node }) =>
    emit('Reshape', [inputs[0]!, sizes(node.attributes.shape as readonly Dim[])]),
});

export function reshape(x: Tensor, shape: readonly Dim[]): Tensor {
  return sameShape(x.shape, shape) ? x : apply(reshapeOp, [x], { shape });
}

const expandOp = define({
  name: 'expand',
  infer(inputs, { shape }) {
    const to = broadcastShape(inputs[0]!.shape, shape as readonly Dim[]);
    if (!to || !sameShape(to, shape as readonly Dim[])) {
      fail('expand', inputs, `does not broadcast to ${formatShape(shape as readonly Dim[])}`);
    }
    return [{ dtype: inputs[0]!.dtype, shape: to }];
  },
  gradient: ({ gradients: [g], inputs: [x] }) => [sumTo(g!, x!.shape)],
  lower: ({ emit, inputs, sizes, node }) =>
    emit('Expand', [inputs[0]!, sizes(node.attributes.shape as readonly Dim[])]),
});

/** Broadcasts to a shape. */
export function expand(x: Tensor, shape: readonly Dim[]): Tensor {
  return sameShape(x.shape, shape) ? x : apply(expandOp, [x], { shape });
}

const transposeOp = define({
  name: 'transpose',
  infer(inputs, { order }) {
    const { shape, dtype } = inputs[0]!;
    const axes = order as readonly number[];
    if ([...axes].sort((a, b) => a - b).join() !== shape.map((_, i) => i).join()) {
      fail('transpose', inputs, `the order [${axes.join(', ')}] is not a permutation of its axes`);
    }
    return [{ dtype, shape: axes.map((axis) => shape[axis]!) }];
  },
  gradient({ gradients: [g], node }) {
    const axes = node.attributes.order as readonly number[];
    return [
      transpose(
        g!,
        axes.map((_, i) => axes.indexOf(i)),
      ),
    ];
  },
  lower: ({ emit, inputs, node }) => emit('Transpose', inputs, { perm: node.attributes.order as readonly number[] }),
});

export function transpose(x: Tensor, order: readonly number[]): Tensor {
  return apply(transposeOp, [x], { order });
}

const sliceOp = define({
  name: 'slice',
  infer(inputs, { axis, start, end }) {
    const { shape, dtype } = inputs[0]!;
    const size = subtractDims(end as Dim, start as Dim);
    const total = shape[axis as number];
    if (total === undefined) fail('slice', inputs, `has no axis ${axis}`);
    // The runtime counts a negative bound from the end and cuts one that is too large.
    if ([start as Dim, size, subtractDims(total, end as Dim)].some(isNegative)) {
      fail('slice', inputs, `[${formatDim(start as Dim)}, ${formatDim(end as Dim)}) is out of axis ${axis}`);
    }
    return [{ dtype, shape: shape.map((dim, i) => (i === axis ? size : dim)) }];
  },
  gradient({ gradients: [g], inputs: [x], node }) {
    const { axis, start, end } = node.attributes as { axis: number; start: Dim; end: Dim };
    return [padAxis(g!, axis, start, subtractDims(x!.shape[axis]!, end))];
  },
  lower({ emit, inputs, sizes, integers, node }) {
    const { axis, start, end } = node.attributes as { axis: number; start: Dim; end: Dim };
    return emit('Slice', [inputs[0]!, sizes([start]), sizes([end]), integers([axis])]);
  },
});

const isNegative = (dim: Dim): boolean => typeof dim === 'number' && dim < 0;

/** Elements [start, end) along an axis. */
export function slice(x: Tensor, axis: number, start: Dim, end: Dim): Tensor {
  const whole = sameDim(start, 0) && sameDim(end, x.shape[axis] ?? -1);
  return whole ? x : apply(sliceOp, [x], { axis, start, end });
}

const padOp = define({
  name: 'pad',
  infer(inputs, { axis, before, after }) {
    const { shape, dtype } = inputs[0]!;
    if (shape[axis as number] === undefined) fail('pad', inputs, `has no axis ${axis}`);
    if ([before as Dim, after as Dim].some(isNegative)) fail('pad', inputs, 'takes counts of zero or more');
    return [{ dtype, shape: shape.map((dim, i) => (i === axis ? addDims(before as Dim, dim, after as Dim) : dim)) }];
  },
  gradient({ gradients: [g], inputs: [x], node }) {
    const { axis, before } = node.attributes as { axis: number; before: Dim };
    return [slice(g!, axis, before, addDims(before, x!.shape[axis]!))];
  },
  lower({ emit, inputs, sizes, node }) {
    const { axis, before, after } = node.attributes as { axis: number; before: Dim; after: Dim };
    const rank = node.inputs[0]!.shape.length;
    const at = (value: Dim): Dim[] => Array.from({ length: rank }, (_, i) => (i === axis ? value : 0));
    return emit('Pad', [inputs[0]!, sizes([...at(before), ...at(after)])]);
  },
});

/** Zeros before and after along an axis. */
export function padAxis(x: Tensor, axis: number, before: Dim, after: Dim): Tensor {
  return before === 0 && after === 0 ? x : apply(padOp, [x], { axis, before, after });
}

const concatOp = define({
  name: 'concat',
  infer(inputs, { axis }) {
    const [first] = inputs;
    if (first?.shape[axis as number] === undefined) fail('concat', inputs, `has no axis ${axis}`);
    for (const other of inputs) {
      const fits =
        other.shape.length === first.shape.length &&
        other.dtype === first.dtype &&
        other.shape.every((dim, i) => i === axis || sameDim(dim, first.shape[i]!));
      if (!fits) fail('concat', inputs, `the types or the shapes outside axis ${axis} differ`);
    }
    const total = addDims(...inputs.map((x) => x.shape[axis as number]!));
    return [{ dtype: first.dtype, shape: first.shape.map((dim, i) => (i === axis ? total : dim)) }];
  },
  gradient({ gradients: [g], inputs, node, needs }) {
    const axis = node.attributes.axis as number;
    let start: Dim = 0;
    return inputs.map((x, i) => {
      const end = addDims(start, x.shape[axis]!);
      const part = needs[i] ? slice(g!, axis, start, end) : null;
      start = end;
      return part;
    });
  },
  lower: ({ emit, inputs, node }) => emit('Concat', inputs, { axis: node.attributes.axis as number }),
});

export function concat(parts: readonly Tensor[], axis: number): Tensor {
  return parts.length === 1 ? parts[0]! : apply(concatOp, parts, { axis });
}

/** Cuts an axis into consecutive parts. The sizes must add up to the axis. */
export function split(x: Tensor, axis: number, sizes: readonly Dim[]): readonly Tensor[] {
  const total = addDims(...sizes);
  if (!sameDim(total, x.shape[axis] ?? -1)) {
    fail('split', [x], `the parts add up to ${formatDim(total)} along axis ${axis}`);
  }
  if (sizes.length === 1) return [x];
  return applyAll(splitOp, [x], { axis, sizes });
}

const splitOp = define({
  name: 'split',
  infer: ([x], { axis, sizes }) =>
    (sizes as readonly Dim[]).map((size) => ({
      dtype: x!.dtype,
      shape: x!.shape.map((dim, i) => (i === axis ? size : dim)),
    })),
  gradient({ gradients, outputs, node }) {
    const parts = gradients.map((gradient, i) => gradient ?? fill(0, outputs[i]!.shape));
    return [concat(parts, node.attributes.axis as number)];
  },
  lower: ({ emit, inputs, sizes, node }) =>
    emit(
      'Split',
      [inputs[0]!, sizes(node.attributes.sizes as readonly Dim[])],
      { axis: node.attributes.axis as number },
      { outputs: (node.attributes.sizes as readonly Dim[]).length },
    ),
});

const sizeOp = define({
  name: 'size',
  infer: (_, { dtype }) => [{ dtype: dtype as DType, shape: [] }],
  lower({ emit, sizes, integers, node }) {
    const size = sizes([multiplyDims(...(node.attributes.dims as readonly Dim[]))]);
    const [cast] = node.attributes.dtype === 'float32' ? emit('Cast', [size], { to: 1 }) : [size];
    return emit('Reshape', [cast!, integers([], [0])]);
  },
});

/** The product of sizes as a scalar. */
export function sizeOf(dims: readonly Dim[], dtype: 'float32' | 'int64' = 'float32'): Tensor {
  return apply(sizeOp, [], { dims, dtype });
}
