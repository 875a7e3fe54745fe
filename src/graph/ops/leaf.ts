import { apply, define } from '../apply.js';
import { type Dim, formatShape } from '../dim.js';
import type { DType, Tensor } from '../tensor.js';

const inputOp = define({
  name: 'input',
  infer: (_, { dtype, shape }) => [{ dtype: dtype as DType, shape: shape as readonly Dim[] }],
  lower: ({ node }) => [node.attributes.name as string],
});

/** A named value that is fed when the graph runs. Inputs of one name are one input. */
export function input(name: string, dtype: DType, shape: readonly Dim[]): Tensor {
  return apply(inputOp, [], { name, dtype, shape });
}

export const isInput = (tensor: Tensor): boolean => tensor.node.definition === inputOp;

export const inputName = (tensor: Tensor): string => tensor.node.attributes.name as string;

const constantOp = define({
  name: 'constant',
  infer: (_, { dtype, shape }) => [{ dtype: dtype as DType, shape: shape as readonly number[] }],
  lower: ({ node, floats, integers }) => [
    node.data instanceof Float32Array
      ? floats([...node.data], node.attributes.shape as readonly number[])
      : integers([...node.data!].map(Number), node.attributes.shape as readonly number[]),
  ],
});

/** A float32 constant. `shape` defaults to a scalar for one value, else to a vector. */
export function constant(values: number | readonly number[], shape?: readonly number[]): Tensor {
  const list = typeof values === 'number' ? [values] : values;
  const data = Float32Array.from(list);
  return leaf('float32', data, shape ?? (typeof values === 'number' ? [] : [list.length]));
}

export function constantInt(values: readonly number[], shape?: readonly number[]): Tensor {
  const data = BigInt64Array.from(values.map(BigInt));
  return leaf('int64', data, shape ?? [values.length]);
}

function leaf(dtype: DType, data: Float32Array | BigInt64Array, shape: readonly number[]): Tensor {
  if (shape.reduce((a, b) => a * b, 1) !== data.length) {
    throw new Error(`graph: a constant of shape ${formatShape(shape)} was given ${data.length} values`);
  }
  return apply(constantOp, [], { dtype, shape }, { data });
}

const fillOp = define({
  name: 'fill',
  infer: (_, { shape }) => [{ dtype: 'float32', shape: shape as readonly Dim[] }],
  lower: ({ node, emit, sizes, floats }) =>
    emit('Expand', [floats([node.attributes.value as number], []), sizes(node.attributes.shape as readonly Dim[])]),
});

/** A float32 tensor of one value. */
export function fill(value: number, shape: readonly Dim[]): Tensor {
  return apply(fillOp, [], { value, shape });
}
