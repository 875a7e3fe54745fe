import { apply, define } from '../apply.js';
import { gradients, leavesOf } from '../gradient.js';
import type { Tensor } from '../tensor.js';
import { add, multiply } from './elementwise.js';
import { reshape, slice } from './shape.js';

// ONNX Runtime runs nodes in the order of their dependencies and nothing else says when. These two ops add dependencies
// that change no value, so that work whose result is only wanted at the end still runs while its inputs are in memory.

/** The same value, available only once `others` have been computed. */
export function after(x: Tensor, others: readonly Tensor[]): Tensor {
  let zero: Tensor | null = null;
  for (const other of others) {
    let corner = other;
    for (let axis = 0; axis < other.shape.length; axis++) corner = slice(corner, axis, 0, 1);
    const scalar = reshape(corner, []);
    zero = zero ? add(zero, scalar) : scalar;
  }
  return zero ? add(x, multiply(zero, 0)) : x;
}

const regionOp = define({
  name: 'region',
  infer: ([, output]) => [output!],
  gradient({ gradients: [g], inputs: [x, output, ...leaves], needs, node }) {
    const recompute = node.attributes.recompute as boolean;
    const start = recompute ? after(x!, [g!]) : x!;
    const end = recompute ? node.rebuild!(start) : output!;
    const trained = leaves.filter((_, i) => needs[i + 2]);
    const [gradientX, ...leafGradients] = gradients([[end, g!]], [start, ...trained], { stopAt: [start] });
    const flowing = leafGradients.filter((gradient) => gradient !== null);
    const byLeaf = new Map(trained.map((leaf, i) => [leaf, leafGradients[i] ?? null]));
    return [gradientX ? after(gradientX, flowing) : null, null, ...leaves.map((leaf) => byLeaf.get(leaf) ?? null)];
  },
  lower: ({ inputs }) => [inputs[1]!],
});

/**
 * A layer of the model, `f(x)`, whose parameter gradients are computed before the gradient leaves it, so that its
 * activations can be freed. With `recompute` the backward pass rebuilds the layer from `x` instead of keeping them
 * (Chen et al. 2016). `f` must use the same parameter tensors each time it is called.
 */
export function region(x: Tensor, f: (x: Tensor) => Tensor, options: { readonly recompute: boolean }): Tensor {
  const output = f(x);
  return apply(regionOp, [x, output, ...leavesOf(output, x)], { recompute: options.recompute }, { rebuild: f });
}
