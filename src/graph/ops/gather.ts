import { apply, define } from '../apply.js';
import { type Dim, sameDim, sameShape } from '../dim.js';
import { fail, type Tensor } from '../tensor.js';
import { multiply } from './elementwise.js';
import { fill } from './leaf.js';
import { reshape } from './shape.js';

const gatherRowsOp = define({
  name: 'gatherRows',
  infer(inputs) {
    const [x, index] = inputs as readonly [Tensor, Tensor];
    if (index.dtype !== 'int64' || x.shape.length === 0)
      fail('gatherRows', inputs, 'takes a tensor and int64 row numbers');
    return [{ dtype: x.dtype, shape: [...index.shape, ...x.shape.slice(1)] }];
  },
  gradient: ({ gradients: [g], inputs: [x, index] }) => [scatterRows(g!, index!, x!.shape[0]!), null],
  lower: ({ emit, inputs }) => emit('Gather', inputs, { axis: 0 }),
});

/** Rows of `x` [R, …] by number: [M] → [M, …]. */
export function gatherRows(x: Tensor, index: Tensor): Tensor {
  return apply(gatherRowsOp, [x, index]);
}

const scatterRowsOp = define({
  name: 'scatterRows',
  infer(inputs, { rows }) {
    const [x, index] = inputs as readonly [Tensor, Tensor];
    const fits = index.dtype === 'int64' && index.shape.length === 1 && sameDim(index.shape[0]!, x.shape[0] ?? -1);
    if (!fits) fail('scatterRows', inputs, 'takes rows and one int64 number a row');
    return [{ dtype: 'float32', shape: [rows as Dim, ...x.shape.slice(1)] }];
  },
  gradient: ({ gradients: [g], inputs: [, index] }) => [gatherRows(g!, index!), null],
  lower({ emit, inputs, sizes, floats, integers, node }) {
    const shape = [node.attributes.rows as Dim, ...node.inputs[0]!.shape.slice(1)];
    const [zeros] = emit('Expand', [floats([0]), sizes(shape)]);
    const [index] = emit('Unsqueeze', [inputs[1]!, integers([1])]);
    return emit('ScatterND', [zeros!, index!, inputs[0]!], { reduction: 'add' });
  },
});

/** Adds the rows of `x` [M, …] into zeros [rows, …] at the given numbers. */
export function scatterRows(x: Tensor, index: Tensor, rows: Dim): Tensor {
  return apply(scatterRowsOp, [x, index], { rows });
}

const permuteRowsOp = define({
  name: 'permuteRows',
  infer([x, index]) {
    return [{ dtype: x!.dtype, shape: [...index!.shape, ...x!.shape.slice(1)] }];
  },
  gradient({ gradients: [g], inputs: [, index, inverse, keep] }) {
    const back = permuteRows(g!, inverse!, index!);
    return [keep ? multiply(back, keep) : back, null, null, null];
  },
  lower: ({ emit, inputs }) => emit('Gather', [inputs[0]!, inputs[1]!], { axis: 0 }),
});

/**
 * Rows of `x` in another order, of which each wanted row of `x` appears once: the gradient is a gather by `inverse` and
 * needs no scatter. `keep` [rows of x, 1] zeroes the gradient of rows that do not appear.
 */
export function permuteRows(x: Tensor, index: Tensor, inverse: Tensor, keep?: Tensor): Tensor {
  return apply(permuteRowsOp, keep ? [x, index, inverse, keep] : [x, index, inverse]);
}

const pickOp = define({
  name: 'pick',
  infer(inputs) {
    const [x, index] = inputs as readonly [Tensor, Tensor];
    const fits = index.dtype === 'int64' && sameShape(index.shape, x.shape.slice(0, -1));
    if (!fits) fail('pick', inputs, 'takes a tensor and one int64 position for each of its rows');
    return [{ dtype: 'float32', shape: index.shape }];
  },
  gradient: ({ gradients: [g], inputs: [x, index] }) => [addPicked(fill(0, x!.shape), index!, g!), null],
  lower({ emit, inputs, sizes, node }) {
    const { shape } = node.inputs[1]!;
    const [index] = emit('Reshape', [inputs[1]!, sizes([...shape, 1])]);
    const [picked] = emit('GatherElements', [inputs[0]!, index!], { axis: shape.length });
    return emit('Reshape', [picked!, sizes(shape)]);
  },
});

/** One element of the last axis for each row: x [M, V], index [M] → [M]. */
export function pick(x: Tensor, index: Tensor): Tensor {
  return apply(pickOp, [x, index]);
}

const addPickedOp = define({
  name: 'addPicked',
  infer([x]) {
    return [x!];
  },
  gradient: ({ gradients: [g], inputs: [, index] }) => [g!, null, pick(g!, index!)],
  lower({ emit, inputs, sizes, node }) {
    const { shape } = node.inputs[1]!;
    const [index] = emit('Reshape', [inputs[1]!, sizes([...shape, 1])]);
    const [value] = emit('Reshape', [inputs[2]!, sizes([...shape, 1])]);
    return emit('ScatterElements', [inputs[0]!, index!, value!], { axis: shape.length, reduction: 'add' });
  },
});

/** x [M, V] with value[m] added at [m, index[m]]. */
export function addPicked(x: Tensor, index: Tensor, value: Tensor): Tensor {
  return apply(addPickedOp, [x, index, reshape(value, index.shape)]);
}
