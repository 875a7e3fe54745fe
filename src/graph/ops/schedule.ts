import { apply, define } from '../apply.js';
import { gradients, leavesOf, topologicalOrder } from '../gradient.js';
import { fail, type Node, type Tensor } from '../tensor.js';
import { add, multiply, stopGradient } from './elementwise.js';
import { isInput } from './leaf.js';
import { sum } from './reduce.js';
import { concat } from './shape.js';

// ONNX Runtime runs nodes in the order of their dependencies and nothing else says when. These two ops add dependencies
// that change no value, so that work whose result is only wanted at the end still runs while its inputs are in memory.

/** The same value, available only once `others` have been computed. */
export function after(x: Tensor, others: readonly Tensor[]): Tensor {
  const corners = others.map((other) => apply(cornerOp, [other]));
  if (corners.length === 0) return x;
  return add(x, stopGradient(multiply(sum(concat(corners, 0)), 0)));
}

/** The first element, [1, 1]: the smallest piece of a tensor that has to wait for all of it. */
const cornerOp = define({
  name: 'corner',
  infer: ([x]) => [{ dtype: x!.dtype, shape: [1, 1] }],
  lower({ emit, inputs, integers, node }) {
    const axes = node.inputs[0]!.shape.map((_, axis) => axis);
    const ones = axes.map(() => 1);
    const [corner] =
      axes.length === 0
        ? inputs
        : emit('Slice', [inputs[0]!, integers(axes.map(() => 0)), integers(ones), integers(axes)]);
    return axes.length === 2 ? [corner!] : emit('Reshape', [corner!, integers([1, 1])]);
  },
});

/** The argument of a region: a node of its own, so that what the region does with it is told from what others do. */
const boundaryOp = define({
  name: 'boundary',
  infer: ([x]) => [x!],
  gradient: ({ gradients: [g] }) => [g!],
  lower: ({ inputs }) => [inputs[0]!],
});

const regionOp = define({
  name: 'region',
  infer: ([, output]) => [output!],
  gradient({ gradients: [g], inputs: [x, output, ...leaves], needs, node }) {
    const recompute = node.attributes.recompute as boolean;
    const start = recompute ? apply(boundaryOp, [after(x!, [g!])]) : x!;
    const end = recompute ? node.rebuild!(start) : output!;
    const trained = leaves.filter((_, i) => needs[i + 2]);
    const wanted = needs[0] ? [start, ...trained] : trained;
    const found = gradients([[end, g!]], wanted, { stopAt: [start, ...leaves] });
    const gradientX = needs[0] ? found[0]! : null;
    const leafGradients = needs[0] ? found.slice(1) : found;
    const flowing = leafGradients.filter((gradient) => gradient !== null);
    const byLeaf = new Map(trained.map((leaf, i) => [leaf, leafGradients[i] ?? null]));
    return [gradientX ? after(gradientX, flowing) : null, null, ...leaves.map((leaf) => byLeaf.get(leaf) ?? null)];
  },
  lower: ({ inputs }) => [inputs[1]!],
});

/**
 * A layer of the model, `f(x)`, whose parameter gradients are computed before the gradient leaves it, so that its
 * activations can be freed. With `recompute` the backward pass rebuilds the layer from `x` instead of keeping them
 * (Chen et al. 2016). `f` must use the same parameter tensors each time it is called, and the value of `x` only through
 * its argument. Gradients leave a region through `x`, graph inputs and the arguments of regions around it: not to other
 * tensors that `f` captures.
 */
export function region(x: Tensor, f: (x: Tensor) => Tensor, options: { readonly recompute: boolean }): Tensor {
  const start = apply(boundaryOp, [x]);
  const output = f(start);
  const order = topologicalOrder([output], new Set([start.node]));
  if (!isInput(x) && order.includes(x.node)) {
    fail('region', [x], 'the function uses its input otherwise than through its argument');
  }
  const around = openBoundaries(order, start);
  const leaves = leavesOf(output, [start, ...around]);
  return apply(regionOp, [start, output, ...around, ...leaves], { recompute: options.recompute }, { rebuild: f });
}

/** Arguments of regions that are still being built and that this one captures: no region closes over them yet. */
function openBoundaries(order: readonly Node[], start: Tensor): Tensor[] {
  const closed = new Set(order.filter((node) => node.definition === regionOp).map((node) => node.inputs[0]!.node));
  const open = new Map<Node, Tensor>();
  for (const tensor of order.flatMap((node) => (node === start.node ? [] : node.inputs))) {
    const { node } = tensor;
    if (node.definition === boundaryOp && node !== start.node && !closed.has(node)) open.set(node, tensor);
  }
  return [...open.values()];
}
