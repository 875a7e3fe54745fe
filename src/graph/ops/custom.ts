import { apply, define } from '../apply.js';
import type { Tensor } from '../tensor.js';

const customOp = define({
  name: 'custom',
  infer: ([output]) => [output!],
  gradient: ({ gradients: [g], node, needs }) => [null, ...node.backward!(g!, needs.slice(1))],
  lower: ({ inputs }) => [inputs[0]!],
});

/**
 * `output` as a function of `inputs` with a gradient of its own: `backward` gets the gradient that arrives and which
 * inputs need one, and returns one gradient (or null) an input. No gradient flows through the nodes that made `output`.
 */
export function withGradient(
  output: Tensor,
  inputs: readonly Tensor[],
  backward: (gradient: Tensor, needs: readonly boolean[]) => readonly (Tensor | null)[],
): Tensor {
  return apply(customOp, [output, ...inputs], {}, { backward });
}
