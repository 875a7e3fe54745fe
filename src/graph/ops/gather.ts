import { apply, define } from '../apply.js';
import { type Dim, multiplyDims, sameDim, sameShape } from '../dim.js';
import { fail, type Tensor } from '../tensor.js';
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
  gradient({ gradients: [g], inputs: [x, index] }) {
    const count = multiplyDims(...index!.shape);
    const rows = reshape(g!, [count, ...x!.shape.slice(1)]);
    return [scatterRows(rows, reshape(index!, [count]), x!.shape[0]!), null];
  },
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
    const numbers = index.dtype === 'int64' && index.shape.length === 1;
    const fits = x.dtype === 'float32' && numbers && sameDim(index.shape[0]!, x.shape[0] ?? -1);
    if (!fits) fail('scatterRows', inputs, 'takes float32 rows and one int64 number a row');
    return [{ dtype: 'float32', shape: [rows as Dim, ...x.shape.slice(1)] }];
  },
  gradient: ({ gradients: [g], inputs: [, index] }) => [gatherRows(g!, index!), null],
  // Not ScatterND: on CPU its rows are added by several threads without a lock, and repeated numbers lose summands.
  lower({ emit, inputs, sizes, floats, node }) {
    const { shape } = node.inputs[0]!;
    const [zeros] = emit('Expand', [floats([0]), sizes([node.attributes.rows as Dim, ...shape.slice(1)])]);
    // As int32 the numbers are spread over the columns on the device: WebGPU leaves int64 to the CPU.
    const [narrow] = emit('Cast', [inputs[1]!], { to: 6 });
    const [column] = emit('Reshape', [narrow!, sizes(shape.map((dim, i) => (i === 0 ? dim : 1)))]);
    const [index] = emit('Expand', [column!, sizes(shape)]);
    return emit('ScatterElements', [zeros!, index!, inputs[0]!], { axis: 0, reduction: 'add' });
  },
});

/** Adds the rows of `x` [M, …] into zeros [rows, …] at the given numbers. */
export function scatterRows(x: Tensor, index: Tensor, rows: Dim): Tensor {
  return apply(scatterRowsOp, [x, index], { rows });
}

const pickOp = define({
  name: 'pick',
  infer(inputs) {
    const [x, index] = inputs as readonly [Tensor, Tensor];
    const fits = index.dtype === 'int64' && sameShape(index.shape, x.shape.slice(0, -1));
    if (!fits) fail('pick', inputs, 'takes a tensor and one int64 position for each of its rows');
    return [{ dtype: x.dtype, shape: index.shape }];
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
  infer(inputs) {
    const [x, index, value] = inputs as readonly [Tensor, Tensor, Tensor];
    const fits = index.dtype === 'int64' && value.dtype === x.dtype && sameShape(index.shape, x.shape.slice(0, -1));
    if (!fits) fail('addPicked', inputs, 'takes a tensor, one int64 position and one value for each of its rows');
    return [x];
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
